import { MIRROR_ANNOTATION, type StoredEvent, type StoredKubeObject } from '../../api/index.ts';
import { timestampMs } from '../base/age.ts';
import { eventAge, eventSource } from '../table/events.ts';
import { align, line } from './lines.ts';

/** The events about this object, in the order of `describe`. */
export function eventsAbout(
  { kind, metadata }: Pick<StoredKubeObject, 'kind' | 'metadata'>,
  events: readonly StoredEvent[],
): StoredEvent[] {
  const { name, namespace, annotations } = metadata;
  // A static Pod's events name the Pod by this annotation instead of its uid.
  const uids = [annotations?.[MIRROR_ANNOTATION] ?? metadata.uid];
  // The kubelet does not know the uid of its node: its events contain the name instead.
  if (kind === 'Node') uids.push(name);
  return events
    .filter(({ involvedObject: about }) => about.name === name && about.namespace === namespace)
    .filter(({ involvedObject: about }) => uids.includes(about.uid ?? ''))
    .sort((a, b) => lastTimestampMs(a) - lastTimestampMs(b));
}

/**
 * The lines about an object, and its events as a table. The columns of the table are independent of the lines above.
 * @param events those about the object; undefined: they are not shown
 */
export function alignWithEvents(
  lines: readonly string[],
  events: readonly StoredEvent[] | undefined,
  nowMs: number,
): string {
  if (events === undefined) return align(lines);
  if (events.length === 0) return align([...lines, line(0, 'Events:', '<none>')]);
  return align(lines) + align(describeEvents(events, nowMs));
}

function describeEvents(events: readonly StoredEvent[], nowMs: number): string[] {
  return [
    line(0, 'Events:'),
    line(1, 'Type', 'Reason', 'Age', 'From', 'Message'),
    line(1, '----', '------', '----', '----', '-------'),
    ...events.map((event) =>
      line(1, event.type ?? '', event.reason ?? '', eventAge(event, nowMs), eventSource(event), messageOf(event)),
    ),
  ];
}

/** The message, with the part of the object that it is about, as kubectl 1.35 prints it: `spec.containers{web}: …`. */
function messageOf({ message = '', involvedObject: { fieldPath } }: StoredEvent): string {
  return fieldPath ? `${fieldPath}: ${message.trim()}` : message.trim();
}

/** The lastTimestamp of an event, or 0 for events of the newer API, which have none and come first. */
function lastTimestampMs(event: StoredEvent): number {
  return timestampMs(event.lastTimestamp) ?? 0;
}
