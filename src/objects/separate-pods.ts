import { PodrunError } from '../api/errors.ts';
import type { StoredPod } from '../api/objects.ts';
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
}

/**
 * Separates Pods from objects that are only stored.
 * @throws {PodrunError} (usage) for kinds that podrun cannot run yet, and for two Pods of one name
 */
export function separatePods(objects: readonly ManifestObject[]): SeparatedObjects {
  const others = objects.filter(({ object: { kind } }) => kind !== 'Pod' && !RECORDS.has(kind));
  if (others.length > 0) {
    const names = others.map(({ object: { kind, metadata } }) => `${kind} "${metadata.name}"`).join(', ');
    throw new PodrunError('Unsupported', `podrun cannot run ${names} yet: it runs Pods`, {
      hint: 'Nothing was started. podrun apply --dry-run checks manifests of every kind.',
    });
  }
  const pods = objects.filter(({ object: { kind } }) => kind === 'Pod');
  const names = pods.map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) {
    throw new PodrunError('InvalidManifest', `pod "${twice}" appears twice`, {
      hint: 'Nothing was started. Each Pod of a namespace needs its own name.',
    });
  }
  return {
    pods: pods as readonly unknown[] as readonly ManifestObject<StoredPod>[],
    records: objects.filter(({ object: { kind } }) => RECORDS.has(kind)),
  };
}
