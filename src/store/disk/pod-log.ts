import { constants, existsSync } from 'node:fs';
import type { StoredMeta, StoredPod, WatchEvent } from '../../api/index.ts';
import type { FileLocks } from './file-lock.ts';
import { errorCode } from './disk-errors.ts';
import { podPaths } from '../base/layout.ts';
import type { StoredObject } from '../base/metadata.ts';
import { keyText } from './listing.ts';
import type { ObjectKey } from '../base/store.ts';
import { LineCursor, linesOf, type LineStart } from './line-cursor.ts';
import { hasPod, isAboutEvent, lastPodLine, parseTransition, readPod, transitionLine } from './transition-log.ts';

/** A change of the Pod or of an Event about it. */
export type LogEntry = readonly [type: WatchEvent['type'], object: StoredObject];

const READ_AND_APPEND = constants.O_RDWR | constants.O_APPEND;

/**
 * The transition log of one Pod, open while it is among the most recently used. Its last line about the Pod is the
 * Pod. What this process has read or written before, it does not read again.
 */
export class PodLog {
  readonly #cursor: LineCursor;
  /** The reason why this process may not append. Undefined: it may. */
  readonly #refusal: unknown;
  #podLine: Buffer | undefined;
  /** The metadata of the Events by name. Undefined: not read yet. */
  #events: Map<string, StoredMeta> | undefined;
  /** The lines for the follower. Undefined: there is none. */
  #untaken: Buffer[] | undefined;

  private constructor(cursor: LineCursor, refusal: unknown) {
    this.#cursor = cursor;
    this.#refusal = refusal;
  }

  /** Opens a log. Undefined: there is none. */
  static open(path: string): PodLog | undefined {
    const log = PodLog.#at(path, 'end');
    if (log === undefined) return undefined;
    const cursor = log.#cursor;
    log.#podLine = inOwnMemory(lastPodLine((...range) => cursor.bytes(...range), cursor.offset));
    // A line that a crash has cut short must not become one with the next.
    log.#readOn();
    return log;
  }

  /** Opens a log that this process has just made, with one line. */
  static openNew(path: string, line: string): PodLog | undefined {
    const log = PodLog.#at(path, Buffer.byteLength(line));
    if (log === undefined) return undefined;
    log.#events = new Map();
    log.#podLine = inOwnMemory(Buffer.from(line));
    return log;
  }

  /** Opens a log for reading and appending, or only for reading where podrun may not write. */
  static #at(path: string, from: LineStart): PodLog | undefined {
    let [cursor, refusal]: [LineCursor | undefined, unknown] = [undefined, undefined];
    try {
      cursor = LineCursor.openOneOfMany(path, from, READ_AND_APPEND);
    } catch (error) {
      if (!['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) throw error;
      [cursor, refusal] = [LineCursor.openOneOfMany(path, from), error];
    }
    return cursor && new PodLog(cursor, refusal);
  }

  /**
   * Reads what other processes have written. False: another log, or none, is at the path, and this one is read to its
   * end.
   */
  look(): boolean {
    const { isCurrent, hasNews } = this.#cursor.look();
    if (hasNews) this.#readOn();
    return isCurrent;
  }

  /** The Pod as of the last look. It belongs to the caller. Undefined: the log says nothing about it. */
  pod(): StoredPod | undefined {
    return this.#podLine && (parseTransition(this.#podLine)?.object as StoredPod | undefined);
  }

  /** The address of the Pod. Most Pods that have none are not parsed: thousands may wait for a node. */
  podIP(): string | undefined {
    return this.#podLine?.includes('"podIP":') === true ? this.pod()?.status.podIP : undefined;
  }

  /** The metadata of the Event with this name, as of the last look. */
  event(name: string): StoredMeta | undefined {
    if (this.#events === undefined) {
      this.#events = new Map();
      for (const line of this.#linesSoFar()) this.#readEvent(line);
    }
    return this.#events.get(name);
  }

  /**
   * Appends changes in one write. The caller holds the lock of the Pod, and has looked since. Never makes the log of a
   * removed Pod again.
   * @param wallMs the current time, milliseconds since 1970
   */
  append(entries: readonly LogEntry[], wallMs: number): void {
    if (this.#refusal !== undefined) throw this.#refusal;
    const lines = entries.map(([type, object]) => Buffer.from(transitionLine(type, object, wallMs)));
    this.#cursor.append(Buffer.concat(lines));
    for (const [index, [type, { kind, metadata }]] of entries.entries()) {
      const line = lines[index];
      if (line === undefined) continue;
      if (kind === 'Event') this.#takeEvent(type, metadata);
      else if (type !== 'DELETED') this.#podLine = inOwnMemory(line);
      this.#untaken?.push(line);
    }
  }

  /** Keeps all later lines for `take`, and those so far if wanted. */
  follow(from: 'start' | 'end'): void {
    this.#untaken = from === 'start' ? this.#linesSoFar() : [];
  }

  get isFollowed(): boolean {
    return this.#untaken !== undefined;
  }

  unfollow(): void {
    this.#untaken = undefined;
  }

  /** The lines since the last call, or since `follow`. */
  take(): Buffer[] {
    const lines = this.#untaken ?? [];
    if (lines.length > 0) this.#untaken = [];
    return lines;
  }

  close(): void {
    this.#cursor.close();
  }

  #readOn(): void {
    for (let lines = this.#cursor.next(); lines.length > 0; lines = this.#cursor.next()) {
      for (const line of lines) {
        if (isAboutEvent(line)) this.#readEvent(line);
        else if (hasPod(line)) this.#podLine = inOwnMemory(line);
        this.#untaken?.push(line);
      }
    }
  }

  #readEvent(line: Buffer): void {
    const transition = this.#events && isAboutEvent(line) ? parseTransition(line) : undefined;
    if (transition !== undefined) this.#takeEvent(transition.type, transition.object.metadata as StoredMeta);
  }

  #takeEvent(type: WatchEvent['type'], metadata: StoredMeta): void {
    if (type === 'DELETED') this.#events?.delete(metadata.name);
    else this.#events?.set(metadata.name, metadata);
  }

