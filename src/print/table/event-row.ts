import type { StoredEvent } from '../../api/index.ts';
import { ageSince } from '../base/age.ts';

/** The age of an event, its count and its first age: `2m11s (x6 over 6m59s)`. Source: kubectl, getInterval. */
export function eventAge(event: StoredEvent, nowMs: number): string {
  const first = ageSince(event.eventTime || event.firstTimestamp, nowMs);
  if (event.series) {
    return `${ageSince(event.series.lastObservedTime, nowMs)} (x${event.series.count ?? 0} over ${first})`;
  }
  const count = event.count ?? 0;
  return count > 1 ? `${ageSince(event.lastTimestamp, nowMs)} (x${count} over ${first})` : first;
}

/** The reporter of an event. */
export function eventSource(event: StoredEvent): string {
  return event.source?.component || event.reportingComponent || '';
}
