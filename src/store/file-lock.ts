import { linkSync, readdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { PodrunError } from '../api/errors.ts';
import { inFolder } from './atomic-file.ts';
import { errorCode, ifPresent } from './disk-errors.ts';
import { brokenLockPath, lockPath, lockSeatPath, locksFolder } from './layout.ts';
import { distanceOf, type KnownProcess, knownProcess, presenceOf, type ProcessLookup } from './known-process.ts';
import type { Resource } from './store.ts';

// What is done under a lock takes less than a millisecond. A holder that needs ten seconds has been stopped.
const PAUSE_MS = 1;
const PAUSES_MAX = 10_000;
const PAUSES_PER_LOOK = 100;

/** As many of a boot as leave room for the rest: a target below 60 bytes needs no block of the disk. */
const BOOT_DIGITS = 16;

const pause = new Int32Array(new SharedArrayBuffer(4));

/** Of this process: symbolic links that locks are hard links to, by the folder of all state. */
const seats = new Map<string, string>();
let leavesAtExit = false;

// A process that runs Pods in a folder of state each has no use for those of folders that are gone.
const SEATS_MAX = 16;

/**
 * One writer at a time per object. A lock is a symbolic link whose target says who holds it: made in one step, only if
 * there is none, with its content. It cannot go stale: when its holder is gone (pid, start time, boot), the next one
 * removes it. A holder in another PID namespace or on another machine is out of sight, and its lock is left alone.
 *
 * Removing is the delicate part. Two processes may find the same dead holder, and the slower one must not remove the
 * lock that the faster one has taken since. So the right to remove a lock is a lock itself, named after the holder of
 * the lock to be removed. Whoever has the right looks again, and removes only a lock of that holder, who takes no more.
 *
 * The first lock that a process takes is a symbolic link of its own, those that follow are hard links to another: its
 * seat. With an inode for each, freed at once, there would be thousands of such: ext4 looks at all that were freed in
 * the last minutes when it makes a file beside them, which takes 0.3 ms after some hundred Pods.
 */
export class FileLocks {
  readonly #root: string;
  readonly #lookup: ProcessLookup;
  #self: KnownProcess | undefined;
  #taken = 0;
  /** Elsewhere, a hard link leads to what the symbolic one leads to. */
  #hasSeats = process.platform === 'linux';

  constructor(root: string, lookup: ProcessLookup) {
    this.#root = root;
    this.#lookup = lookup;
  }

  /**
   * Runs something while no other process writes that object. Must not be nested for one object.
   * @throws {PodrunError} when another process keeps the lock for ten seconds
   */
  hold<T>(resource: Resource, namespace: string, name: string, run: () => T): T {
    return this.#holdFile(lockPath(this.#root, resource, namespace, name), `${resource} "${name}"`, run);
  }

  /** Removes the locks of processes that are gone: otherwise the next one to take such a lock does. */
  sweep(): void {
    this.#sweepFolder(locksFolder(this.#root));
  }

  #sweepFolder(folder: string): void {
    for (const entry of ifPresent(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) this.#sweepFolder(file);
      else if (entry.isSymbolicLink()) this.#removeIfDead(file, 'a lock');
    }
  }

  #holdFile<T>(file: string, what: string, run: () => T): T {
    this.#acquire(file, what);
    try {
      return run();
    } finally {
      ifPresent(() => unlinkSync(file));
    }
  }

  #acquire(file: string, what: string): void {
    for (let pauses = 0; pauses < PAUSES_MAX; pauses++) {
      if (this.#tryAcquire(file)) return;
      if (pauses % PAUSES_PER_LOOK === 1) this.#removeIfDead(file, what);
      Atomics.wait(pause, 0, 0, PAUSE_MS);
    }
    throw this.#stuck(file, what);
  }

  #stuck(file: string, what: string): PodrunError {
    const holder = parseHolder(ifPresent(() => readlinkSync(file)) ?? '');
    const distance = distanceOf(holder, this.#lookup);
    const where = distance === undefined ? '' : distance === 'another machine' ? ` on ${distance}` : ` in ${distance}`;
    return new PodrunError(`${what} is locked by process ${holder.pid}${where}, which does not go on`, {
      hint:
        distance === undefined
          ? `Let process ${holder.pid} continue, or end it.`
          : `Let process ${holder.pid} continue there. If it is gone, remove ${file}.`,
    });
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
    this.#taken += 1;
    if (this.#taken === 1 || !this.#linkToSeat(file)) symlinkSync(this.#holder(), file);
  }

  #holder(): string {
    this.#self ??= knownProcess(process.pid, this.#lookup);
    const { pid, startTime, bootId, pidNamespace = '', machineId = '' } = this.#self;
    return [pid, startTime, bootId.slice(0, BOOT_DIGITS), pidNamespace, machineId].join('|');
  }

  /**
   * @returns false where that cannot be: not all systems and file systems make hard links to symbolic ones
   * @throws {Error} EEXIST when somebody holds the lock
   */
  #linkToSeat(file: string): boolean {
    if (!this.#hasSeats) return false;
    try {
      linkSync(this.#takeSeat(), file);
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') throw error;
      // Who tidies up takes away whole folders: the next lock has another seat.
      if (errorCode(error) !== 'ENOENT') this.#hasSeats = false;
      leaveSeat(this.#root);
      return false;
    }
  }

  #takeSeat(): string {
    const known = seats.get(this.#root);
    if (known !== undefined) return known;
    if (!leavesAtExit) process.once('exit', leaveSeats);
    leavesAtExit = true;
    for (const root of seats.keys()) if (seats.size >= SEATS_MAX) leaveSeat(root);
    const seat = lockSeatPath(this.#root, `${process.pid}-${Math.random().toString(36).slice(2)}`);
    inFolder(path.dirname(seat), () => symlinkSync(this.#holder(), seat));
    seats.set(this.#root, seat);
    // Those of killed processes.
    this.#sweepFolder(path.dirname(seat));
    return seat;
  }

  #removeIfDead(file: string, what: string): void {
    const holder = ifPresent(() => readlinkSync(file));
    if (holder === undefined || presenceOf(parseHolder(holder), this.#lookup) !== 'gone') return;
    this.#holdFile(brokenLockPath(this.#root, holder), what, () => {
      if (ifPresent(() => readlinkSync(file)) === holder) unlinkSync(file);
    });
  }
}

function leaveSeats(): void {
  for (const root of seats.keys()) leaveSeat(root);
}

function leaveSeat(root: string): void {
  const seat = seats.get(root);
  seats.delete(root);
  try {
    if (seat !== undefined) unlinkSync(seat);
  } catch {
    // It is gone, or cannot be removed: who tidies up sees that its process is gone.
  }
}

function parseHolder(text: string): KnownProcess {
  const [pid = '0', startTime = '', bootId = '', pidNamespace, machineId] = text.split('|');
  const process = { pid: Number(pid), startTime, bootId };
  // Older podruns wrote fewer parts.
  return machineId === undefined ? process : { ...process, pidNamespace, machineId };
}
