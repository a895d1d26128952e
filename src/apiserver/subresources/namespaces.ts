import { DEFAULT_NAMESPACE, type Namespace, type StoredKubeObject } from '../../api/index.ts';
import type { ApiHandler } from '../base/answer.ts';
import type { ServerContext } from '../base/context.ts';
import { objectOf } from '../requests/get.ts';
import { readObject } from '../base/read-object.ts';
import { changeStored } from '../writes/update.ts';
import { loneOf } from '../base/lone-store.ts';

/** The subresource `finalize` of a Namespace: `spec.finalizers` alone. */
export const finalizeAnswer: ApiHandler = async (request, context) => {
  const wanted = await readObject(request, context);
  objectOf(request, context);
  const { resourceVersion } = wanted.metadata;
  const object = await changeStored(request, context, (stored) => ({
    ...stored,
    metadata: { ...stored.metadata, ...(resourceVersion && { resourceVersion }) },
    spec: wanted['spec'],
  }));
  removeFinalized(object, context);
  return { object };
};

/**
 * Removes a namespace whose last finalizer a client has taken away, whatever it contains: without controllers, nothing
 * else does. Source: pkg/registry/core/namespace/storage/storage.go.
 */
function removeFinalized(namespace: StoredKubeObject, { store }: ServerContext): void {
  const { name, deletionTimestamp, finalizers = [] } = namespace.metadata;
  const own = (namespace as Namespace).spec?.finalizers ?? [];
  if (loneOf(store) === undefined || deletionTimestamp === undefined || own.length + finalizers.length > 0) return;
  store.delete('namespaces', DEFAULT_NAMESPACE, name);
}
