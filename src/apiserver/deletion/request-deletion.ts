import { hasFinalizers, type StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { finalizersAfterDelete, type PropagationPolicy } from '../../controllers/index.ts';
import { planDeletion } from '../../lifecycle/index.ts';
import type { Store } from '../../store/index.ts';

interface DeletionOfPod {
  readonly propagation: PropagationPolicy;
  /** True when an agent runs the Pod and ends it. */
  readonly isOwned: boolean;
  /** In seconds; 0: by force. Default: the Pod's own. */
  readonly graceSeconds?: number | undefined;
}

/**
 * Asks for the deletion of a Pod in one step: its agent ends it. Removes a Pod that has ended. A Pod without an agent
 * is only marked.
 * @throws {PodrunError} (Conflict) when the Pod has changed since it was read
 */
export function requestDeletion(
  store: Store,
  clock: Clock,
  pod: StoredPod,
  { propagation, isOwned, graceSeconds }: DeletionOfPod,
): void {
  const plan = planDeletion(pod, { graceSeconds, isOwned, nowMs: clock.now().wallMs });
  if (plan.type === 'pending') return;
  const finalizers = finalizersAfterDelete(pod, propagation);
  const { finalizers: _before, ...metadata } = plan.pod.metadata;
  const marked = { ...plan.pod, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } };
  store.update('pods', marked);
  // The agent may have removed a Pod that had nothing to end.
  if (plan.type === 'remove' && isOwned && !hasFinalizers(marked)) {
    store.delete('pods', metadata.namespace, metadata.name);
  }
}
