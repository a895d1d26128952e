import type { StoredEvent } from '../../api/objects.ts';
import { FIELD_HAS_NO_EFFECT } from '../../lifecycle/texts/events.ts';
import type { Transition } from './transition.ts';

/** Is it one of those events of which the live view shows one line for all? */
export function isAboutIdleField({ reason }: StoredEvent): boolean {
  return reason === FIELD_HAS_NO_EFFECT;
}

/**
 * One line for all fields of a Pod that have no effect: which they are, in short. Why is what the events say.
 * @param events those about one Pod, at least one
 */
export function idleFieldsTransition(events: readonly StoredEvent[], atMs: number): Transition {
  const fields = new Set(events.flatMap(({ message = '' }) => pathsIn(message).map(shortField)));
  return {
    atMs,
    pod: events[0]?.involvedObject.name ?? '',
    kind: 'event',
    text: `no effect: ${[...fields].join(', ')}`,
    why: undefined,
    tone: 'muted',
  };
}

/** The paths that such an event names; see `fieldHasNoEffect`. */
function pathsIn(message: string): string[] {
  const paths = message.slice(0, message.indexOf(': ')).replace(/ and \d+ more$/, '');
  return paths.split(', ');
}

/** `spec.containers[0].resources.limits[cpu]` is `resources.limits[cpu]`: whose it is does not matter here. */
function shortField(path: string): string {
  return path.replace(/^spec\.((initC|c|ephemeralC)ontainers\[\d+\]\.)?/, '').replaceAll(/\[\d+\]/g, '');
}
