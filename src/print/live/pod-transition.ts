import type { PodCondition } from '../../api/generated/types.ts';
import { isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import { SCHEDULING_GATED } from '../../api/scheduling-gated.ts';
import { CONDITION } from '../../lifecycle/texts/condition-reasons.ts';
import { causeOf } from './first-cause.ts';
import { conditionOf } from '../pod-status.ts';
import type { Change } from './transition.ts';

/** How a Pod comes and goes: created, scheduled, asked to terminate. */
export function goingTransitions(previous: StoredPod | undefined, next: StoredPod): Change[] {
  return [...creation(previous, next), ...scheduling(previous, next), ...deletion(previous, next)];
}

function creation(previous: StoredPod | undefined, { status }: StoredPod): Change[] {
  const isFresh = previous === undefined && !status.containerStatuses;
  return isFresh ? [{ kind: 'created', text: 'created', tone: 'muted' }] : [];
}

/** Being scheduled is only worth a line when it did not happen at once. */
function scheduling(previous: StoredPod | undefined, next: StoredPod): Change[] {
  const [old, now] = conditions(previous, next, 'PodScheduled');
  if (now === undefined || (old?.status === now.status && old.reason === now.reason && old.message === now.message)) {
    return [];
  }
  if (now.status === 'True') {
    return old?.status === 'False' ? [{ kind: 'scheduling', text: 'scheduled', tone: 'info' }] : [];
  }
  if (now.reason === SCHEDULING_GATED.reason) {
    const gates = (next.spec.schedulingGates ?? []).map(({ name }) => name).join(', ');
    return [{ kind: 'scheduling', text: 'held back by scheduling gates', why: gates, tone: 'info' }];
  }
  return [{ kind: 'scheduling', text: 'cannot be scheduled', why: now.message, tone: 'bad' }];
}

function deletion(previous: StoredPod | undefined, { metadata, status }: StoredPod): Change[] {
  const graceSeconds = metadata.deletionGracePeriodSeconds ?? 0;
  const old = previous?.metadata;
  // A Pod that has ended is removed at once, and a last 0 says that it may be removed.
  if (!metadata.deletionTimestamp || isTerminalPhase(status.phase)) return [];
  const why = graceSeconds > 0 ? `grace period ${graceSeconds}s` : 'no grace period';
  if (!old?.deletionTimestamp) return [{ kind: 'deletion', text: 'Terminating', why, tone: 'info' }];
  if (old.deletionGracePeriodSeconds === graceSeconds || graceSeconds === 0) return [];
  return [{ kind: 'deletion', text: 'Terminating sooner', why, tone: 'info' }];
}

/**
 * What the status says of the Pod as a whole: conditions and phase.
 * @param told containers that have a line of their own in this update
 */
export function statusTransitions(
  previous: StoredPod | undefined,
  next: StoredPod,
  told: ReadonlySet<string | undefined>,
): Change[] {
  return [
    ...restartOfAll(previous, next),
    ...initialization(previous, next, told),
    ...foreignConditions(previous, next),
    ...phaseAndReadiness(previous, next, told),
  ];
}

/** The old and the new condition of a type. */
function conditions(
  previous: StoredPod | undefined,
  next: StoredPod,
  type: string,
): [PodCondition | undefined, PodCondition | undefined] {
  return [previous && conditionOf(previous.status, type), conditionOf(next.status, type)];
}

function turned(previous: StoredPod | undefined, next: StoredPod, type: string, status: string): boolean {
  const [old, now] = conditions(previous, next, type);
  return now?.status === status && old?.status !== status;
}

function restartOfAll(previous: StoredPod | undefined, next: StoredPod): Change[] {
  if (!turned(previous, next, 'AllContainersRestarting', 'True')) return [];
  const why = conditionOf(next.status, 'AllContainersRestarting')?.message;
  return [{ kind: 'condition', text: 'restarting all containers', why, tone: 'info' }];
}

/** Only where no line about an init container lets the reader see it. */
function initialization(
  previous: StoredPod | undefined,
  next: StoredPod,
  told: ReadonlySet<string | undefined>,
): Change[] {
  const [old, now] = conditions(previous, next, 'Initialized');
  const isTold = (next.spec.initContainers ?? []).some(({ name }) => told.has(name));
  if (isTold || old?.status !== 'False' || now?.status !== 'True') return [];
  return [{ kind: 'condition', text: 'initialized', tone: 'info' }];
}

/** Conditions that kubelet owns; their changes are told by what brought them about. */
const OWN_CONDITIONS: ReadonlySet<string> = new Set([
  'PodScheduled',
  'PodReadyToStartContainers',
  'Initialized',
  'ContainersReady',
  'Ready',
  'AllContainersRestarting',
]);

/** Conditions that others set: readiness gates, disruptions. */
function foreignConditions(previous: StoredPod | undefined, next: StoredPod): Change[] {
  return (next.status.conditions ?? [])
    .filter(({ type, status }) => !OWN_CONDITIONS.has(type) && turned(previous, next, type, status))
    .map(({ type, status, reason, message }) => ({
      kind: 'condition',
      text: `${type} is ${status}`,
      why: message || reason,
      tone: type === 'DisruptionTarget' ? 'bad' : 'info',
    }));
}

function phaseAndReadiness(
  previous: StoredPod | undefined,
  next: StoredPod,
  told: ReadonlySet<string | undefined>,
): Change[] {
  const phase = next.status.phase;
  const isReady = turned(previous, next, 'Ready', 'True');
  const isNewPhase = phase !== (previous?.status.phase ?? 'Pending');
  if (isNewPhase && phase === 'Running' && isReady) {
    return [{ kind: 'phase', text: 'Running and Ready', tone: 'good' }];
  }
  return [
    ...(isNewPhase ? [phaseChange(next, told)] : []),
    ...(isReady ? [{ kind: 'condition', text: 'Ready', tone: 'good' } as const] : []),
    ...readinessGates(previous, next),
    ...lostReadiness(previous, next, told),
  ];
}

function phaseChange(pod: StoredPod, told: ReadonlySet<string | undefined>): Change {
  const { status } = pod;
  const why = [status.reason, status.message].filter(Boolean).join(': ') || undefined;
  switch (status.phase) {
    case 'Succeeded':
      return { kind: 'phase', text: 'Succeeded', tone: 'good' };
    case 'Failed':
      return { kind: 'phase', text: 'Failed', why: why ?? blame(pod, told), tone: 'bad' };
    case 'Running':
      return { kind: 'phase', text: 'Running', tone: 'info' };
    case 'Pending':
      return { kind: 'phase', text: 'Pending again', why, tone: 'info' };
    default:
      return { kind: 'phase', text: status.phase ?? 'Unknown', why, tone: 'bad' };
  }
}

/** The container that made the Pod fail, unless the reader has just been told of it. */
function blame(pod: StoredPod, told: ReadonlySet<string | undefined>): string | undefined {
  const cause = causeOf(pod);
  return cause === undefined || told.has(cause.container) ? undefined : cause.text;
}

/** The containers are ready, but something outside the Pod has to agree. */
function readinessGates(previous: StoredPod | undefined, next: StoredPod): Change[] {
  const ready = conditionOf(next.status, 'Ready');
  if (ready?.reason !== CONDITION.readinessGatesNotReady || !turned(previous, next, 'ContainersReady', 'True'))
    return [];
  return [{ kind: 'condition', text: 'all containers ready', why: ready.message, tone: 'info' }];
}

/** Only where no container explains it, and not at the end: a Pod that is done is not ready either. */
function lostReadiness(
  previous: StoredPod | undefined,
  next: StoredPod,
  told: ReadonlySet<string | undefined>,
): Change[] {
  const [old, now] = conditions(previous, next, 'Ready');
  if (told.size > 0 || old?.status !== 'True' || now?.status !== 'False') return [];
  if (now.reason === CONDITION.podCompleted || now.reason === CONDITION.podFailed) return [];
  return [{ kind: 'condition', text: 'not Ready', why: now.message, tone: 'bad' }];
}
