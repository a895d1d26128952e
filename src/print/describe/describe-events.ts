import type { StoredEvent, StoredKubeObject } from '../../api/objects.ts';
import { timestampMs } from '../age.ts';
import { eventAge, eventSource } from '../event-row.ts';
import { line } from './line.ts';

/** A static Pod's events name the Pod by this annotation instead of its uid. */
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** Those of the events that are about this very object, in the order in which `describe` shows them. */
export function eventsAbout(
  { kind, metadata }: Pick<StoredKubeObject, 'kind' | 'metadata'>,
  events: readonly StoredEvent[],
): StoredEvent[] {
  const { name, namespace, annotations } = metadata;
  const uids = [annotations?.[MIRROR_ANNOTATION] ?? metadata.uid];
  // A kubelet has no uid of its node at hand.
  if (kind === 'Node') uids.push(name);
  return events
    .filter(({ involvedObject: about }) => about.name === name && about.namespace === namespace)
    .filter(({ involvedObject: about }) => uids.includes(about.uid ?? ''))
    .sort((a, b) => lastTimestampMs(a) - lastTimestampMs(b));
}

/** The events of a Pod. The table stands for itself: its columns are not shared with the lines above. */
export function describeEvents(events: readonly StoredEvent[], nowMs: number): string[] {
  return [
    line(0, 'Events:'),
    line(1, 'Type', 'Reason', 'Age', 'From', 'Message'),
    line(1, '----', '------', '----', '----', '-------'),
    ...events.map((event) =>
      line(
        1,
        event.type ?? '',
        event.reason ?? '',
        eventAge(event, nowMs),
        eventSource(event),
        (event.message ?? '').trim(),
      ),
    ),
  ];
}

/** Events of the newer API have no lastTimestamp: they come first. */
function lastTimestampMs(event: StoredEvent): number {
  return timestampMs(event.lastTimestamp) ?? 0;
}
