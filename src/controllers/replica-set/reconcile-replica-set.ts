import {
  formatTime,
  type LabelSelector,
  matchesSelector,
  type PodTemplateSpec,
  type ReplicaSetStatus,
  type StoredPod,
} from '../../api/index.ts';
import { PODS_PER_SYNC, createAction, deleteAction, eventAction, statusActions } from '../base/actions.ts';
import { generatedName, podPrefix } from '../base/names.ts';
import { claimObjects, hasDeletionTimestamp, isControlledBy } from '../base/ownership.ts';
import {
  isActive,
  isAvailable,
  isPodReady,
  isTerminating,
  nextAvailableMs,
  podFromTemplate,
} from '../base/pod-state.ts';
import type {
  ControllerAction,
  ActionFailure,
  Owned,
  PodsInput,
  Reconciliation,
  StoredReplicaSet,
  StoredReplicationController,
} from '../base/reconcile.ts';
import { inOrderOfDeletion } from '../base/scale-down.ts';
import { COMPONENT, createdPod, deletedPod, FAILED, failedCreate, failedDelete } from '../texts/pods.ts';

export const REPLICA_FAILURE = 'ReplicaFailure';

/** A ReplicaSet or a ReplicationController: all that one sync reads of it. */
interface ReplicaOwner {
  readonly object: Owned & { readonly status?: ReplicaSetStatus | undefined };
  readonly component: string;
  readonly replicas: number;
  readonly minReadySeconds: number;
  readonly selector: LabelSelector | undefined;
  readonly template: PodTemplateSpec | undefined;
  /** ReplicationControllers do not tell of Pods that terminate. */
  readonly countsTerminating: boolean;
}

/** One sync of a ReplicaSet. Source: pkg/controller/replicaset/replica_set.go syncReplicaSet. */
export function reconcileReplicaSet(replicaSet: StoredReplicaSet, input: PodsInput): Reconciliation {
  const { replicas = 1, minReadySeconds = 0, selector, template } = replicaSet.spec;
  const shared = { replicas, minReadySeconds, selector, template, countsTerminating: true };
  return reconcileReplicas({ object: replicaSet, component: COMPONENT.replicaSet, ...shared }, input);
}

/** One sync of a ReplicationController, done as for a ReplicaSet. Source: pkg/controller/replication/conversion.go. */
export function reconcileReplicationController(
  controller: StoredReplicationController,
  input: PodsInput,
): Reconciliation {
  const { replicas = 1, minReadySeconds = 0, selector: matchLabels, template } = controller.spec;
  const selector = matchLabels === undefined ? undefined : { matchLabels };
  const shared = { replicas, minReadySeconds, selector, template, countsTerminating: false };
  return reconcileReplicas({ object: controller, component: COMPONENT.replicationController, ...shared }, input);
}

/**
 * Makes or deletes Pods until as many are active as wanted. The status counts the Pods that existed before: new Pods
 * are counted in the next sync.
 */
function reconcileReplicas(owner: ReplicaOwner, input: PodsInput): Reconciliation {
  const { object, replicas, selector } = owner;
  const matches = ({ metadata }: StoredPod): boolean => matchesSelector(selector, metadata.labels);
  // Ended Pods are neither adopted nor released.
  const claim = claimObjects(object, input.pods.filter(isActive), { matches });
  if (claim.actions.length > 0) return { actions: claim.actions };
  const active = claim.owned;
  const terminating = input.pods.filter((pod) => isTerminating(pod) && isControlledBy(pod, object) && matches(pod));
  const { failure, now } = input;
  const status = statusOf(owner, { active, terminating }, now.wallMs, failure);
  if (failure !== undefined) return { actions: [failureEvent(owner, failure), ...statusActions(object, status)] };
  const missing = hasDeletionTimestamp(object) ? 0 : replicas - active.length;
  return {
    actions: [
      ...creations(owner, Math.min(missing, PODS_PER_SYNC), input),
      ...deletions(owner, active, Math.min(-missing, PODS_PER_SYNC), input),
      ...statusActions(object, status),
    ],
    lookAgainAtMs: nextAvailableMs(active, owner.minReadySeconds, now.wallMs),
  };
}

function creations({ object, template, component }: ReplicaOwner, count: number, input: PodsInput): ControllerAction[] {
  const prefix = podPrefix(object.metadata.name);
  return Array.from({ length: Math.max(0, count) }).flatMap(() => {
    const name = generatedName(prefix, input.suffix());
    const pod = podFromTemplate(object, template, { name, generateName: prefix });
    return [createAction(pod), eventAction(object, component, createdPod(name))];
  });
}

function deletions(
  { object, component }: ReplicaOwner,
  active: readonly StoredPod[],
  count: number,
  { relatedPods = () => active }: PodsInput,
): ControllerAction[] {
  if (count <= 0) return [];
  return inOrderOfDeletion(active, relatedPods())
    .slice(0, count)
    .flatMap((pod) => [deleteAction(pod), eventAction(object, component, deletedPod(pod.metadata.name))]);
}

function failureEvent({ object, component }: ReplicaOwner, { type, error }: ActionFailure): ControllerAction {
  return eventAction(object, component, type === 'create' ? failedCreate(error) : failedDelete(error));
}

/** Source: pkg/controller/replicaset/replica_set_utils.go calculateStatus. */
function statusOf(
  owner: ReplicaOwner,
  { active, terminating }: { readonly active: readonly StoredPod[]; readonly terminating: readonly StoredPod[] },
  nowMs: number,
  failure: ActionFailure | undefined,
): ReplicaSetStatus {
  const { object, template, minReadySeconds, countsTerminating } = owner;
  const labels = { matchLabels: template?.metadata?.labels ?? {} };
  const count = (isCounted: (pod: StoredPod) => boolean): number | undefined =>
    active.filter(isCounted).length || undefined;
  return {
    ...object.status,
    replicas: active.length,
    fullyLabeledReplicas: count(({ metadata }) => matchesSelector(labels, metadata.labels)),
    readyReplicas: count(isPodReady),
    availableReplicas: count((pod) => isAvailable(pod, minReadySeconds, nowMs)),
    ...(countsTerminating ? { terminatingReplicas: terminating.length } : {}),
    observedGeneration: object.metadata.generation,
    conditions: conditionsOf(object.status, failure, nowMs),
  };
}

/** The condition ReplicaFailure begins with the first failure and goes with the next success. */
function conditionsOf(
  status: ReplicaSetStatus | undefined,
  failure: ActionFailure | undefined,
  nowMs: number,
): ReplicaSetStatus['conditions'] {
  const conditions = status?.conditions ?? [];
  const others = conditions.filter(({ type }) => type !== REPLICA_FAILURE);
  if (failure === undefined) return others.length === 0 ? undefined : others;
  if (others.length < conditions.length) return conditions;
  const { type, error: message } = failure;
  const lastTransitionTime = formatTime(nowMs);
  return [...others, { type: REPLICA_FAILURE, status: 'True', lastTransitionTime, reason: FAILED[type], message }];
}
