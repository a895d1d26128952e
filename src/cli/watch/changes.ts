import path from 'node:path';
import { isWorkload, type PodSpec, qualifiedKind, resourceTypeOf } from '../../api/index.ts';
import { type ManifestObject, neededForVariables, podIn } from '../../manifest/index.ts';
import type { ConcernedContainers, ContainerFiles } from './program-files.ts';

/** A change of the manifests or of a program, and what it takes to follow it. */
export type FollowedChange =
  /** An object that is new or other than before: stored as `apply` does; controllers and volumes follow. */
  | { readonly type: 'apply'; readonly manifest: ManifestObject }
  /**
   * A Pod with another manifest, another program of an init container, or other variables. Nothing of a running Pod can
   * be exchanged.
   */
  | { readonly type: 'replace'; readonly manifest: ManifestObject }
  /** Containers that run other files now, and nothing else is new: they restart in place. */
  | { readonly type: 'reload'; readonly manifest: ManifestObject; readonly containers: readonly string[] }
  /**
   * A workload with another program of an init container, or other variables: its Pods are replaced as for a new
   * template.
   */
  | { readonly type: 'restart'; readonly manifest: ManifestObject }
  /** A Pod or workload that no manifest has any more. Other objects stay, as with `kubectl apply`. */
  | { readonly type: 'end'; readonly manifest: ManifestObject };

/** Kinds whose work is not done again because of another program. */
const RUNS_ONCE: ReadonlySet<string> = new Set(['Job', 'CronJob']);
const RESTARTABLE: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

/** Names an object as kubectl does: `deployment.apps/web`. */
export function objectName({ object }: ManifestObject): string {
  return `${qualifiedKind(resourceTypeOf(object))}/${object.metadata.name}`;
}

/**
 * The changes between two states of the manifests: what Pods read, Pods and workloads in the order of the manifests,
 * and what goes.
 * @param concernedIn the containers of an object whose files have changed
 */
export function changesBetween(
  before: readonly ManifestObject[],
  after: readonly ManifestObject[],
  concernedIn: (manifest: ManifestObject) => ConcernedContainers,
): readonly FollowedChange[] {
  const known = new Map(before.map((manifest) => [keyOf(manifest), manifest]));
  const isSame = (manifest: ManifestObject): boolean =>
    JSON.stringify(known.get(keyOf(manifest))?.object) === JSON.stringify(manifest.object);
  const read = after.filter((manifest) => !isRun(manifest) && !isSame(manifest));
  const changed = new Set(read.filter((manifest) => known.has(keyOf(manifest))).map(keyOf));
  const runs = after.filter(isRun).flatMap((manifest): readonly FollowedChange[] => {
    const { hasInit, inPlace } = concernedIn(manifest);
    const mustStart = hasInit || keysOfVariables(manifest).some((key) => changed.has(key));
    const { kind } = manifest.object;
    const reload: readonly FollowedChange[] =
      inPlace.length > 0 ? [{ type: 'reload', manifest, containers: inPlace }] : [];
    if (kind === 'Pod') return isSame(manifest) && !mustStart ? reload : [{ type: 'replace', manifest }];
    const applied: readonly FollowedChange[] = isSame(manifest) ? [] : [{ type: 'apply', manifest }];
    const isNew = !known.has(keyOf(manifest));
    if (isNew || RUNS_ONCE.has(kind)) return applied;
    if (mustStart && RESTARTABLE.has(kind)) return [...applied, { type: 'restart', manifest }];
    return isSame(manifest) ? reload : applied;
  });
  const changes = [...read.map((manifest): FollowedChange => ({ type: 'apply', manifest })), ...runs];
  const left = new Set(after.map(keyOf));
  const gone = before.filter((manifest) => !left.has(keyOf(manifest)) && isRun(manifest));
  return [...changes, ...gone.map((manifest): FollowedChange => ({ type: 'end', manifest }))];
}

function isRun({ object: { kind } }: ManifestObject): boolean {
  return kind === 'Pod' || isWorkload({ kind });
}

/** The keys of the ConfigMaps and Secrets from which the containers of an object have variables. */
function keysOfVariables({ object }: ManifestObject): readonly string[] {
  const spec = podIn(object)?.pod.spec as PodSpec | undefined;
  const { namespace } = object.metadata;
  return spec === undefined
    ? []
    : neededForVariables(spec).map(({ kind, name }) =>
        keyOf({ object: { apiVersion: 'v1', kind, metadata: { namespace, name } } }),
      );
}

function keyOf({ object: { apiVersion, kind, metadata } }: Pick<ManifestObject, 'object'>): string {
  return [apiVersion, kind, metadata.namespace ?? '', metadata.name ?? ''].join('\n');
}

/** A path for people: from the current folder if it is below it. */
export function displayPath(place: string, cwd: string): string {
  const below = path.relative(cwd, place);
  return below.startsWith('..') ? place : below || '.';
}

/** The number of changed files that a line names. */
const MOST_NAMED = 3;

export function displayPaths(files: readonly string[], cwd: string): string {
  const named = files
    .slice(0, MOST_NAMED)
    .map((file) => displayPath(file, cwd))
    .join(', ');
  return files.length > MOST_NAMED ? `${named} and ${files.length - MOST_NAMED} more` : named;
}

/**
 * Lines about the files that `--watch` follows for each container, and a line about the containers of which it follows
 * none.
 * @param cwd the current folder, for their names
 */
export function followedLines(
  objects: readonly ManifestObject[],
  filesOf: (object: ManifestObject) => readonly ContainerFiles[],
  cwd: string,
): string[] {
  const all = objects.flatMap((object) => filesOf(object).map((files) => ({ object, files })));
  const subject = (object: ManifestObject, { container }: ContainerFiles): string =>
    `container ${container} of ${objectName(object)}`;
  const isFollowed = ({ programs, sources }: ContainerFiles): boolean => programs.length + sources.length > 0;
  const lines = all
    .filter(({ files }) => isFollowed(files))
    .map(({ object, files }) => `watching for ${subject(object, files)}: ${placesOf(files, cwd)}`);
  const rest = all
    .filter(({ files }) => !files.isInit && !isFollowed(files))
    .map(({ object, files }) => `${subject(object, files)} (${files.command || 'its image'})`);
  if (rest.length === 0) return lines;
  const why = 'names no file of this folder. To follow a folder: --watch-path FOLDER, or watch: in podrun.yaml';
  return [...lines, `not watching for ${rest.join(', ')}: ${rest.length === 1 ? 'it' : 'each of them'} ${why}`];
}

function placesOf({ programs, sources }: ContainerFiles, cwd: string): string {
  const folders = [...new Set(sources.map(({ path: place }) => place))].map((place) => {
    const { endings } = sources.find((each) => each.path === place) ?? {};
    return endings === undefined ? displayPath(place, cwd) : `${patternsOf(endings)} below ${displayPath(place, cwd)}`;
  });
  return [...programs.map((file) => displayPath(file, cwd)), ...folders].join(', ');
}

function patternsOf(endings: ReadonlySet<string>): string {
  const [first, ...rest] = [...endings].map((ending) => `*${ending}`);
  return rest.length === 0 ? String(first) : `${first}, ${rest[0]}, …`;
}
