import type { Command } from 'commander';
import { type KubeObject, type PodSpec, type StoredKubeObject, usage } from '../../api/index.ts';
import { changeObject } from '../../apiserver/index.ts';
import { changeLine, type DryRun, dryRunOption, eachObject } from '../change/change-line.ts';
import { warnOfRest } from '../change/resting.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { readTargets } from '../select/find-objects.ts';
import { namesFiles, type TargetFlags, withTargetFlags } from '../select/selection-flags.ts';
import { withPodSpec } from './pod-spec.ts';

/** The flags of every command below `set`. */
export interface SetFlags extends TargetFlags, OutputFlags {
  readonly all: boolean;
  readonly dryRun: DryRun;
}

/** Adds a command below `set`, with the flags that all of them take. */
export function setCommand(group: Command, name: string, arguments_: string): Command {
  const command = group
    .command(name)
    .usage(`(TYPE/NAME... | TYPE (NAME... | --all | -l QUERY) | -f FILE) ${arguments_}`)
    .argument('[resource...]', 'the objects, then the new values');
  return withOutputFlags(withTargetFlags(command))
    .option('--all', 'all objects of the type in the namespace', false)
    .addOption(dryRunOption('only print what would change; -o yaml shows the result'));
}

/** A change of the Pods that objects make. */
export interface PodSpecChange {
  /** kubectl's words for what is changed: `image`. */
  readonly what: string;
  /** Returns the changed spec. May throw. */
  readonly change: (spec: PodSpec, object: StoredKubeObject) => PodSpec;
}

/** @throws {PodrunError} (usage) when no object is named, or all are and a selector is given, too */
export function checkSetTargets(resources: readonly string[], flags: SetFlags): void {
  if (flags.all && flags.selector !== undefined) throw usage('cannot set --all and --selector at the same time');
  if (resources.length > 0 || namesFiles(flags)) return;
  throw usage('one or more resources must be specified as <resource> <name> or <resource>/<name>');
}

/**
 * Changes the Pod templates of objects. As in kubectl, an object that stays the same has no line. Returns the exit
 * code. Source: kubectl/pkg/cmd/set.
 */
export async function changePodSpecs(
  cli: Cli,
  resources: readonly string[],
  flags: SetFlags,
  { what, change }: PodSpecChange,
): Promise<number> {
  const { dryRun } = flags;
  const printer = objectPrinter(cli, flags);
  const store = openStore(cli);
  const refs = await readTargets(cli, store, { command: 'set', words: resources, flags });
  return eachObject(cli, refs, (ref) => {
    const changed = (stored: KubeObject): KubeObject =>
      withPodSpec(stored, (spec) => change(spec, stored as StoredKubeObject));
    const request = { store, ref, change: changed, warn: cli.warn, isDryRun: dryRun !== 'none' };
    const { object, isChanged } = changeObject(request);
    if (isChanged && dryRun === 'none') warnOfRest(cli, store, ref);
    return isChanged ? changeLine(cli, object, `${what} updated`, { dryRun, printer }) : '';
  });
}
