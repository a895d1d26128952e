import { EXIT, parseLabelSelector, PodrunError } from '../../api/index.ts';
import { downloader, kustomized } from '../select/outside-inputs.ts';
import {
  type Isolation,
  loadManifests,
  type ManifestMistake,
  type ManifestObject,
  renderManifestErrors,
  statusesOf,
  type UnreadObject,
} from '../../manifest/index.ts';
import { withWaitingLine } from '../waiting/wait-progress.ts';
import { annotatesForGitHub } from '../view/github-mistakes.ts';
import { type SeparatedObjects, separateObjects } from '../../apiserver/index.ts';
import { ApplyExpectations } from '../history/expectations.ts';
import { prepareReportFolder } from '../report/report-folder.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { type ApplyPlan, refuseIdleGoal } from './apply-input.ts';
import type { Cli } from '../base/cli.ts';
import { annotateMistakes } from '../view/github-mistakes.ts';

export interface ManifestsOfFlags {
  readonly objects: readonly ManifestObject[];
  readonly unread: readonly UnreadObject[];
  readonly errors: readonly ManifestMistake[];
  readonly warnings: readonly string[];
}

export type LoadedInput =
  | {
      readonly ok: true;
      readonly objects: readonly ManifestObject[];
      /** The objects that only an API server knows: see LoadOptions.keepsUnread. */
      readonly unread: readonly UnreadObject[];
    }
  | { readonly ok: false; readonly exitCode: number };

/** `create` accepts manifests with generateName. `replace` knows only objects that podrun itself reads. */
type ReadingCommand = 'apply' | 'create' | 'replace';

/** Opens the chunks of standard input. */
export type StandardInput = () => AsyncIterable<Uint8Array>;

/**
 * Reads all objects in the manifests of the command line, also objects that `--selector` leaves out.
 * @param isolation the isolation that the containers have, or may have
 */
export async function loadFromFlags(
  cli: Cli,
  flags: ApplyFlags,
  isolation: Isolation,
  stdin: StandardInput = () => cli.stdin,
  command: ReadingCommand = 'apply',
): Promise<ManifestsOfFlags> {
  return loadManifests({
    files: flags.kustomize === undefined ? flags.filename : [await kustomized(cli, flags.kustomize)],
    recursive: flags.recursive,
    pathOf: cli.pathOf,
    namespace: flags.namespace,
    validate: flags.validate,
    stdin,
    download: downloader(cli),
    forRunning: flags.dryRun === 'none',
    refusesWithoutEffect: flags.strict,
    isolation,
    mayBeEmpty: flags.staticPods !== undefined,
    command: command === 'create' ? 'create' : 'apply',
    keepsUnread: command !== 'replace',
  });
}

/**
 * Reads the manifests, and prints all mistakes on standard error.
 * @param isolation the isolation that the containers have, or may have
 */
export async function loadOrExplain(
  cli: Cli,
  flags: ApplyFlags,
  isolation: Isolation,
  stdin: StandardInput = () => cli.stdin,
  command: ReadingCommand = 'apply',
): Promise<LoadedInput> {
  const isSelected = parseLabelSelector(flags.selector ?? '');
  const load = async (): Promise<ManifestsOfFlags> => loadFromFlags(cli, flags, isolation, stdin, command);
  // A waiting line would disturb a user who types the manifest.
  const isTyped = flags.filename.includes('-') && cli.stdin.isTTY === true;
  const loading = isTyped ? load() : withWaitingLine(cli, 'reading manifests', load);
  const { objects: all, unread: allUnread, errors, warnings } = await loading;
  const objects = all.filter(({ object }) => isSelected(object.metadata.labels ?? {}));
  const unread = allUnread.filter(({ object }) => isSelected(object.metadata.labels ?? {}));
  for (const { file, object } of objects)
    cli.detail(`${file} has ${object.kind.toLowerCase()}/${object.metadata.name}`);
  for (const warning of warnings) cli.warn(warning);
  if (errors.length === 0 && all.length + allUnread.length > 0 && objects.length + unread.length === 0) {
    throw new PodrunError('InvalidManifest', `no objects passed to ${command === 'create' ? command : 'apply'}`, {
      hint: `No object matches ${flags.selector}.`,
    });
  }
  if (errors.length === 0) return { ok: true, objects, unread };
  cli.stderr.write(`${renderManifestErrors(errors).join('\n')}\n`);
  if (annotatesForGitHub(cli, flags)) annotateMistakes(cli, errors);
  if (flags.output === 'json') {
    cli.stdout.write(
      statusesOf(errors)
        .map((status) => `${JSON.stringify(status)}\n`)
        .join(''),
    );
  }
  return { ok: false, exitCode: EXIT.usage };
}

/** The objects of the manifests for a run, and what the run is to fulfil. */
export interface ManifestsToRun extends SeparatedObjects {
  /** The expectations of `--expect`. */
  readonly expected: ApplyExpectations | undefined;
}

/**
 * Sorts the objects of a run. A mistake in its report or its expectations is an error before anything starts.
 * @throws {PodrunError} (usage) when none of them can reach the goal
 */
export async function manifestsToRun(
  cli: Cli,
  { expect, report, until }: ApplyFlags,
  plan: ApplyPlan,
  objects: readonly ManifestObject[],
): Promise<ManifestsToRun> {
  if (report !== undefined) prepareReportFolder(report, cli.pathOf(report));
  const sorted = separateObjects(objects);
  refuseIdleGoal(plan, until, [...sorted.pods, ...sorted.workloads]);
  const pods = sorted.pods.map(({ object }) => object);
  return { ...sorted, expected: expect === undefined ? undefined : await ApplyExpectations.read(cli, expect, pods) };
}
