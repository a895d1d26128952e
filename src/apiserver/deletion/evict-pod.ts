import { deletePod, type PodDeletion } from './delete-pod.ts';
import type { KubeObject, PodDisruptionBudget, StoredKubeObject, StoredPod } from '../../api/index.ts';
import { DISRUPTION_TARGET, EVICTED_BY_API, setConditions } from '../../lifecycle/index.ts';
import { EventRecorder } from '../base/event-recorder.ts';
import { budgetEvents, evictionProblem, type EvictionProblem, withBudgetStatus } from '../../manifest/index.ts';
import type { ObjectReader, Store } from '../../store/index.ts';
import { loneOf } from '../base/lone-store.ts';
/** The resources that PodDisruptionBudgets count: Pods, and the replicas of their controllers. */
export const BUDGET_SOURCES: readonly string[] = [
  'pods',
  'deployments',
  'replicasets',
  'statefulsets',
  'replicationcontrollers',
];

/**
 * Evicts a Pod as the API does: asks its PodDisruptionBudget, sets the condition DisruptionTarget, and deletes the Pod.
 * Returns the reason why the budget does not permit it now.
 * @throws {PodrunError} when the store cannot be written to
 */
export async function evictPod(
  { store, clock, author }: Pick<PodDeletion, 'store' | 'clock' | 'author'>,
  pod: StoredPod,
  graceSeconds: number | undefined,
): Promise<EvictionProblem | undefined> {
  const { namespace, name } = pod.metadata;
  const objects = objectsOfBudgets(store, namespace);
  const budgets = store
    .list<PodDisruptionBudget & KubeObject>('poddisruptionbudgets', { namespace })
    .map((budget) => withBudgetStatus(budget, objects));
  const problem = evictionProblem(pod, budgets);
  if (problem !== undefined) return problem;
  const edit = { type: DISRUPTION_TARGET, status: 'True', ...EVICTED_BY_API } as const;
  store.change<StoredPod>('pods', pod.metadata, 'status', (stored) => {
    return { ...stored, status: setConditions(stored.status, [edit], clock.now().wallMs) };
  });
  await deletePod({ store, clock, namespace, name, graceSeconds, author });
  return undefined;
}

/** The objects that a PodDisruptionBudget counts. */
export function objectsOfBudgets(store: ObjectReader, namespace: string): KubeObject[] {
  return BUDGET_SOURCES.flatMap((resource) => store.list(resource, { namespace }));
}

/** Records what the controller of a new or changed PodDisruptionBudget tells. Other objects have no such events. */
export function recordBudgetEvents(store: Store, object: StoredKubeObject): void {
  if (object.kind !== 'PodDisruptionBudget' || loneOf(store) !== undefined) return;
  const drafts = budgetEvents(object, objectsOfBudgets(store, object.metadata.namespace));
  const recorder = new EventRecorder({
    store,
    clock: store.clock,
    controller: 'controllermanager',
    onEvent: () => undefined,
  });
  recorder.record(object, drafts);
}
