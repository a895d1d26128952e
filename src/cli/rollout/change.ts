import type { Command } from 'commander';
import { applyPatch, goQuote, type KubeObject, PodrunError, qualifiedPlural, restartPatch } from '../../api/index.ts';
import { changeObject } from '../../apiserver/index.ts';
import { changeLine } from '../change/change-line.ts';
import { type DryRun, dryRunOption } from '../change/dry-run.ts';
import { eachObject } from '../change/each-object.ts';
import { warnOfRest } from '../change/resting.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import type { TargetFlags } from '../select/selection-flags.ts';
import type { RunVerb } from '../base/verb.ts';
import { rolloutCommand, rolloutTargets } from './rollout-flags.ts';

/** The flags of `rollout restart`, `pause` and `resume`. */
interface ChangeFlags extends TargetFlags, OutputFlags {
  readonly dryRun: DryRun;
}

/** A change of a workload. */
interface RolloutChange {
  readonly name: 'pause' | 'restart' | 'resume';
  readonly summary: string;
  readonly description: string;
  readonly examples: string;
  /** kubectl's word when it is done. */
  readonly done: string;
  /** Answers a merge patch, or kubectl's words about why the object cannot be changed. */
  readonly patch: (object: KubeObject, nowMs: number) => object | string;
}

/** Source: kubectl/pkg/polymorphichelpers/objectrestarter.go, objectpauser.go, objectresumer.go. */
const CHANGES: readonly RolloutChange[] = [
  {
    name: 'restart',
    summary: 'Replace all Pods of a workload',
    description: 'Replaces the Pods of Deployments, StatefulSets and DaemonSets, as for a new template.',
    examples: `
Examples:
  podrun rollout restart deployment/web
  podrun rollout restart deployments        # all Deployments of the namespace
`,
    done: 'restarted',
    patch: (object, nowMs) => {
      if (!hasTemplateUpdates(object)) return 'restarting is not supported';
      if (isPaused(object)) return "can't restart paused deployment (run rollout resume first)";
      return restartPatch(nowMs);
    },
  },
  {
    name: 'pause',
    summary: 'Pause the rollout of a Deployment',
    description: 'Pauses a Deployment: a change of its template has no effect until it is resumed.',
    examples: `
Examples:
  podrun rollout pause deployment/web
`,
    done: 'paused',
    patch: (object) => {
      if (object.kind !== 'Deployment') return 'pausing is not supported';
      return isPaused(object) ? 'is already paused' : { spec: { paused: true } };
    },
  },
  {
    name: 'resume',
    summary: 'Resume a paused rollout',
    description: 'Resumes a paused Deployment: the rollout of its template goes on.',
    examples: `
Examples:
  podrun rollout resume deployment/web
`,
    done: 'resumed',
    patch: (object) => {
      if (object.kind !== 'Deployment') return 'resuming is not supported';
      return isPaused(object) ? { spec: { paused: null } } : 'is not paused';
    },
  },
];

/** `podrun rollout restart`, `pause` and `resume`. */
export function addChanges(group: Command, run: RunVerb): void {
  for (const change of CHANGES) {
    withOutputFlags(rolloutCommand(group, change.name, change.summary))
      .description(change.description)
      .addOption(dryRunOption('only print what would change; -o yaml shows the result'))
      .addHelpText('after', change.examples)
      .action((words: string[], flags: ChangeFlags) => run((cli) => changeRollouts(cli, change, words, flags)));
  }
}

async function changeRollouts(
  cli: Cli,
  { done, patch }: RolloutChange,
  words: readonly string[],
  flags: ChangeFlags,
): Promise<number> {
  const { dryRun } = flags;
  const printer = objectPrinter(cli.stdout, flags);
  const store = openStore(cli);
  const refs = await rolloutTargets(cli, store, words, flags);
  const nowMs = cli.clock.now().wallMs;
  return eachObject(cli, refs, (ref) => {
    const subject = `${qualifiedPlural(ref.type)} ${goQuote(ref.name)}`;
    const change = (stored: KubeObject): KubeObject => {
      const answer = patch(stored, nowMs);
      if (typeof answer === 'string') throw new PodrunError('BadRequest', `${subject} ${answer}`);
      return applyPatch(stored, answer, 'merge');
    };
    const { object, isChanged } = changeObject({ store, ref, change, warn: cli.warn, isDryRun: dryRun !== 'none' });
    if (isChanged && dryRun === 'none') warnOfRest(cli, store, ref);
    if (isChanged) return changeLine(cli, object, done, { dryRun, printer });
    const advice = 'please wait before attempting to trigger another';
    const problem = 'if restart has already been triggered within the past second';
    throw new PodrunError('Conflict', `failed to create patch for ${ref.name}: ${problem}, ${advice}`);
  });
}

function hasTemplateUpdates({ kind }: KubeObject): boolean {
  return kind === 'Deployment' || kind === 'StatefulSet' || kind === 'DaemonSet';
}

function isPaused({ spec }: KubeObject): boolean {
  return (spec as { readonly paused?: boolean } | undefined)?.paused === true;
}
