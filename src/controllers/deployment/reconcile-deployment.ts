import { controllerOf, isTerminalPhase, matchesSelector, type StoredPod } from '../../api/index.ts';
import { createAction, deleteAction, eventAction, patchAction, refOf, statusActions } from '../base/actions.ts';
import { claimObjects, hasDeletionTimestamp, isControlledBy } from '../base/ownership.ts';
import type {
  ControllerAction,
  ActionFailure,
  ControllerEvent,
  PodsInput,
  Reconciliation,
  StoredDeployment,
  StoredReplicaSet,
} from '../base/reconcile.ts';
import {
  type ConditionText,
  createdReplicaSet,
  failedReplicaSet,
  foundReplicaSet,
  PAUSED,
  PROGRESS,
  replicaSetCreateError,
  RESUMED,
  scaledReplicaSet,
  selectingAll,
} from '../texts/deployment.ts';
import { COMPONENT } from '../texts/pods.ts';
import {
  countedStatus,
  hasProgressDeadline,
  isComplete,
  progressDeadlineMs,
  progressOf,
  rolloutStatus,
  withDeploymentCondition,
} from './deployment-status.ts';
import {
  desiredReplicasOf,
  expiredRevisions,
  maxReplicasOf,
  missingAnnotations,
  newReplicaSet,
  REVISION,
  type Revisions,
  revisionsOf,
  sizeAnnotations,
} from './revisions.ts';
import {
  availableOf,
  newReplicas,
  proportionalSizes,
  shrunkSizes,
  type Size,
  wantedReplicas,
} from './rollout-arithmetic.ts';

/** ReplicaSets of the namespace, beside its Pods: Recreate waits for the end of old Pods. */
export interface DeploymentInput extends PodsInput {
  readonly replicaSets: readonly StoredReplicaSet[];
}

/**
 * One step of a Deployment: what was paused or rolled back, then scaling, then its strategy.
 * Source: pkg/controller/deployment/deployment_controller.go syncDeployment.
 */
export function reconcileDeployment(deployment: StoredDeployment, input: DeploymentInput): Reconciliation {
  const { spec, status = {} } = deployment;
  const nowMs = input.now.wallMs;
  if (Object.keys(spec.selector ?? {}).length === 0) return selectsAll(deployment);
  const matches = (replicaSet: StoredReplicaSet): boolean => matchesSelector(spec.selector, replicaSet.metadata.labels);
  const claim = claimObjects(deployment, input.replicaSets, { matches });
  if (claim.actions.length > 0) return { actions: claim.actions };
  const revisions = revisionsOf(deployment, claim.owned);
  if (hasDeletionTimestamp(deployment)) {
    return { actions: statusActions(deployment, countedStatus(deployment, revisions, nowMs)) };
  }
  if (input.failure !== undefined) return { actions: afterFailure(deployment, input.failure, nowMs) };
  const pause = pauseCondition(deployment);
  if (pause !== undefined) {
    const conditions = withDeploymentCondition(status.conditions, 'Progressing', pause, nowMs);
    return { actions: statusActions(deployment, { ...status, conditions }) };
  }
  const revised = syncRevision(deployment, revisions, nowMs);
  if (revised.length > 0) return { actions: revised };
  const isScaled = isScalingEvent(deployment, revisions);
  if (spec.paused === true || isScaled) {
    const cleaned = spec.paused === true ? cleanUp(deployment, revisions) : [];
    const counted = statusActions(deployment, countedStatus(deployment, revisions, nowMs));
    return { actions: [...scaleOnly(deployment, revisions), ...cleaned, ...counted] };
  }
  const isRecreate = spec.strategy?.type === 'Recreate';
  const rollout = isRecreate ? recreate(deployment, revisions, input.pods) : roll(deployment, revisions);
  if (rollout === 'create') return { actions: createCurrent(deployment, revisions, nowMs) };
  const cleaned = rollout.length === 0 && isComplete(deployment, status) ? cleanUp(deployment, revisions) : [];
  const written = statusActions(deployment, rolloutStatus(deployment, revisions, nowMs));
  return { actions: [...rollout, ...cleaned, ...written], lookAgainAtMs: progressDeadlineMs(deployment) };
}

const tell = (deployment: StoredDeployment, event: ControllerEvent): ControllerAction =>
  eventAction(deployment, COMPONENT.deployment, event);

/** A Deployment that selects everything is left alone, but it has been seen. */
function selectsAll(deployment: StoredDeployment): Reconciliation {
  const { status, metadata } = deployment;
  if ((status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)) return { actions: [] };
  const seen = { ...status, observedGeneration: metadata.generation };
  return { actions: [tell(deployment, selectingAll()), ...statusActions(deployment, seen)] };
}

