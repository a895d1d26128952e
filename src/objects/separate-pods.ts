import { PodrunError } from '../api/errors.ts';
import type { StoredPod } from '../api/objects.ts';
import { isWorkload } from '../api/workloads/stored-workloads.ts';
import type { ManifestObject } from '../manifest/manifest-object.ts';

/** Kinds that podrun only stores, for Pods to refer to. */
const RECORDS: ReadonlySet<string> = new Set([
  'ConfigMap',
  'Secret',
  'Service',
  'Namespace',
  'ServiceAccount',
  'PersistentVolumeClaim',
  'PodTemplate',
  'ControllerRevision',
  'PodDisruptionBudget',
  'PriorityClass',
  'LimitRange',
  'ResourceQuota',
]);

export interface SeparatedObjects {
  readonly pods: readonly ManifestObject<StoredPod>[];
  readonly records: readonly ManifestObject[];
  /** Objects that controllers look after. */
  readonly workloads: readonly ManifestObject[];
}

/**
 * Separates Pods and workloads from objects that are only stored.
 * @throws {PodrunError} (usage) for kinds that podrun cannot run yet, and for two Pods or workloads of one name
 */
export function separatePods(objects: readonly ManifestObject[]): SeparatedObjects {
  const others = objects.filter(
    ({ object }) => object.kind !== 'Pod' && !isWorkload(object) && !RECORDS.has(object.kind),
  );
  if (others.length > 0) {
    const names = others.map(({ object: { kind, metadata } }) => `${kind} "${metadata.name}"`).join(', ');
    throw new PodrunError('Unsupported', `podrun cannot run ${names} yet`, {
      hint: 'Nothing was started. podrun apply --dry-run checks manifests of every kind.',
    });
  }
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
    records: objects.filter(({ object: { kind } }) => RECORDS.has(kind)),
    workloads,
  };
}
