import {
  DEFAULT_NAMESPACE,
  formatTime,
  fromServer,
  goQuote,
  type Namespace,
  namespacedResources,
  type PodrunError,
  resourceTypeOf,
  storageOf,
  type StoredKubeObject,
} from '../../api/index.ts';

import type { DeletionOutcome } from './delete-pod.ts';
import type { Clock } from '../../clock.ts';
import { readNode } from '../../settings/index.ts';
import type { ObjectReader, Store } from '../../store/index.ts';
import type { ObjectRef } from '../base/object-ref.ts';
import { loneOf, type LoneServer } from '../base/lone-store.ts';

export function isNamespace({ type }: ObjectRef): boolean {
  return storageOf(type) === 'namespaces';
}

/** The error about the deletion of the namespace `default` or of this node. Undefined: the object may be deleted. */
export function keptProblem(ref: ObjectRef): PodrunError | undefined {
  const { type, name } = ref;
  if (isThisNode(storageOf(type), name)) {
    return fromServer('Forbidden', `nodes ${goQuote(name)} is forbidden: ${KEPT_NODE}`);
  }
  if (!isNamespace(ref) || name !== DEFAULT_NAMESPACE) return undefined;
  return fromServer('Forbidden', `namespaces ${goQuote(name)} is forbidden: this namespace may not be deleted`);
}

/** podrun's own: an agent would register the node again, as a kubelet does. */
export const KEPT_NODE = 'this machine is the only node and may not be deleted; podrun drain ends its Pods';

/** True for the node that this machine is. An API server without a kubelet has none. */
export function isThisNode(plural: string, name: string, lone?: LoneServer): boolean {
  return lone === undefined && plural === 'nodes' && name === readNode({ storageDir: '/' }).name;
}

/** True for a namespace with objects of kinds that only the caller knows. */
export type HasMore = (namespace: string) => boolean;

/** The finalizer of namespaces themselves: their contents go first. */
const OWN_FINALIZER = 'kubernetes';

/**
 * Deletes a namespace: it is Terminating until all that is in it is gone.
 * Source: pkg/controller/namespace/deletion/namespaced_resources_deleter.go.
 * @throws {PodrunError} when the store cannot be written to
 */
export function deleteNamespace(
  store: Store,
  clock: Clock,
  namespace: StoredKubeObject,
  hasMore?: HasMore,
): DeletionOutcome {
  const { metadata } = namespace;
  const key = { namespace: DEFAULT_NAMESPACE, name: metadata.name };
  if (metadata.deletionTimestamp === undefined) {
    const deletionTimestamp = formatTime(clock.now().wallMs);
    store.change<StoredKubeObject>('namespaces', key, 'object', (stored) => {
      return { ...stored, metadata: { ...stored.metadata, deletionTimestamp } };
    });
    store.change('namespaces', key, 'status', (stored) => ({ ...stored, status: { phase: 'Terminating' } }));
  }
  return removeIfEmpty(store, namespace, hasMore) ? 'removed' : 'ending';
}

/** Removes the namespaces that are Terminating and have neither contents nor finalizers any more. */
export function removeEmptyNamespaces(store: Store, hasMore?: HasMore): void {
  for (const namespace of store.list<StoredKubeObject>('namespaces'))
    if (namespace.metadata.deletionTimestamp !== undefined) removeIfEmpty(store, namespace, hasMore);
}

/** Removes the events of an empty namespace, then the namespace: events arrive until the last Pod has gone. */
function removeIfEmpty(store: Store, namespace: StoredKubeObject, hasMore: HasMore = () => false): boolean {
  const { name, finalizers = [] } = namespace.metadata;
  const own = (namespace as Namespace).spec?.finalizers ?? [];
  // Without controllers, a client takes the finalizer away, and the contents stay.
  if (loneOf(store) !== undefined && own.length > 0) return false;
  if (finalizers.length > 0 || own.some((each) => each !== OWN_FINALIZER)) return false;
  if (loneOf(store) === undefined && (hasMore(name) || contentsOf(store, name).length > 0)) return false;
  for (const { metadata } of store.list<StoredKubeObject>('events', { namespace: name }))
    store.delete('events', name, metadata.name);
  store.delete('namespaces', DEFAULT_NAMESPACE, name);
  return true;
}

/** The objects of a namespace, which go with it. */
export function contentsOf(store: ObjectReader, namespace: string): ObjectRef[] {
  const objects = namespacedResources().flatMap((resource) => store.list<StoredKubeObject>(resource, { namespace }));
  return objects.map((object) => ({ type: resourceTypeOf(object), namespace, name: object.metadata.name }));
}
