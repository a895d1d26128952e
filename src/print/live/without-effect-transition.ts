import type { StoredEvent } from '../../api/index.ts';
import { FIELD_HAS_NO_EFFECT } from '../../lifecycle/index.ts';
import type { Transition } from './transition.ts';

/** True for events about fields without effect, which share one line of the live view. */
export function isAboutFieldWithoutEffect({ reason }: StoredEvent): boolean {
  return reason === FIELD_HAS_NO_EFFECT;
}

/**
 * One line that lists all fields of a Pod without effect in short form. The events have the reasons.
 * @param events those about one Pod, at least one
 */
export function withoutEffectTransition(events: readonly StoredEvent[], atMs: number): Transition {
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

/** The paths in the message of such an event, see `fieldHasNoEffect`. */
function pathsIn(message: string): string[] {
  const paths = message.slice(0, message.indexOf(': ')).replace(/ and \d+ more$/, '');
  return paths.split(', ');
}

/** Drops the container from a path: `spec.containers[0].resources.limits[cpu]` becomes `resources.limits[cpu]`. */
function shortField(path: string): string {
  return path.replace(/^spec\.((initC|c|ephemeralC)ontainers\[\d+\]\.)?/, '').replaceAll(/\[\d+\]/g, '');
}
