import { matchesSelector, type StatefulSetStatus, type StoredPod } from '../../api/index.ts';
import { deleteAction, eventAction, statusActions } from '../base/actions.ts';
import { claimObjects, hasDeletionTimestamp } from '../base/ownership.ts';
import { isAvailable, nextAvailableMs } from '../base/pod-state.ts';
import type {
  ControllerAction,
  ActionFailure,
  PodsInput,
  Reconciliation,
  StoredClaim,
  StoredRevision,
  StoredStatefulSet,
} from '../base/reconcile.ts';
import { expiredHistory, inOrderOfRevision, templateOfRevision, updateRevisionOf } from '../base/revision-history.ts';
import { claimFailed, COMPONENT, podFailed } from '../texts/pods.ts';
import { planSet, type SetRevision, type SetView } from './plan-set.ts';
import { isRunningAndReady, ordinalOf, revisionOfPod } from './set-pods.ts';

const HASH_LABEL = 'controller.kubernetes.io/hash';

/** Beside Pods: the revisions and the claims of the namespace. */
export interface StatefulSetInput extends PodsInput {
  readonly revisions: readonly StoredRevision[];
  readonly claims: readonly StoredClaim[];
}

/** Source: pkg/controller/statefulset/stateful_set.go sync; stateful_set_control.go UpdateStatefulSet. */
export function reconcileStatefulSet(set: StoredStatefulSet, input: StatefulSetInput): Reconciliation {
  const { spec, status, metadata } = set;
  const isOurs = (labels: StoredPod['metadata']['labels']): boolean => matchesSelector(spec.selector, labels);
  const pods = claimObjects(set, input.pods, {
    matches: (pod) => isOurs(pod.metadata.labels) && ordinalOf(set, pod.metadata.name) !== undefined,
  });
  const revised = claimObjects(set, input.revisions, { matches: (revision) => isOurs(revision.metadata.labels) });
  const claimed = [...pods.actions, ...revised.actions];
  if (claimed.length > 0) return { actions: claimed };
  const { failure } = input;
  const revisions = inOrderOfRevision(revised.owned);
  const nowMs = input.now.wallMs;
  const shared = { set, pods: pods.owned, claims: input.claims, nowMs };
  if (hasDeletionTimestamp(set)) return { actions: statusActions(set, lastStatus(shared)) };
  const style = { hashLabel: HASH_LABEL, annotations: metadata.annotations, collisionCount: status?.collisionCount };
  const update = updateRevisionOf(set, spec.template, revisions, style);
  if (update.revision === undefined) return { actions: failure?.alreadyExists ? countCollision(set) : update.actions };
  const current = revisions.find(({ metadata: { name } }) => name === status?.currentRevision) ?? update.revision;
  const view = { ...shared, current: partsOf(set, current), update: partsOf(set, update.revision) };
  const plan =
    failure === undefined ? planSet(view) : { actions: failureEvents(set, failure), hasDeletedCurrent: false };
  const used = new Set([view.current.name, view.update.name, ...pods.owned.map(revisionOfPod)]);
  const isUsed = (revision: StoredRevision): boolean => used.has(revision.metadata.name);
  return {
    actions: [
      ...plan.actions,
      ...statusActions(set, statusOf(view, plan.hasDeletedCurrent)),
      ...expiredHistory(revisions, isUsed, spec.revisionHistoryLimit).map((revision) => deleteAction(revision)),
    ],
    lookAgainAtMs: nextAvailableMs(pods.owned, spec.minReadySeconds, nowMs),
  };
}

/** The status of a StatefulSet that is being deleted. Its revisions may be gone: their names are in the status. */
function lastStatus(shared: Pick<SetView, 'set' | 'pods' | 'claims' | 'nowMs'>): StatefulSetStatus {
  const { spec, status } = shared.set;
  const named = (name = ''): SetRevision => ({ name, template: spec.template });
  return statusOf({ ...shared, current: named(status?.currentRevision), update: named(status?.updateRevision) }, false);
}

function partsOf({ spec }: StoredStatefulSet, revision: StoredRevision): SetRevision {
  return { name: revision.metadata.name, template: templateOfRevision(revision) ?? spec.template };
}

/** A revision whose name is taken gets another hash. */
function countCollision(set: StoredStatefulSet): ControllerAction[] {
  const { status } = set;
  return statusActions(set, { ...status, collisionCount: (status?.collisionCount ?? 0) + 1 });
}

function failureEvents(set: StoredStatefulSet, { type, name, error }: ActionFailure): ControllerAction[] {
  const { metadata, spec } = set;
  const verb = type === 'create' ? 'Create' : 'Delete';
  const isClaim = (spec.volumeClaimTemplates ?? []).some((claim) => name.startsWith(`${claim.metadata?.name}-`));
  const isPod = ordinalOf(set, name) !== undefined;
  if (!isPod && !isClaim) return [];
  const event = isPod
    ? podFailed(verb, name, metadata.name, error)
    : claimFailed(name, name.slice(name.indexOf(metadata.name)), metadata.name, error);
  return [eventAction(set, COMPONENT.statefulSet, event)];
}

/**
 * The counts of the Pods as they were before this sync. When all are of the revision of the template and ready, that
 * revision is the current one. Source: stateful_set_control.go updateStatus; stateful_set_utils.go
 * completeRollingUpdate.
 */
function statusOf({ set, pods, current, update, nowMs }: SetView, hasDeletedCurrent: boolean): StatefulSetStatus {
  const { spec, status, metadata } = set;
  const ready = pods.filter(isRunningAndReady);
  const countOf = (revision: string): number =>
    pods.filter((pod) => !hasDeletionTimestamp(pod) && revisionOfPod(pod) === revision).length;
  const updated = countOf(update.name);
  const wanted = spec.replicas ?? 1;
  const isRolling = spec.updateStrategy?.type === 'RollingUpdate';
  const isDone = isRolling && [updated, ready.length, pods.length].every((count) => count === wanted);
  const currentCount = isDone ? updated : countOf(current.name) - Number(hasDeletedCurrent);
  return {
    ...status,
    observedGeneration: metadata.generation,
    replicas: pods.length,
    readyReplicas: ready.length || undefined,
    currentReplicas: currentCount || undefined,
    updatedReplicas: updated || undefined,
    currentRevision: isDone ? update.name : current.name,
    updateRevision: update.name,
    collisionCount: status?.collisionCount ?? 0,
    availableReplicas: ready.filter((pod) => isAvailable(pod, spec.minReadySeconds, nowMs)).length,
  };
}
