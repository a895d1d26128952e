import { isJsonObject } from '../../api/json.ts';
import { isStoredObject, isStoredPod, parseStored, type ShapeCheck } from '../disk/stored-json.ts';
import { closeSync, constants, openSync } from 'node:fs';
import type { KubeObject, WatchEvent } from '../../api/objects.ts';
import { formatTime } from '../../api/time.ts';
import { appendLines } from '../logs/append-lines.ts';
import { LineCursor } from './line-cursor.ts';

/**
 * The transition log of a Pod: watch events of the Pod and of its Events, one per line. Lines are only appended. Each
 * has the time at which it was written, for the history: a watch does not show this time.
 * One call writes a line, so that lines of several processes do not mix. A crash within that call leaves half a line:
 * it is no JSON, so readers skip it, and the next writer begins a new line.
 */

// The bytes in which `transitionLine` has put `"kind":"Event"`.
const KIND_WITHIN_BYTES = 140;

/** A line of the log. */
export interface LoggedTransition extends WatchEvent {
  /** The time at which it was written, RFC 3339 with microseconds. Older versions of podrun left it out. */
  readonly at?: string;
}

/**
 * Formats a change as a line. apiVersion and kind come first: readers distinguish Events from Pods without parsing.
 * @param wallMs the current time, milliseconds since 1970
 */
export function transitionLine<T extends object>(type: WatchEvent['type'], object: T, wallMs: number): string {
  const { apiVersion, kind, ...rest } = object as T & Partial<KubeObject>;
  return `${JSON.stringify({ type, at: formatTime(wallMs), object: { apiVersion, kind, ...rest } })}\n`;
}

const isTransition: ShapeCheck = ({ object }) => isJsonObject(object) && (isEvent(object) || isPod(object));

const isEvent: ShapeCheck = (object) => isStoredObject(object) && isJsonObject(object['involvedObject']);

const isPod: ShapeCheck = (object) => isStoredPod(object) && isJsonObject(object['status']);

/** Parses a line. Undefined for a line that a crash cut short. */
export function parseTransition(line: Buffer): LoggedTransition | undefined {
  return parseStored<LoggedTransition>(line.toString('utf8'), isTransition);
}

/** True for a line about an Event, false for one about the Pod. */
export function isAboutEvent(line: Buffer): boolean {
  return line.subarray(0, KIND_WITHIN_BYTES).includes('"kind":"Event"');
}

/** Appends lines to an existing log. Never makes the log of a removed Pod again. */
export function appendTransition(file: string, lines: string): void {
  const log = openSync(file, constants.O_RDWR | constants.O_APPEND);
  try {
    appendLines(log, lines);
  } finally {
    closeSync(log);
  }
}

/** Yields the lines of a log without newlines, in order. Yields none without a log. Holds one chunk in memory. */
export function* transitionLines(file: string): Generator<Buffer> {
  const cursor = LineCursor.open(file, 'start');
  if (cursor === undefined) return;
  try {
    for (let lines = cursor.next(); lines.length > 0; lines = cursor.next()) yield* lines;
  } finally {
    cursor.close();
  }
}
