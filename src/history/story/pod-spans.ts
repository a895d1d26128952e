import type { Axis } from './axis.ts';
import type { ConditionSpan, EndingSpan, PhaseSpan } from './model.ts';

/** The phases of a Pod in order. */
export function phaseSpans({ states, endMs }: Axis): PhaseSpan[] {
  const spans: PhaseSpan[] = [];
  for (const { atMs, pod } of states) {
    const { phase = 'Pending', reason, message } = pod.status;
    const before = spans.at(-1);
    const why = { ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
    if (before?.phase === phase) spans[spans.length - 1] = { ...before, ...why };
    else {
      if (before !== undefined) spans[spans.length - 1] = { ...before, toMs: atMs };
      spans.push({ phase, ...why, fromMs: before === undefined ? 0 : atMs, toMs: endMs });
    }
  }
  return spans;
}

/** The statuses of conditions, by type. A new reason for the same status does not begin a new span. */
export function conditionSpans({ states, endMs, moment }: Axis): ConditionSpan[] {
  const byType = new Map<string, ConditionSpan[]>();
  for (const { atMs, pod } of states) {
    for (const { type, status, reason, message, lastTransitionTime } of pod.status.conditions ?? []) {
      const spans = byType.get(type) ?? [];
      byType.set(type, spans);
      const before = spans.at(-1);
      const why = { ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
      if (before?.status === status) {
        const { fromMs } = before;
        spans[spans.length - 1] = { type, status, ...why, fromMs, toMs: endMs };
        continue;
      }
      // Prefer the condition's own time, which is more exact than the record's, but never end a span before its
      // beginning.
      const fromMs = Math.min(endMs, Math.max(before?.fromMs ?? 0, moment(lastTransitionTime, atMs) ?? atMs));
      if (before !== undefined) spans[spans.length - 1] = { ...before, toMs: fromMs };
      spans.push({ type, status, ...why, fromMs, toMs: endMs });
    }
  }
  return [...byType.values()].flat();
}

/** The first time that the condition was True. Undefined: never. */
export function firstTrueMs(conditions: readonly ConditionSpan[], type: string): number | undefined {
  return conditions.find((span) => span.type === type && span.status === 'True')?.fromMs;
}

/** The ending of the Pod. Undefined: the Pod was not asked to end. */
export function endingSpan({ states, endMs, run, createdAtMs }: Axis): EndingSpan | undefined {
  const deleting = states.find(({ pod }) => pod.metadata.deletionTimestamp);
  if (deleting === undefined) return undefined;
  const removed = run.transitions.find(({ type, object }) => type === 'DELETED' && object.kind === 'Pod');
  const over = states.find(({ pod }) => pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed');
  const toMs = over?.atMs ?? (removed === undefined ? endMs : Math.min(endMs, removed.at - createdAtMs));
  const { deletionGracePeriodSeconds: graceSeconds } = deleting.pod.metadata;
  return {
    fromMs: deleting.atMs,
    toMs: Math.max(deleting.atMs, toMs),
    ...(graceSeconds === undefined ? {} : { graceSeconds }),
  };
}
