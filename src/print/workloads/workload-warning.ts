import { type StoredEvent, trueCondition, type Workload } from '../../api/index.ts';
import { excerpt } from '../text/excerpt.ts';
import type { Transition } from '../live/transition.ts';
import { hasReplicaFailure } from './missing-pods.ts';

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
  const { kind, metadata } = workload;
  return { atMs, pod: metadata.name, subject: kind, kind: 'event', text: reason, why: excerpt(message), tone: 'bad' };
}

function isInStatus(workload: Workload, reason: string): boolean {
  if (workload.kind !== 'Job') return hasReplicaFailure(workload.kind) && reason.startsWith('Failed');
  const { status = {} } = workload;
  return [trueCondition(status, 'FailureTarget'), trueCondition(status, 'Failed')].some(
    (end) => end?.reason === reason,
  );
}
