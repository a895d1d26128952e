import { PROGRESS_DEADLINE_EXCEEDED, type StoredDeployment, type Workload } from '../../api/index.ts';
import type { Change } from '../live/transition.ts';
import { isSettled, podCounts, progressText, revisionNumber } from './progress.ts';
import { templateChanges } from './template-changes.ts';

type Server = Exclude<Workload, { kind: 'CronJob' | 'Job' }>;

/** The changes of a workload that keeps Pods running: its rollouts, its size, its readiness, its failures. */
export function serverChanges(previous: Workload, next: Server): Change[] {
  if (previous.kind !== next.kind) return [];
  return [
    ...pauses(previous, next),
    ...rollout(previous, next),
    ...size(previous, next),
    ...readiness(previous, next),
    ...failures(previous, next),
  ];
}

function pauses(previous: Workload, next: Server): Change[] {
  if (previous.kind !== 'Deployment' || next.kind !== 'Deployment') return [];
  const isPaused = next.spec.paused === true;
  if ((previous.spec.paused === true) === isPaused) return [];
  return [{ kind: 'change', text: isPaused ? 'paused' : 'resumed', tone: 'info' }];
}

function rollout({ spec: before }: Server, next: Server): Change[] {
  const changes = templateChanges(before.template, next.spec.template);
  return changes === '' ? [] : [{ kind: 'change', text: `${rolloutText(next)} (${changes})`, tone: 'muted' }];
}

/** The controller writes the number of the new revision a moment later. */
function rolloutText(next: Server): string {
  switch (next.kind) {
    case 'Deployment':
      return next.spec.paused === true ? 'template changed' : `rolling out revision ${revisionNumber(next) + 1}`;
    case 'DaemonSet':
    case 'StatefulSet':
      return next.spec.updateStrategy?.type === 'OnDelete' ? 'template changed' : 'rolling out';
    case 'ReplicaSet':
    case 'ReplicationController':
      return 'template of new Pods changed';
    default:
      return next satisfies never;
  }
}

function size(previous: Workload, next: Workload): Change[] {
  if (next.kind === 'DaemonSet') return [];
  const [from, to] = [podCounts(previous)?.wanted, podCounts(next)?.wanted];
  return from === to ? [] : [{ kind: 'change', text: `scaled from ${from} to ${to}`, tone: 'muted' }];
}

function readiness(previous: Workload, next: Workload): Change[] {
  const [was, is] = [isSettled(previous), isSettled(next)];
  if (is && !was) return [{ kind: 'condition', text: progressText(next), tone: 'good' }];
  const isSameSpec = previous.metadata.generation === next.metadata.generation;
  if (!isSameSpec || !(was ? !is : hasLessReady(previous, next))) return [];
  return [{ kind: 'condition', text: progressText(next), tone: 'info' }];
}

/** True when fewer of the Pods are Ready, all of which have the current template: a rollout replaces Ready Pods. */
function hasLessReady(previous: Workload, next: Workload): boolean {
  const [old, now] = [podCounts(previous), podCounts(next)];
  if (old === undefined || now === undefined) return false;
  return now.ready < old.ready && now.updated === now.existing && now.existing === now.wanted;
}

function failures(previous: Server, next: Server): Change[] {
  const [replicaFailure, old] = [conditionOf(next, 'ReplicaFailure'), conditionOf(previous, 'ReplicaFailure')];
  const isNew = replicaFailure?.status === 'True' && replicaFailure.message !== old?.message;
  const failed: Change[] = isNew
    ? [{ kind: 'condition', text: replicaFailure.reason ?? 'ReplicaFailure', why: replicaFailure.message, tone: 'bad' }]
    : [];
  const isLate = hasMissedDeadline(next) && !hasMissedDeadline(previous);
  if (!isLate || next.kind !== 'Deployment') return failed;
  return [...failed, { kind: 'condition', text: PROGRESS_DEADLINE_EXCEEDED, why: lateness(next), tone: 'bad' }];
}

function hasMissedDeadline(server: Server): boolean {
  return conditionOf(server, 'Progressing')?.reason === PROGRESS_DEADLINE_EXCEEDED;
}

/** The text `1/3 ready, no progress for 10s`. */
export function lateness(deployment: StoredDeployment): string {
  return `${progressText(deployment)}, no progress for ${deployment.spec.progressDeadlineSeconds ?? 0}s`;
}

interface Condition {
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

function conditionOf({ status }: Server, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}
