import { deleteObject, deletePod, waitForObject } from '../../apiserver/index.ts';
import { resourceTypeOf, type StoredKubeObject, type StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { Root } from '../../lifecycle/index.ts';
import type { FileStore } from '../../store/index.ts';

interface DeletionContext {
  readonly store: FileStore;
  readonly clock: Clock;
  /** The grace period in seconds. Undefined: that of each Pod. */
  readonly graceSeconds: number | undefined;
}

/** Deletes a Pod, or a workload after its Pods. Resolves when the object is gone. */
export async function deleteRoot(context: DeletionContext, { object, pods, isGone }: Root): Promise<void> {
  if (isGone) return;
  const { store, clock, graceSeconds } = context;
  const { metadata } = object;
  const type = resourceTypeOf(object);
  if (object.kind === 'Pod') await deletePod({ ...context, ...metadata });
  else {
    const request = { store, clock, graceSeconds: undefined, propagation: 'Foreground' } as const;
    await deleteObject(request, { type, namespace: metadata.namespace, name: metadata.name });
    // Controllers delete Pods with their own grace periods.
    const hurried: readonly StoredPod[] = graceSeconds === undefined ? [] : pods;
    await Promise.all(hurried.map((pod) => deletePod({ ...context, ...pod.metadata })));
  }
  const isMet = (stored: StoredKubeObject | undefined): boolean => stored?.metadata.uid !== metadata.uid;
  const { namespace, name } = metadata;
  await waitForObject({ store, clock, of: { type, namespace, name }, isMet });
}