/** A name that another ReplicaSet has goes into the next hash. Source: sync.go getNewReplicaSet. */
function afterFailure(deployment: StoredDeployment, failure: ActionFailure, nowMs: number): ControllerAction[] {
  const { status = {} } = deployment;
  if (failure.type !== 'create') return [];
  if (failure.alreadyExists === true) {
    return statusActions(deployment, { ...status, collisionCount: (status.collisionCount ?? 0) + 1 });
  }
  const text = failedReplicaSet(failure.name, failure.error);
  const conditions = withDeploymentCondition(status.conditions, 'Progressing', text, nowMs);
  const written = hasProgressDeadline(deployment) ? statusActions(deployment, { ...status, conditions }) : [];
  return [...written, tell(deployment, replicaSetCreateError(text))];
}

/**
 * The condition of a Deployment that was paused or resumed. One that has timed out stays. Source:
 * checkPausedConditions.
 */
function pauseCondition(deployment: StoredDeployment): ConditionText | undefined {
  const reason = progressOf(deployment.status)?.reason;
  if (!hasProgressDeadline(deployment) || reason === PROGRESS.timedOut) return undefined;
  const isPaused = deployment.spec.paused === true;
  if (isPaused === (reason === PROGRESS.paused)) return undefined;
  return isPaused ? PAUSED : RESUMED;
}

/** Source: sync.go getNewReplicaSet, the part for a ReplicaSet that exists. */
function syncRevision(deployment: StoredDeployment, { current, olds }: Revisions, nowMs: number): ControllerAction[] {
  if (current === undefined) return [];
  const annotations = missingAnnotations(deployment, { current, olds });
  const { minReadySeconds = 0 } = deployment.spec;
  const isSameMinReady = minReadySeconds === (current.spec.minReadySeconds ?? 0);
  if (Object.keys(annotations).length > 0 || !isSameMinReady) {
    const spec = isSameMinReady ? {} : { spec: { minReadySeconds: minReadySeconds || null } };
    return [patchAction(current, { metadata: { annotations }, ...spec })];
  }
  const isNoted = progressOf(deployment.status) !== undefined || !hasProgressDeadline(deployment);
  const condition = isNoted ? undefined : foundReplicaSet(current.metadata.name);
  return noteRevision(deployment, current.metadata.annotations?.[REVISION], condition, nowMs);
}

/** The Deployment's own revision, and a condition beside it, in one write. */
function noteRevision(
  deployment: StoredDeployment,
  revision: string | undefined,
  condition: ConditionText | undefined,
  nowMs: number,
): ControllerAction[] {
  const { status = {}, metadata } = deployment;
  const conditions = condition && withDeploymentCondition(status.conditions, 'Progressing', condition, nowMs);
  const [written] = conditions === undefined ? [] : statusActions(deployment, { ...status, conditions });
  const isSame = revision === undefined || metadata.annotations?.[REVISION] === revision;
  if (isSame) return written === undefined ? [] : [written];
  const patch = { metadata: { annotations: { [REVISION]: revision } } };
  return [{ type: 'update', on: refOf(deployment), patch, ...(written?.status && { status: written.status }) }];
}

/** Makes the ReplicaSet of a new template. After a resume the condition keeps saying so until there is progress. */
function createCurrent(deployment: StoredDeployment, { olds }: Revisions, nowMs: number): ControllerAction[] {
  const replicas = newReplicas(deployment, wantedReplicas(olds), 0);
  const created = newReplicaSet(deployment, olds, replicas);
  const { name, annotations } = created.metadata;
  const isResumed = progressOf(deployment.status)?.reason === PROGRESS.resumed;
  const condition = isResumed || !hasProgressDeadline(deployment) ? undefined : createdReplicaSet(name);
  return [
    createAction(created),
    ...(replicas > 0 ? [tell(deployment, scaledReplicaSet(name, 0, replicas))] : []),
    ...noteRevision(deployment, annotations[REVISION], condition, nowMs),
  ];
}

const withReplicas = (replicaSets: readonly StoredReplicaSet[]): StoredReplicaSet[] =>
  replicaSets.filter(({ spec }) => (spec.replicas ?? 0) > 0);

/** True when the Deployment's size has changed since its ReplicaSets were last scaled. Source: isScalingEvent. */
function isScalingEvent({ spec }: StoredDeployment, { current, olds }: Revisions): boolean {
  const all = withReplicas(current === undefined ? olds : [...olds, current]);
  return all.some((replicaSet) => {
    const desired = desiredReplicasOf(replicaSet);
    return desired !== undefined && desired !== (spec.replicas ?? 1);
  });
}

