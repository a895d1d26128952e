import { isWorkload, type PodSpec, qualifiedKind, resourceTypeOf } from '../../api/index.ts';
import { type ManifestObject, neededForVariables, podIn } from '../../manifest/index.ts';

/** A change of the manifests or of a program, and what it takes to follow it. */
export type FollowedChange =
  /** An object that is new or other than before: stored as `apply` does; controllers and volumes follow. */
  | { readonly type: 'apply'; readonly manifest: ManifestObject }
  /** A Pod whose manifest, program or variables are other ones. Nothing of a running Pod can be exchanged. */
  | { readonly type: 'replace'; readonly manifest: ManifestObject }
  /** A workload whose program or variables are other ones: its Pods are replaced as for a new template. */
  | { readonly type: 'restart'; readonly manifest: ManifestObject }
  /** A Pod or workload that no manifest has any more. Other objects stay, as with `kubectl apply`. */
  | { readonly type: 'end'; readonly manifest: ManifestObject };

const RESTARTABLE: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

/** Names an object as kubectl does: `deployment.apps/web`. */
export function objectName({ object }: ManifestObject): string {
  return `${qualifiedKind(resourceTypeOf(object))}/${object.metadata.name}`;
}

/**
 * The changes between two states of the manifests: what Pods read, Pods and workloads in the order of the manifests,
 * and what goes.
 * @param hasNewProgram true when a program file of the object has changed
 */
export function changesBetween(
  before: readonly ManifestObject[],
  after: readonly ManifestObject[],
  hasNewProgram: (manifest: ManifestObject) => boolean,
): readonly FollowedChange[] {
  const known = new Map(before.map((manifest) => [keyOf(manifest), manifest]));
  const isSame = (manifest: ManifestObject): boolean =>
    JSON.stringify(known.get(keyOf(manifest))?.object) === JSON.stringify(manifest.object);
  const read = after.filter((manifest) => !isRun(manifest) && !isSame(manifest));
  const changed = new Set(read.filter((manifest) => known.has(keyOf(manifest))).map(keyOf));
  const runs = after.filter(isRun).flatMap((manifest): readonly FollowedChange[] => {
    const mustStart = hasNewProgram(manifest) || keysOfVariables(manifest).some((key) => changed.has(key));
    const { kind } = manifest.object;
    if (kind === 'Pod') return isSame(manifest) && !mustStart ? [] : [{ type: 'replace', manifest }];
    const applied: readonly FollowedChange[] = isSame(manifest) ? [] : [{ type: 'apply', manifest }];
    if (!known.has(keyOf(manifest)) || !RESTARTABLE.has(kind) || !mustStart) return applied;
    return [...applied, { type: 'restart', manifest }];
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
