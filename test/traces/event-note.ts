import type { StoredEvent, StoredPod, WatchEvent } from '../../src/api/base/objects.ts';
import { neutralText } from './pod-state.ts';

/** One event that happened once: a repetition is another note. Neutral like a `PodState`. */
export interface EventNote {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** The field path of the container. Empty for the Pod. */
  readonly about: string;
  readonly component: string;
}

/** A node says here that the image is present. */
const REPLACED_IMAGE = /^Container runs a program of this machine in place of image ("[^"]*")$/;
const PRESENT_IMAGE = 'Container image $1 already present on machine and can be accessed by the pod';

/** The events of a stream in order, without podrun's own events. */
export function eventNotes(lines: ReadonlyArray<WatchEvent<unknown>>): EventNote[] {
  const objects = lines.map(({ object }) => object as StoredPod | StoredEvent);
  const pod = objects.filter((object) => object.kind === 'Pod').findLast(({ spec }) => spec.nodeName !== undefined);
  const events = objects.filter((object) => object.kind === 'Event');
  const notes = events.map(({ type = '', reason = '', message = '', involvedObject, source, reportingComponent }) => ({
    type,
    reason,
    message: (pod === undefined ? message : neutralText(message, pod)).replace(REPLACED_IMAGE, PRESENT_IMAGE),
    about: involvedObject.fieldPath ?? '',
    component: source?.component ?? reportingComponent ?? '',
  }));
  return notes.filter(({ component }) => component !== 'podrun');
}

export function noteText({ type, reason, message, about, component }: EventNote): string {
  return `${component}: ${type} ${reason} ${about} "${message}"`;
}
