import { type StoredEvent, trueCondition, type Workload } from '../../api/index.ts';
import type { Root } from '../../lifecycle/index.ts';
import { workloadName } from '../live/live-columns.ts';
import type { Transition } from '../live/transition.ts';
import { sortedByLastSeen } from '../table/events.ts';
import { excerpt } from '../text/excerpt.ts';

/**
 * The line about a Warning of the controller of a workload: why it can create no Pods, or starts no Job. Undefined for
 * Events whose news are in the status, which has lines of its own.
 */
export function workloadWarning(
  { type, reason = '', message = '' }: StoredEvent,
  workload: Workload,
  atMs: number,
): Transition | undefined {
  if (type !== 'Warning' || isInStatus(workload, reason)) return undefined;
  const subject = workloadName(workload);
  return { atMs, pod: '', subject, kind: 'event', text: reason, why: excerpt(message), tone: 'bad' };
}

function isInStatus(workload: Workload, reason: string): boolean {
  if (workload.kind !== 'Job') return hasReplicaFailure(workload.kind) && reason.startsWith('Failed');
  const { status = {} } = workload;
  return [trueCondition(status, 'FailureTarget'), trueCondition(status, 'Failed')].some(
    (end) => end?.reason === reason,
  );
}

/**
 * The reason why a workload cannot create or delete a Pod: `FailedCreate: pods "web-x" is forbidden: exceeded quota`.
 * Undefined when nothing of the kind has happened since its last success.
 * @param events those about the workload; those about the Pods of a Deployment are about its ReplicaSets
 */
export function whyPodsAreMissing(
  { object }: { readonly object: Root['object'] },
  events: () => readonly StoredEvent[],
): string | undefined {
  if (object.kind === 'Pod') return undefined;
  if (hasReplicaFailure(object.kind)) {
    const failure = conditionsOf(object).find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
    return failure && excerpt(`${failure.reason}: ${failure.message}`);
  }
  const last = sortedByLastSeen(events()).at(-1);
  return last?.type === 'Warning' && FAILURES.has(last.reason ?? '')
    ? excerpt(`${last.reason}: ${last.message}`)
    : undefined;
}

const FAILURES: ReadonlySet<string> = new Set(['FailedCreate', 'FailedDelete']);

/** True for kinds that say in a condition why they have too few or too many Pods. */
function hasReplicaFailure(kind: Workload['kind']): boolean {
  return kind === 'Deployment' || kind === 'ReplicaSet' || kind === 'ReplicationController';
}

interface Condition {
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

function conditionsOf({ status }: Workload): readonly Condition[] {
  return status !== undefined && 'conditions' in status ? (status.conditions ?? []) : [];
}
