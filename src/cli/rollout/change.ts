import type { Command } from 'commander';
import {
  applyPatch,
  goQuote,
  type KubeObject,
  PodrunError,
  qualifiedKind,
  qualifiedPlural,
  restartPatch,
} from '../../api/index.ts';
import { changeObject, getObject, missingObjectError } from '../../apiserver/index.ts';
import { revisionToRestore, rolledBack } from '../../controllers/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { changeLine, type DryRun, dryRunOption, eachObject } from '../change/change-line.ts';
import { warnOfRest } from '../change/resting.ts';
import { countOption } from '../flags/options.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import type { TargetFlags } from '../select/selection-flags.ts';
import { historyOf, rolloutCommand, rolloutTargets } from './rollout-flags.ts';

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
  /** Returns a merge patch, or kubectl's words about why the object cannot be changed. */
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
    description: 'Resumes a paused Deployment: the rollout of its template continues.',
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
  const printer = objectPrinter(cli, flags);
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

interface UndoFlags extends TargetFlags, OutputFlags {
  readonly toRevision: number;
  readonly dryRun: DryRun;
}

const EXAMPLES = `
Examples:
  podrun rollout undo deployment/web                    # back to the revision before
  podrun rollout undo deployment/web --to-revision=1
`;

/** `podrun rollout undo`: returns to an earlier template. */
export function addUndo(group: Command, run: RunVerb): void {
  withOutputFlags(rolloutCommand(group, 'undo', 'Return to an earlier revision'))
    .description('Gives a Deployment, StatefulSet or DaemonSet the Pod template of an earlier revision.')
    .addOption(countOption('--to-revision <number>', 'the revision; 0: the one before the last').default(0))
    .addOption(dryRunOption('only print what would change; -o yaml shows the result'))
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: UndoFlags) => run((cli) => undo(cli, words, flags)));
}

/** Source: kubectl/pkg/cmd/rollout/rollout_undo.go. */
async function undo(cli: Cli, words: readonly string[], flags: UndoFlags): Promise<number> {
  const { dryRun, toRevision } = flags;
  const printer = objectPrinter(cli, flags);
  const store = openStore(cli);
  const refs = await rolloutTargets(cli, store, words, flags);
  return eachObject(cli, refs, (ref) => {
    const before = getObject(store, ref);
    if (before === undefined) throw missingObjectError(store, ref);
    const revision = revisionToRestore(before, historyOf(store, ref.type, before, 'rollbacker'), toRevision);
    const change = (stored: KubeObject): KubeObject => rolledBack(stored, revision) ?? stored;
    const { object, isChanged } = changeObject({ store, ref, change, warn: cli.warn, isDryRun: dryRun !== 'none' });
    if (isChanged && dryRun === 'none') warnOfRest(cli, store, ref);
    if (isChanged && store.lastApplied(ref.type.plural, before) !== undefined) {
      const subject = `${qualifiedKind(ref.type)}/${ref.name}`;
      cli.warn(`the manifest of ${subject} stays unchanged: the next 'podrun apply' of it brings its template back`);
    }
    const skipped = `skipped rollback (current template already matches revision ${toRevision})`;
    return changeLine(cli, object, isChanged ? 'rolled back' : skipped, { dryRun, printer });
  });
}
