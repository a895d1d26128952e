import type { StoredEvent } from '../../api/objects.ts';
import { timestampMs } from '../base/age.ts';
import { sortedByLastSeen } from '../events.ts';
import { excerpt } from '../text/excerpt.ts';
import { isAbsentFromStatus } from './event-transition.ts';

/**
 * The latest warning about a Pod that its status does not repeat, as `FailedMount: MountVolume.SetUp failed …`. It
 * explains why a Pod makes no progress.
 * @param events those about the Pod
 * @param untilMs milliseconds since 1970; later warnings do not count
 */
export function lastWarning(events: readonly StoredEvent[], untilMs: number): string | undefined {
  const warning = sortedByLastSeen(events).findLast(
    (event) => event.type === 'Warning' && isAbsentFromStatus(event) && firstSeenMs(event) <= untilMs,
  );
  return warning && excerpt(`${warning.reason}: ${(warning.message ?? '').trim().replaceAll(/(?<!\s)\s*\n\s*/g, ' ')}`);
}

function firstSeenMs({ firstTimestamp, eventTime }: StoredEvent): number {
  return timestampMs(firstTimestamp || eventTime) ?? 0;
}
