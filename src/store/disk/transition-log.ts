import { formatTime, isJsonObject, type KubeObject, type StoredPod, type WatchEvent } from '../../api/index.ts';
import { isStoredObject, isStoredPod, parseStored, type ShapeCheck } from './stored-json.ts';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { ifPresent } from './disk-errors.ts';
import { LineCursor, linesOf } from './line-cursor.ts';

/**
 * The transition log of a Pod: watch events of the Pod and of its Events, one per line. Lines are only appended, under
 * the lock of the Pod. The last line about the Pod has the Pod as it is stored: it is kept nowhere else. Each line has
 * the time at which it was written, for the history: a watch does not show this time.
 * One call writes a line, so that lines of several processes do not mix. A crash within that call leaves half a line:
 * it is no JSON, so readers skip it, and the next writer begins a new line.
 */

// The bytes in which `transitionLine` has put `"kind":"Event"`.
const KIND_WITHIN_BYTES = 140;

// Mostly enough for the last line about the Pod.
const TAIL_BYTES = 16 * 1024;

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

const isPod: ShapeCheck = (object) =>
  isStoredPod(object) &&
  isJsonObject(object['status']) &&
  ['string', 'undefined'].includes(typeof object['status']['phase']);

/** Parses a line. Undefined for a line that a crash cut short. */
export function parseTransition(line: Buffer): LoggedTransition | undefined {
  return parseStored<LoggedTransition>(line.toString('utf8'), isTransition);
}

/** True for a line about an Event, false for one about the Pod. */
export function isAboutEvent(line: Buffer): boolean {
  return line.subarray(0, KIND_WITHIN_BYTES).includes('"kind":"Event"');
}

/** True for a line that has the Pod as it is stored. A line about its deletion comes before the folder goes. */
export function hasPod(line: Buffer): boolean {
  if (isAboutEvent(line)) return false;
  const transition = parseTransition(line);
  return transition !== undefined && transition.type !== 'DELETED';
}

/**
 * The last line about the Pod before its deletion: the Pod as it is stored. Undefined when there is none.
 * @param read reads a part of the log
 * @param end the size of the log
 */
export function lastPodLine(read: (start: number, end: number) => Buffer, end: number): Buffer | undefined {
  let later: Buffer = Buffer.alloc(0);
  for (let [before, bytes] = [end, TAIL_BYTES]; before > 0; bytes *= 2) {
    const start = Math.max(0, before - bytes);
    const block = Buffer.concat([read(start, before), later]);
    // A line that begins earlier is looked at with the next part.
    const first = start === 0 ? 0 : block.indexOf('\n') + 1;
    const line = linesOf(block.subarray(first)).findLast(hasPod);
    if (line !== undefined) return Buffer.from(line);
    later = block.subarray(0, first === 0 ? block.length : first);
    before = start;
  }
  return undefined;
}

/** The Pod as its log has it. Undefined when there is no log, or none that says anything about the Pod. */
export function readPod(file: string): StoredPod | undefined {
  const log = ifPresent(() => openSync(file, 'r'));
  if (log === undefined) return undefined;
  try {
    const read = (start: number, end: number): Buffer => {
      const bytes = Buffer.allocUnsafe(end - start);
      return bytes.subarray(0, readSync(log, bytes, 0, bytes.length, start));
    };
    const line = lastPodLine(read, fstatSync(log).size);
    return line && (parseTransition(line)?.object as StoredPod | undefined);
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
