import { isWorkload, PodrunError, type StoredPod } from '../api/index.ts';
import type { ManifestObject } from '../manifest/index.ts';

export interface SeparatedObjects {
  readonly pods: readonly ManifestObject<StoredPod>[];
  /** Objects that podrun only stores, for Pods to refer to. */
  readonly records: readonly ManifestObject[];
  /** Objects that controllers look after. */
  readonly workloads: readonly ManifestObject[];
}

/**
 * Separates Pods and workloads from objects that are only stored.
 * @throws {PodrunError} for two Pods or workloads of one name
 */
export function separateObjects(objects: readonly ManifestObject[]): SeparatedObjects {
  const pods = objects.filter(({ object: { kind } }) => kind === 'Pod');
  const workloads = objects.filter(({ object }) => isWorkload(object));
  const names = [...pods, ...workloads].map(
    ({ object: { kind, metadata } }) => `${kind.toLowerCase()} "${metadata.namespace}/${metadata.name}"`,
  );
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) {
    throw new PodrunError('InvalidManifest', `${twice} appears twice`, {
      hint: 'Nothing was started. Each object of a kind needs its own name in its namespace.',
    });
  }
  return {
    pods: pods as readonly unknown[] as readonly ManifestObject<StoredPod>[],
    records: objects
      .filter(({ object }) => object.kind !== 'Pod' && !isWorkload(object))
      .toSorted((one, other) => rankOf(other) - rankOf(one)),
    workloads,
  };
}

/** Classes and volumes come first: the claims beside them are to find them. */
function rankOf({ object: { kind } }: ManifestObject): number {
  return ['PersistentVolume', 'StorageClass'].indexOf(kind);
}
