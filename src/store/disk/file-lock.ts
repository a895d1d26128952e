import { linkSync, readdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { PodrunError } from '../../api/index.ts';
import { nextEventLoopTurn } from '../../clock.ts';
import { succeeds } from '../../quietly.ts';
import { inFolder, readJsonFile } from './atomic-file.ts';
import { errorCode, ifPossible, ifPresent } from './disk-errors.ts';
import { isProcess } from './stored-json.ts';
import { brokenLockPath, lockPath, locksFolder, ownLinkPath } from '../base/layout.ts';
import { distanceOf, type KnownProcess, knownProcess, presenceOf, type ProcessLookup } from './known-process.ts';
import type { ObjectKey, Resource } from '../base/store.ts';

// A lock is held for at most a turn of the event loop. A holder that needs ten seconds has been stopped (SIGSTOP).
const PAUSE_MS = 1;
const PAUSES_MAX = 10_000;
const PAUSES_PER_LOOK = 100;

/** The digits of the boot ID in a lock: a link target below 60 bytes needs no block of the disk. */
const BOOT_DIGITS = 16;

/** A process that takes fewer locks keeps no link: it would stay when the process is killed, until the next `gc`. */
const LOCKS_WITHOUT_LINK = 50;

const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Lets one process at a time write an object. A lock is a symbolic link whose target names the holder. It is made in
 * one step, with its content, only where no lock is: the first ones by symlink, later ones as further names of a link
 * that the process keeps. Another name takes a tenth of the time of a new file, and ext4 makes a new file slower when
 * many were removed before. The owner of a Pod, which writes a lot, links the file that names the owner instead. The
 * next process removes the lock of a holder that is gone (by pid, start time, boot). It leaves the lock of a holder in
 * another PID namespace or on another machine alone.
 *
 * Two processes may find the same dead holder: the slower one must not remove the new lock of the faster one. So the
 * right to remove a lock is a lock itself, named after the dead holder. A process with this right reads the lock again,
 * and removes it only if it still names the dead holder, which takes no more locks.
 */
export class FileLocks {
  /** The locks that this process keeps until the end of this turn of the event loop, with the last user of each. */
  static readonly #kept = new Map<string, FileLocks>();
  /** True from the first kept lock of a turn until its end. */
  static #isReleasePlanned = false;
  /** The locks that were made without a link to name again. Infinity: no link can be kept. */
  #made = 0;
  readonly #root: string;
  readonly #lookup: ProcessLookup;
  #self: KnownProcess | undefined;

  constructor(root: string, lookup: ProcessLookup) {
    this.#root = root;
    this.#lookup = lookup;
  }

  /**
   * Runs a function while no other process writes the object. Must not be nested for one object.
   * @param ownFile a file that names this process, as an owner. Undefined: there is none
   * @throws {PodrunError} when another process keeps the lock for ten seconds
   */
  hold<T>(resource: Resource, { namespace, name }: ObjectKey, run: () => T, ownFile?: string): T {
    const file = lockPath(this.#root, resource, namespace, name);
    if (!FileLocks.#kept.delete(file)) this.#acquire(file, `${resource} "${name}"`, ownFile);
    return this.#whileHeld(file, run);
  }

  /**
   * Runs a function while no other process writes a Pod, and keeps the lock until the end of this turn of the event
   * loop: the owner of a Pod mostly writes several times in a turn. Other stores of this process may use a lock that is
   * kept. Must not be nested for one Pod.
   * @param owned the text of the key
   * @param ownFiles the files that name this process as an owner, by key. Without one, after `run`, no lock is kept
   * @throws {PodrunError} as `hold` does
   */
  keep<T>(key: ObjectKey, owned: string, run: () => T, ownFiles: ReadonlyMap<string, string>): T {
    const file = lockPath(this.#root, 'pods', key.namespace, key.name);
    if (!FileLocks.#kept.has(file)) this.#acquire(file, `pods "${key.name}"`, ownFiles.get(owned));
    try {
      return run();
    } finally {
      if (!FileLocks.#isReleasePlanned) {
        FileLocks.#isReleasePlanned = true;
        process.once('exit', FileLocks.#releaseKept);
        nextEventLoopTurn(FileLocks.#releaseKept);
      }
      FileLocks.#kept.set(file, this);
      if (!ownFiles.has(owned)) this.#release(file);
    }
  }

  /** True while no other process or store has held this lock since the last call of `keep`. */
  isKept({ namespace, name }: ObjectKey): boolean {
    return FileLocks.#kept.size > 0 && FileLocks.#kept.get(lockPath(this.#root, 'pods', namespace, name)) === this;
  }

  #release(file: string): void {
    FileLocks.#kept.delete(file);
    ifPresent(() => unlinkSync(file));
  }

  static readonly #releaseKept = (): void => {
    FileLocks.#isReleasePlanned = false;
    process.off('exit', FileLocks.#releaseKept);
    const files = [...FileLocks.#kept.keys()];
    FileLocks.#kept.clear();
    for (const file of files) ifPossible(() => unlinkSync(file));
  };

  /** Removes the locks of processes that are gone. Otherwise the next process that takes such a lock removes it. */
  sweep(): void {
    this.#sweepFolder(locksFolder(this.#root));
  }

  #sweepFolder(folder: string): void {
    for (const entry of ifPresent(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) this.#sweepFolder(file);
      else this.#removeIfDead(file, 'a lock');
    }
  }

  #whileHeld<T>(file: string, run: () => T): T {
    try {
      return run();
    } finally {
      ifPresent(() => unlinkSync(file));
    }
  }

  #acquire(file: string, what: string, ownFile?: string): void {
    // Some file systems have no hard links.
    if (ownFile !== undefined && succeeds(() => linkSync(ownFile, file))) return;
    for (let pauses = 0; pauses < PAUSES_MAX; pauses++) {
      if (this.#tryAcquire(file)) return;
      if (pauses % PAUSES_PER_LOOK === 1) this.#removeIfDead(file, what);
      Atomics.wait(pause, 0, 0, PAUSE_MS);
    }
    throw this.#stuck(file, what);
  }

  #stuck(file: string, what: string): PodrunError {
    const holder = parseHolder(holderIn(file) ?? '');
    const distance = distanceOf(holder, this.#lookup);
    const where = distance === undefined ? '' : distance === 'another machine' ? ` on ${distance}` : ` in ${distance}`;
    return new PodrunError(
      'Unreachable',
      `${what} is locked by process ${holder.pid}${where}, which does not continue`,
      {
        hint:
          distance === undefined
            ? `Let process ${holder.pid} continue, or end it.`
            : `Let process ${holder.pid} continue there. If it is gone, remove ${file}.`,
      },
    );
  }

  #tryAcquire(file: string): boolean {
    try {
      inFolder(path.dirname(file), () => this.#make(file));
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  #make(file: string): void {
    const isBusy = this.#made >= LOCKS_WITHOUT_LINK && this.#made < Infinity;
    const own = ownLinkPath(this.#root, this.#holder());
    if (isBusy && succeeds(() => linkSync(own, file))) return;
    symlinkSync(this.#holder(), file);
    this.#made = isBusy && !keepLink(own, file) ? Infinity : this.#made + 1;
  }

  #holder(): string {
    this.#self ??= knownProcess(process.pid, this.#lookup);
    return holderText(this.#self);
  }

  #removeIfDead(file: string, what: string): void {
    const holder = holderIn(file);
    if (holder === undefined || presenceOf(parseHolder(holder), this.#lookup) !== 'gone') return;
    const right = brokenLockPath(this.#root, holder);
    this.#acquire(right, what);
    this.#whileHeld(right, () => {
      if (holderIn(file) === holder) unlinkSync(file);
    });
  }
}

/** The links that are kept in the state folders. They go with the process. */
const keptLinks = new Set<string>();

/**
 * Keeps the link that a lock is under another name, as long as this process runs. Returns false where links have no
 * further names: on some file systems, and on systems that give the name to what a link leads to.
 */
function keepLink(own: string, lock: string): boolean {
  try {
    inFolder(path.dirname(own), () => linkSync(lock, own));
  } catch (error) {
    // Kept for another store of this process.
    if (errorCode(error) !== 'EEXIST') return false;
  }
  if (keptLinks.size === 0) process.once('exit', removeKeptLinks);
  keptLinks.add(own);
  return true;
}

function removeKeptLinks(): void {
  for (const link of keptLinks) ifPossible(() => unlinkSync(link));
}

/** The holder that a lock names. Undefined: there is no such lock. */
function holderIn(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (errorCode(error) !== 'EINVAL') throw error;
  }
  const owner = readJsonFile<KnownProcess>(file, isProcess);
  return owner && holderText(owner);
}

function holderText({ pid, startTime, bootId, pidNamespace = '', machineId = '' }: KnownProcess): string {
  return [pid, startTime, bootId.slice(0, BOOT_DIGITS), pidNamespace, machineId].join('|');
}

function parseHolder(text: string): KnownProcess {
  const [pid = '0', startTime = '', bootId = '', pidNamespace, machineId] = text.split('|');
  const process = { pid: Number(pid), startTime, bootId };
  // Locks of older versions of podrun have no PID namespace and no machine.
  return machineId === undefined ? process : { ...process, pidNamespace, machineId };
}