  #linesSoFar(): Buffer[] {
    const { offset } = this.#cursor;
    // The log of a new Pod.
    if (this.#podLine?.length === offset) return [this.#podLine];
    return linesOf(this.#cursor.bytes(0, offset));
  }
}

/** A copy with memory of its own: a small Buffer of Node keeps the 8 KB in memory from which it was cut. */
function inOwnMemory<T extends Buffer | undefined>(line: T): T | Buffer {
  if (line === undefined) return line;
  const copy = Buffer.allocUnsafeSlow(line.length);
  line.copy(copy);
  return copy;
}

/** The transition logs that this process holds open: logs of the Pods that it owns, and logs that it follows. */
export class OpenPodLogs {
  readonly #root: string;
  readonly #locks: FileLocks;
  readonly #open = new Map<string, PodLog>();
  /** The files that name this process as the owner, by Pod. */
  readonly #held = new Map<string, string>();

  constructor(root: string, locks: FileLocks) {
    this.#root = root;
    this.#locks = locks;
  }

  /** The Pod as it is stored now. It belongs to the caller. */
  read(key: ObjectKey): StoredPod | undefined {
    const open = this.#open.get(keyText(key));
    return open !== undefined && this.look(key, open) ? open.pod() : readPod(this.#path(key));
  }

  /** The log of a Pod that this process owns. Undefined: another one. */
  ownLog(key: ObjectKey): PodLog | undefined {
    return this.#held.has(keyText(key)) ? this.#open.get(keyText(key)) : undefined;
  }

  /** True when there is a Pod, as far as can be known without its lock. */
  mayHave(key: ObjectKey): boolean {
    return this.#open.has(keyText(key)) || existsSync(this.#path(key));
  }

  /**
   * Runs a step under the lock of the Pod. It gets the log with all that is in it now; undefined: there is no such Pod.
   * Must not be nested for one Pod.
   */
  lock<T>(key: ObjectKey, run: (log: PodLog | undefined) => T): T {
    const name = keyText(key);
    return this.#locks.keep(key, name, () => this.#withCurrent(key, name, run), this.#held);
  }

  /** Like `lock`, for a step after which the log may no longer be in its place. */
  lockToMove<T>(key: ObjectKey, run: (log: PodLog | undefined) => T): T {
    const name = keyText(key);
    return this.#locks.hold('pods', key, () => this.#withCurrent(key, name, run), this.#held.get(name));
  }

  /** As `look` of this open log. Nothing can have happened while this process keeps the lock of the Pod. */
  look(key: ObjectKey, log: PodLog): boolean {
    return (this.has(key, log) && this.#locks.isKept(key)) || log.look();
  }

  /** The log of a Pod, with all that is in it now. Stays open until the caller has followed it and calls `unfollow`. */
  current(key: ObjectKey): PodLog | undefined {
    return this.#current(key, keyText(key));
  }

  /** Holds the log of a Pod open that this process has just put in its place, with one line. */
  holdNew(key: ObjectKey, line: string): void {
    this.hold(key);
    this.#replace(keyText(key), PodLog.openNew(this.#path(key), line));
  }

  /** Holds the log of a Pod open from its next use on. */
  hold(key: ObjectKey): void {
    this.#held.set(keyText(key), podPaths(this.#root, key.namespace, key.name).owner);
  }

  /** Lets go of a Pod that has ended, is removed, or is no longer owned. */
  letGo(key: ObjectKey): void {
    const name = keyText(key);
    this.#held.delete(name);
    this.#closeUnused(name);
  }

  /** True when this log is the one at its path, as far as this process knows. */
  has(key: ObjectKey, log: PodLog): boolean {
    return this.#open.get(keyText(key)) === log;
  }

  unfollow(key: ObjectKey, log: PodLog): void {
    log.unfollow();
    if (this.has(key, log)) this.#closeUnused(keyText(key));
    else log.close();
  }

  #withCurrent<T>(key: ObjectKey, name: string, run: (log: PodLog | undefined) => T): T {
    try {
      return run(this.#current(key, name));
    } finally {
      this.#closeUnused(name);
    }
  }

  #current(key: ObjectKey, name: string): PodLog | undefined {
    const present = this.#open.get(name);
    if (present !== undefined && (this.#locks.isKept(key) || present.look())) return present;
    return this.#replace(name, PodLog.open(this.#path(key)));
  }

  #closeUnused(name: string): void {
    if (!this.#held.has(name) && this.#open.get(name)?.isFollowed !== true) this.#replace(name, undefined);
  }

  /** The follower of the former log, if it has one, reads that to its end and closes it. */
  #replace(name: string, log: PodLog | undefined): PodLog | undefined {
    const before = this.#open.get(name);
    if (before?.isFollowed === false) before.close();
    if (log === undefined) this.#open.delete(name);
    else this.#open.set(name, log);
    return log;
  }

  #path({ namespace, name }: ObjectKey): string {
    return podPaths(this.#root, namespace, name).transitions;
  }
}
