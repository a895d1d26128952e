import type { StoredEvent } from '../../api/index.ts';
import { COMBINED } from '../../lifecycle/index.ts';

/** The message of an Event, and the container that it is about. */
interface EventNews {
  /** The message of the latest occurrence. */
  readonly message: string;
  /** Undefined: the event is about the Pod, or about a container that a combined event does not name. */
  readonly container: string | undefined;
  /** True for similar events in one, whose occurrences may be about different containers. */
  readonly isCombined: boolean;
}

/** The container in the message of a `Killing` event. */
const NAMED_CONTAINER = /^(?:Stopping container|Container|Init container) (\S+)/;

/**
 * Reads an event. A combined event refers to the container of its first occurrence, but has the message of its latest:
 * the container is known only if the message names it.
 */
export function eventSubject(event: StoredEvent): EventNews {
  const { message = '' } = event;
  if (!message.startsWith(COMBINED)) {
    return { message: message.trim(), container: referredContainer(event), isCombined: false };
  }
  const latest = message.slice(COMBINED.length).trim();
  return { message: latest, container: NAMED_CONTAINER.exec(latest)?.[1], isCombined: true };
}

/** The container of an event. A combined event that names none counts for the container of its first occurrence. */
export function containerOfEvent(event: StoredEvent): string | undefined {
  return eventSubject(event).container ?? referredContainer(event);
}

function referredContainer({ involvedObject }: StoredEvent): string | undefined {
  return /^spec\.\w+\{(.+)\}$/.exec(involvedObject.fieldPath ?? '')?.[1];
}
