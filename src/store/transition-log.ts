import { isJsonObject } from '../api/json.ts';
import { isStoredObject, isStoredPod, parseStored, type Soundness } from './stored-json.ts';
import { closeSync, constants, openSync } from 'node:fs';
import type { KubeObject, WatchEvent } from '../api/objects.ts';
import { formatTime } from '../api/time.ts';
import { appendLines } from './logs/append-lines.ts';
import { LineCursor } from './line-cursor.ts';

/**
 * The transition log of a Pod: watch events of the Pod and of its Events, one per line, appended, never changed. Each
 * bears the time at which it was written, which is for the history: a watch does not show it.
 * A line is written in one call, so that lines of several processes do not mix. A crash in the middle of that call
 * leaves a torn line: no JSON, so readers skip it, and the next writer begins a line of its own.
 */

// Where `"kind":"Event"` stands in a line that `transitionLine` made.
const KIND_WITHIN_BYTES = 140;

/** A line of the log. */
export interface LoggedTransition extends WatchEvent {
  /** When it was written, RFC 3339 with microseconds; older versions of podrun did not say. */
  readonly at?: string;
}

/**
 * The line of a change. apiVersion and kind come first: readers tell Events from Pods without parsing.
 * @param wallMs when it is written, milliseconds since 1970
 */
export function transitionLine<T extends object>(type: WatchEvent['type'], object: T, wallMs: number): string {
  const { apiVersion, kind, ...rest } = object as T & Partial<KubeObject>;
  return `${JSON.stringify({ type, at: formatTime(wallMs), object: { apiVersion, kind, ...rest } })}\n`;
}

const isTransition: Soundness = ({ object }) => isJsonObject(object) && (isEvent(object) || isPod(object));

const isEvent: Soundness = (object) => isStoredObject(object) && isJsonObject(object['involvedObject']);

const isPod: Soundness = (object) => isStoredPod(object) && isJsonObject(object['status']);

/** What a line says; undefined for a torn one. */
export function parseTransition(line: Buffer): LoggedTransition | undefined {
  return parseStored<LoggedTransition>(line.toString('utf8'), isTransition);
}

/** Is the line about an Event (and not about the Pod)? */
export function isAboutEvent(line: Buffer): boolean {
  return line.subarray(0, KIND_WITHIN_BYTES).includes('"kind":"Event"');
}

/** Appends lines to a log that exists: a Pod that was removed does not come back. */
export function appendTransition(file: string, lines: string): void {
  const log = openSync(file, constants.O_RDWR | constants.O_APPEND);
  try {
    appendLines(log, lines);
  } finally {
    closeSync(log);
  }
}

/** Every line of a log, without its newline, in order; none where there is no log. Holds one chunk in memory. */
export function* transitionLines(file: string): Generator<Buffer> {
  const cursor = LineCursor.open(file, 'start');
  if (cursor === undefined) return;
  try {
    for (let lines = cursor.next(); lines.length > 0; lines = cursor.next()) yield* lines;
  } finally {
    cursor.close();
  }
}
