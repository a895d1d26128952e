import {
  type DeploymentCondition,
  type DeploymentStatus,
  formatTime,
  parseTime,
  type ReplicaSetStatus,
} from '../../api/index.ts';
import type { StoredDeployment, StoredReplicaSet } from '../base/reconcile.ts';
import { REPLICA_FAILURE } from '../replica-set/reconcile-replica-set.ts';
import {
  type ConditionText,
  HAS_AVAILABILITY,
  LACKS_AVAILABILITY,
  PROGRESS,
  progressed,
  progressing,
  progressSubject,
  timedOut,
} from '../texts/deployment.ts';
import type { Revisions } from './revisions.ts';
import { availableOf, fencepostsOf, wantedReplicas } from './rollout-arithmetic.ts';

/** A deadline that never comes. Source: util/deployment_util.go HasProgressDeadline. */
const NO_DEADLINE = 2 ** 31 - 1;

export function hasProgressDeadline({ spec }: StoredDeployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== NO_DEADLINE;
}

export function progressOf(status: DeploymentStatus | undefined): DeploymentCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Progressing');
}

/**
 * Sets a condition at the end of the list. It stays where it is when its status and reason are the same.
 * Source: util/deployment_util.go SetDeploymentCondition.
 */
export function withDeploymentCondition(
  conditions: readonly DeploymentCondition[] = [],
  type: string,
  { status, reason, message }: ConditionText,
  nowMs: number,
): DeploymentCondition[] {
  const old = conditions.find((condition) => condition.type === type);
  if (old?.status === status && old.reason === reason) return [...conditions];
  const now = formatTime(nowMs);
  const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? now) : now;
  const others = conditions.filter((condition) => condition.type !== type);
  return [...others, { type, status, lastUpdateTime: now, lastTransitionTime, reason, message }];
}

/**
 * The counts of all ReplicaSets, from what they said last, and the condition Available.
 * Source: pkg/controller/deployment/sync.go calculateStatus.
 */
export function countedStatus(
  deployment: StoredDeployment,
  { current, olds }: Revisions,
  nowMs: number,
): DeploymentStatus {
  const all = current === undefined ? [...olds] : [...olds, current];
  const sum = (field: keyof ReplicaSetStatus): number =>
    all.reduce((total, { status }) => total + Number(status?.[field] ?? 0), 0);
  const { replicas = 1 } = deployment.spec;
  const available = all.reduce((total, replicaSet) => total + availableOf(replicaSet), 0);
  const hasEnough = available >= replicas - fencepostsOf(deployment).unavailable;
  const availability = hasEnough ? HAS_AVAILABILITY : LACKS_AVAILABILITY;
  const { status } = deployment;
  return {
    observedGeneration: deployment.metadata.generation,
    replicas: sum('replicas') || undefined,
    updatedReplicas: current?.status?.replicas || undefined,
    readyReplicas: sum('readyReplicas') || undefined,
    availableReplicas: available || undefined,
    unavailableReplicas: Math.max(0, wantedReplicas(all) - available) || undefined,
    terminatingReplicas: sum('terminatingReplicas'),
    collisionCount: status?.collisionCount,
    conditions: withDeploymentCondition(status?.conditions, 'Available', availability, nowMs),
  };
}

/**
 * The status of a rollout: with the conditions Progressing and ReplicaFailure. Source: progress.go syncRolloutStatus.
 */
export function rolloutStatus(deployment: StoredDeployment, revisions: Revisions, nowMs: number): DeploymentStatus {
  const counted = countedStatus(deployment, revisions, nowMs);
  const progress = withProgress(deployment, revisions, counted, nowMs);
  return { ...counted, conditions: withReplicaFailure(progress, revisions) };
}

function withProgress(
  deployment: StoredDeployment,
  { current }: Revisions,
  status: DeploymentStatus,
  nowMs: number,
): DeploymentCondition[] {
  const { conditions = [] } = status;
  if (!hasProgressDeadline(deployment)) return conditions.filter(({ type }) => type !== 'Progressing');
  const before = progressOf(deployment.status);
  const isOver = before?.reason === PROGRESS.available && (status.replicas ?? 0) === (status.updatedReplicas ?? 0);
  if (isOver) return conditions;
  const subject = progressSubject(deployment.metadata.name, current?.metadata.name);
  if (isComplete(deployment, status))
    return withDeploymentCondition(conditions, 'Progressing', progressed(subject), nowMs);
  if (hasProgressed(deployment.status ?? {}, status)) return renewed(conditions, progressing(subject), nowMs);
  const deadlineMs = progressDeadlineMs(deployment);
  const isTimedOut = deadlineMs !== undefined && deadlineMs <= nowMs;
  return isTimedOut ? withDeploymentCondition(conditions, 'Progressing', timedOut(subject), nowMs) : conditions;
}

/** Each progress puts the condition at the end, with a new lastUpdateTime. */
function renewed(
  conditions: readonly DeploymentCondition[],
  text: ConditionText,
  nowMs: number,
): DeploymentCondition[] {
  const before = conditions.find(({ type }) => type === 'Progressing');
  const others = conditions.filter(({ type }) => type !== 'Progressing');
  const isSame = before?.status === text.status;
  const renewedConditions = withDeploymentCondition(others, 'Progressing', text, nowMs);
  return renewedConditions.map((condition) =>
    condition.type === 'Progressing' && isSame
      ? { ...condition, lastTransitionTime: before.lastTransitionTime }
      : condition,
  );
}

/** The time at which a rollout without progress has timed out. Undefined: it is complete, or has timed out already. */
export function progressDeadlineMs(deployment: StoredDeployment): number | undefined {
  const progress = progressOf(deployment.status);
  if (progress === undefined || !hasProgressDeadline(deployment)) return undefined;
  if (progress.reason === PROGRESS.available || progress.reason === PROGRESS.timedOut) return undefined;
  return parseTime(progress.lastUpdateTime ?? '') + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000;
}

/** True when all Pods are of the newest revision, and available. Source: util/deployment_util.go DeploymentComplete. */
export function isComplete({ metadata, spec }: StoredDeployment, status: DeploymentStatus): boolean {
  const { replicas = 1 } = spec;
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  );
}

/** Source: util/deployment_util.go DeploymentProgressing. */
function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const grows = (field: 'updatedReplicas' | 'readyReplicas' | 'availableReplicas'): boolean =>
    (after[field] ?? 0) > (before[field] ?? 0);
  const olds = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas;
  return grows('updatedReplicas') || grows('readyReplicas') || grows('availableReplicas') || olds(after) < olds(before);
}

/** The failure of the newest ReplicaSet, or of any other. Source: progress.go getReplicaFailures. */
function withReplicaFailure(
  conditions: readonly DeploymentCondition[],
  { current, olds }: Revisions,
): DeploymentCondition[] {
  const inOrder: readonly StoredReplicaSet[] = current === undefined ? olds : [current, ...olds];
  const latest = inOrder
    .flatMap(({ status }) => status?.conditions ?? [])
    .find(({ type, status }) => type === REPLICA_FAILURE && status === 'True');
  const others = conditions.filter(({ type }) => type !== REPLICA_FAILURE);
  if (latest === undefined) return others;
  const known = conditions.find(({ type, reason }) => type === REPLICA_FAILURE && reason === latest.reason);
  return known === undefined ? [...others, { ...latest, lastUpdateTime: latest.lastTransitionTime }] : [...conditions];
}