/** Scales without rolling out. Source: sync.go scale. */
function scaleOnly(deployment: StoredDeployment, { current, olds }: Revisions): ControllerAction[] {
  const { replicas = 1, strategy } = deployment.spec;
  const all = current === undefined ? [...olds] : [...olds, current];
  const active = withReplicas(all);
  const only = active.length > 1 ? undefined : (active[0] ?? current ?? olds.at(-1));
  if (only !== undefined) return scale(deployment, [{ replicaSet: only, replicas }]);
  if (current !== undefined && isSaturated(deployment, current)) {
    return scale(
      deployment,
      withReplicas(olds).map((replicaSet) => ({ replicaSet, replicas: 0 })),
    );
  }
  if (strategy?.type !== 'RollingUpdate') return [];
  return scale(deployment, proportionalSizes(deployment, active, maxReplicasOf));
}

/** Source: util/deployment_util.go IsSaturated. */
function isSaturated({ spec }: StoredDeployment, current: StoredReplicaSet): boolean {
  const { replicas = 1 } = spec;
  return [current.spec.replicas, desiredReplicasOf(current), availableOf(current)].every((count) => count === replicas);
}

/** Scales ReplicaSets, and has them remember the size of the Deployment. Source: sync.go scaleReplicaSet. */
function scale(deployment: StoredDeployment, sizes: readonly Size[]): ControllerAction[] {
  const annotations = sizeAnnotations(deployment);
  return sizes.flatMap(({ replicaSet, replicas }) => {
    const { metadata, spec } = replicaSet;
    const from = spec.replicas ?? 0;
    const isNoted = Object.entries(annotations).every(([key, value]) => metadata.annotations?.[key] === value);
    if (from === replicas && isNoted) return [];
    const patch = patchAction(replicaSet, {
      metadata: { annotations },
      ...(from === replicas ? {} : { spec: { replicas } }),
    });
    return from === replicas ? [patch] : [patch, tell(deployment, scaledReplicaSet(metadata.name, from, replicas))];
  });
}

/**
 * Scales what is left of older templates to 0, before the first Pod of a run: a Deployment without a running Pod starts
 * with its own template only, and there is nothing to roll from. podrun's own: a cluster never runs all of it anew.
 * @param replicaSets all of the namespace
 */
export function retireOldRevisions(
  deployment: StoredDeployment,
  replicaSets: readonly StoredReplicaSet[],
): ControllerAction[] {
  // A paused Deployment keeps the Pods that it has had.
  if (deployment.spec.paused === true) return [];
  const { olds } = revisionsOf(
    deployment,
    replicaSets.filter((replicaSet) => isControlledBy(replicaSet, deployment)),
  );
  return scale(
    deployment,
    withReplicas(olds).map((replicaSet) => ({ replicaSet, replicas: 0 })),
  );
}

/** One step of a rolling update: grow the new ReplicaSet, else shrink old ones. Source: rolling.go rolloutRolling. */
function roll(deployment: StoredDeployment, { current, olds }: Revisions): ControllerAction[] | 'create' {
  // A cluster does not wait here. Without this, a loop that dies in between could leave more Pods than allowed.
  if (olds.some(isShrinking)) return [];
  if (current === undefined) return 'create';
  const { replicas = 1 } = deployment.spec;
  const size = current.spec.replicas ?? 0;
  const wanted = size > replicas ? replicas : newReplicas(deployment, wantedReplicas([...olds, current]), size);
  if (wanted !== size) return scale(deployment, [{ replicaSet: current, replicas: wanted }]);
  const active = withReplicas(olds);
  return active.length === 0 ? [] : scale(deployment, shrunkSizes(deployment, current, active));
}

/** True for a ReplicaSet whose controller has not yet deleted the Pods that are too many. */
function isShrinking({ metadata, status }: StoredReplicaSet): boolean {
  return (metadata.generation ?? 0) > (status?.observedGeneration ?? 0);
}

/**
 * One step of a Recreate: no old Pod runs any more when the first new one is made. Source: recreate.go rolloutRecreate.
 */
function recreate(
  deployment: StoredDeployment,
  { current, olds }: Revisions,
  pods: readonly StoredPod[],
): ControllerAction[] | 'create' {
  const active = withReplicas(olds);
  if (active.length > 0)
    return scale(
      deployment,
      active.map((replicaSet) => ({ replicaSet, replicas: 0 })),
    );
  if (olds.some((replicaSet) => (replicaSet.status?.replicas ?? 0) > 0 || hasLivingPods(replicaSet, pods))) return [];
  if (current === undefined) return 'create';
  const { replicas = 1 } = deployment.spec;
  return current.spec.replicas === replicas ? [] : scale(deployment, [{ replicaSet: current, replicas }]);
}

function hasLivingPods({ metadata }: StoredReplicaSet, pods: readonly StoredPod[]): boolean {
  return pods.some((pod) => controllerOf(pod)?.uid === metadata.uid && !isTerminalPhase(pod.status.phase));
}

function cleanUp(deployment: StoredDeployment, { olds }: Revisions): ControllerAction[] {
  return expiredRevisions(deployment, olds).map((replicaSet) => deleteAction(replicaSet));
}
