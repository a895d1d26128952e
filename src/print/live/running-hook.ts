import { containerOfEvent } from '../../history/story/event-subject.ts';
import { EVENT_REASON } from '../../lifecycle/texts/events.ts';
import { timestampMs } from '../age.ts';
import type { RecordedEvidence } from '../../history/evidence.ts';
import type { PodContainer } from './pod-container.ts';

/**
 * True while the postStart hook of a container runs. The status shows the container as waiting until the hook has
 * returned. The hook journal has the hook only after that.
 */
export function isInPostStart({ container }: PodContainer, records: RecordedEvidence): boolean {
  if (container.lifecycle?.postStart === undefined) return false;
  const starts = records.events.filter(
    (event) => event.reason === EVENT_REASON.started && containerOfEvent(event) === container.name,
  );
  const startedMs = Math.max(...starts.map(({ lastTimestamp }) => timestampMs(lastTimestamp) ?? 0));
  const returned = records.hooks.some((run) => {
    return run.container === container.name && run.hook === 'postStart' && (timestampMs(run.time) ?? 0) >= startedMs;
  });
  return starts.length > 0 && !returned;
}
