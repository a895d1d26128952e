import { EXIT, parseLabelSelector, PodrunError } from '../../api/index.ts';
import { downloader } from '../inputs/download.ts';
import { kustomized } from '../inputs/kustomize.ts';
import {
  type Isolation,
  loadManifests,
  type ManifestMistake,
  type ManifestObject,
  renderManifestErrors,
  statusesOf,
} from '../../manifest/index.ts';
import { withWaitingLine } from '../waiting/wait-progress.ts';
import { annotatesForGitHub } from '../view/github-mistakes.ts';
import { type SeparatedObjects, separateObjects } from '../../apiserver/index.ts';
import { ApplyExpectations } from '../history/apply-expectations.ts';
import { prepareReportFolder } from '../report/report-folder.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { type ApplyPlan, refuseIdleGoal } from './apply-input.ts';
import type { Cli } from '../base/cli.ts';
import { annotateMistakes } from '../view/github-mistakes.ts';

export interface ManifestsOfFlags {
  readonly objects: readonly ManifestObject[];
  readonly errors: readonly ManifestMistake[];
  readonly warnings: readonly string[];
}

export type LoadedInput =
  | { readonly ok: true; readonly objects: readonly ManifestObject[] }
  | { readonly ok: false; readonly exitCode: number };

/** Opens the chunks of standard input. */
export type StandardInput = () => AsyncIterable<Uint8Array>;

/**
 * Reads the manifests of the command line, whole: also those that `--selector` leaves out.
 * @param isolation the isolation that the containers have, or may have
 */
export async function loadFromFlags(
  cli: Cli,
  flags: ApplyFlags,
  isolation: Isolation,
  stdin: StandardInput = () => cli.stdin,
  command: 'apply' | 'create' = 'apply',
): Promise<ManifestsOfFlags> {
  return loadManifests({
    files: flags.kustomize === undefined ? flags.filename : [await kustomized(cli, flags.kustomize)],
    recursive: flags.recursive,
    namespace: flags.namespace,
    validate: flags.validate,
    stdin,
    download: downloader(cli),
    forRunning: flags.dryRun === 'none',
    refusesWithoutEffect: flags.strict,
    isolation,
    mayBeEmpty: flags.staticPods !== undefined,
    command,
  });
}

/**
 * Reads the manifests, and prints all mistakes on standard error.
 * @param isolation the isolation that the containers have, or may have
 * @param command `create` accepts manifests with generateName
 */
export async function loadOrExplain(
  cli: Cli,
  flags: ApplyFlags,
  isolation: Isolation,
  stdin: StandardInput = () => cli.stdin,
  command: 'apply' | 'create' = 'apply',
): Promise<LoadedInput> {
  const isSelected = parseLabelSelector(flags.selector ?? '');
  const load = async (): Promise<ManifestsOfFlags> => loadFromFlags(cli, flags, isolation, stdin, command);
  // A waiting line would disturb a user who types the manifest.
  const isTyped = flags.filename.includes('-') && cli.stdin.isTTY === true;
  const loading = isTyped ? load() : withWaitingLine(cli, 'reading manifests', load);
  const { objects: all, errors, warnings } = await loading;
  const objects = all.filter(({ object }) => isSelected(object.metadata.labels ?? {}));
  for (const { file, object } of objects)
    cli.detail(`${file} has ${object.kind.toLowerCase()}/${object.metadata.name}`);
  for (const warning of warnings) cli.warn(warning);
  if (errors.length === 0 && all.length > 0 && objects.length === 0) {
    throw new PodrunError('InvalidManifest', `no objects passed to ${command}`, {
      hint: `No object matches ${flags.selector}.`,
    });
  }
  if (errors.length === 0) return { ok: true, objects };
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
  { expect, report, until }: ApplyFlags,
  plan: ApplyPlan,
  objects: readonly ManifestObject[],
): Promise<ManifestsToRun> {
  if (report !== undefined) prepareReportFolder(report);
  const sorted = separateObjects(objects);
  refuseIdleGoal(plan, until, [...sorted.pods, ...sorted.workloads]);
  const pods = sorted.pods.map(({ object }) => object);
  return { ...sorted, expected: expect === undefined ? undefined : await ApplyExpectations.read(expect, pods) };
}
