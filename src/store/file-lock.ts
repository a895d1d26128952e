import { readdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { PodrunError } from '../api/errors.ts';
import { inFolder } from './atomic-file.ts';
import { errorCode, ifPresent } from './disk-errors.ts';
import { brokenLockPath, lockPath, locksFolder } from './layout.ts';
import { type KnownProcess, knownProcess, type ProcessLookup, stillExists } from './known-process.ts';
import type { Resource } from './store.ts';

// What is done under a lock takes less than a millisecond. A holder that needs ten seconds has been stopped.
const PAUSE_MS = 1;
const PAUSES_MAX = 10_000;
const PAUSES_PER_LOOK = 100;

const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * One writer at a time per object. A lock is a symbolic link whose target says who holds it: made in one step, only if
 * there is none, with its content. It cannot go stale: when its holder is gone (pid, start time, boot), the next one
 * removes it.
 *
 * Removing is the delicate part. Two processes may find the same dead holder, and the slower one must not remove the
 * lock that the faster one has taken since. So the right to remove a lock is a lock itself, named after the very lock
 * to be removed: a number makes each unlike all others. Whoever has the right looks again, and removes only that one.
 */
export class FileLocks {
  readonly #root: string;
  readonly #lookup: ProcessLookup;
  #self: KnownProcess | undefined;
  #taken = 0;

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
    const look = (folder: string): void => {
      for (const entry of ifPresent(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
        const file = path.join(folder, entry.name);
        if (entry.isDirectory()) look(file);
        else if (entry.isSymbolicLink()) this.#removeIfDead(file, 'a lock');
      }
    };
    look(locksFolder(this.#root));
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
    const holder = parseHolder(ifPresent(() => readlinkSync(file)) ?? '');
    throw new PodrunError(`${what} is locked by process ${holder.pid}, which does not go on`, {
      hint: `Let process ${holder.pid} continue, or end it.`,
    });
  }

  #tryAcquire(file: string): boolean {
    this.#self ??= knownProcess(process.pid, this.#lookup);
    this.#taken += 1;
    const holder = [this.#self.pid, this.#self.startTime, this.#self.bootId, this.#taken.toString(36)].join('|');
    try {
      inFolder(path.dirname(file), () => symlinkSync(holder, file));
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  #removeIfDead(file: string, what: string): void {
    const holder = ifPresent(() => readlinkSync(file));
    if (holder === undefined || stillExists(parseHolder(holder), this.#lookup)) return;
    this.#holdFile(brokenLockPath(this.#root, holder), what, () => {
      if (ifPresent(() => readlinkSync(file)) === holder) unlinkSync(file);
    });
  }
}

function parseHolder(text: string): KnownProcess {
  const [pid = '0', startTime = '', bootId = ''] = text.split('|');
  return { pid: Number(pid), startTime, bootId };
}
