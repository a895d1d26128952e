import {
  type LabelSelector,
  matchesSelector,
  PodrunError,
  type StoredKubeObject,
  type StoredPod,
} from '../../api/index.ts';

/** Kinds whose selector is a map of labels. */
const WITH_LABELS: ReadonlySet<string> = new Set(['ReplicationController', 'Service']);

const WITH_SELECTOR: ReadonlySet<string> = new Set(['DaemonSet', 'Deployment', 'Job', 'ReplicaSet', 'StatefulSet']);

/**
 * Tells which Pods an object selects. Source: kubectl/pkg/polymorphichelpers/helpers.go SelectorsForObject.
 * @param doing the beginning of kubectl's error: `attach to`
 * @throws {PodrunError} in kubectl's words, for an object without a selector
 */
export function podsSelectedBy(object: StoredKubeObject, doing: string): (pod: StoredPod) => boolean {
  const { kind, metadata } = object;
  const { selector } = (object['spec'] ?? {}) as { readonly selector?: LabelSelector['matchLabels'] };
  if (kind === 'Service' && Object.keys(selector ?? {}).length === 0) {
    throw new PodrunError('BadRequest', `invalid service '${metadata.name}': Service is defined without a selector`);
  }
  if (!WITH_LABELS.has(kind) && !WITH_SELECTOR.has(kind)) {
    const type = `*v1.${kind}`;
    throw new PodrunError('BadRequest', `cannot ${doing} ${type}: selector for ${type} not implemented`);
  }
  const labels: LabelSelector | undefined = WITH_LABELS.has(kind) ? { matchLabels: selector } : selector;
  return (pod) => pod.metadata.namespace === metadata.namespace && matchesSelector(labels, pod.metadata.labels);
}
