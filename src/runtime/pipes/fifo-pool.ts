import { closeSync, constants, mkdirSync, openSync, readdirSync, renameSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { placeTag } from '../../place.ts';
import { errnoOf, isDiskLost } from '../errno.ts';
import { runHelper } from '../helpers/helper.ts';
import { startTimeOf } from '../watch/process-identity.ts';

/** One FIFO, open at both ends. The user of the pool closes both. */
export interface Fifo {
  readonly readFd: number;
  readonly writeFd: number;
  /** Its name, unique until the FIFO is given back. */
  readonly path: string;
}

/** A FIFO from which a process reads: the reading end blocks, the writing end does not. */
export interface InputFifo extends Fifo {
  /** A descriptor opened with O_PATH, which opens the FIFO again: it has no name any more. */
  readonly placeFd: number;
}

/** The FIFOs of one process. The pool reuses its output FIFOs. */
export interface ProcessFifos {
  /** Undefined: the process has no input. */
  readonly stdin: InputFifo | undefined;
  readonly stdout: Fifo;
  readonly stderr: Fifo;
}

// The number of FIFOs made at a time. mkfifo takes 3 to 5 ms whether it makes two or sixteen.
const FIFOS_AHEAD = 16;
// The largest such number. A process that has used many FIFOs needs more: the containers of a Pod start one after the
// other, and each would wait for its own.
const FIFOS_AHEAD_MAX = 64;

/**
 * The counter for names of this process's FIFOs. Starts at random, because the process may have several pools for one
 * folder, in several threads.
 */
let taken = Math.floor(Math.random() * 2 ** 40);

const ATTEMPTS_MAX = 3;

/** The ending of names that only one process needs. */
const PRIVATE_ENDING = '.own';

// The most spare FIFOs to keep in the folder. Several agents that end at once leave more.
const SPARES_MAX = 128;

/**
 * FIFOs for the input and output of containers. Node's own pipes are sockets: `/dev/stdin` and `/dev/stdout` cannot be
 * opened through them, and bash takes a socket for a connection from another machine. In a file, `> /dev/stdout` would
 * truncate earlier output. Node cannot make a FIFO, so the program mkfifo makes several at a time. Used FIFOs are
 * reused, also by the next process with the same folder: ext4 checks each inode that was freed in the last minutes when
 * it creates a file beside it, which takes up to 0.3 ms after some hundred containers.
 */
export class FifoPool {
  readonly #directory: string;
  readonly #paths: string[] = [];
  #wanted = 0;
  #ahead = FIFOS_AHEAD;
  #hasLooked = false;
  #making: Promise<void> | undefined;

  /**
   * @param directory private (mode 0700). Other processes of the user may share it. Created when missing; its parent
   * must exist
   */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Makes FIFOs before the first ones are taken. */
  async fill(): Promise<void> {
    this.#adoptSpares();
    if (this.#paths.length < 2) await this.#make();
  }

  /**
   * Takes FIFOs for a process.
   * @param isHeld true when a watchdog knows them by their names; other names are removed after the end of this process
   * @throws {Error} with an errno when the system has no more files, or no mkfifo
   */
  async take({ isHeld, hasInput }: { isHeld: boolean; hasInput: boolean }): Promise<ProcessFifos> {
    const paths = await this.#claimAll(hasInput ? 3 : 2, isHeld ? '' : PRIVATE_ENDING);
    const [outPath = '', errPath = '', inPath] = paths;
    const opened: Fifo[] = [];
    try {
      for (const path of [outPath, errPath]) opened.push(openForOutput(path));
      const [stdout, stderr] = opened as [Fifo, Fifo];
      return { stdout, stderr, stdin: inPath === undefined ? undefined : openForInput(inPath) };
    } catch (error) {
      opened.forEach(closeFifo);
      for (const path of paths) unlink(path);
      throw error;
    }
  }

  /**
   * Gives a FIFO back after both ends were closed.
   * @param isClean true when it was read to its end, so that no process can write to it any more: it is reused
   */
  giveBack({ path }: Fifo, isClean: boolean): void {
    if (!isClean) return unlink(path);
    const spare = join(this.#directory, basename(path).slice(1));
    try {
      renameSync(path, spare);
      this.#paths.push(spare);
    } catch (error) {
      // The folder was cleaned up, or its disk is read-only.
      if (errnoOf(error) !== 'ENOENT' && !isDiskLost(error)) throw error;
    }
  }

  /** Takes several at once: one call of mkfifo serves all that wait. */
  async #claimAll(count: number, ending: string): Promise<readonly string[]> {
    this.#adoptSpares();
    const claimed: string[] = [];
    while (claimed.length < count) {
      const path = this.#claim(ending);
      if (path !== undefined) {
        claimed.push(path);
        continue;
      }
      const missing = count - claimed.length;
      this.#wanted += missing;
      await this.#make().finally(() => (this.#wanted -= missing));
    }
    this.#refill();
    return claimed;
  }

  /** Makes more before the last ones are taken. An error is reported by the next take that finds none. */
  #refill(): void {
    if (this.#making !== undefined || this.#paths.length >= this.#ahead / 2) return;
    this.#ahead = Math.min(FIFOS_AHEAD_MAX, this.#ahead * 2);
    this.#make().catch(() => undefined);
  }

  /** Takes a FIFO of any process by renaming it, which only one process can do. Undefined: none is left. */
  #claim(ending: string): string | undefined {
    for (;;) {
      const path = this.#paths.pop();
      if (path === undefined) return undefined;
      const own = join(this.#directory, `.${process.pid}-${placeTag()}-${++taken}${ending}`);
      try {
        renameSync(path, own);
        return own;
      } catch (error) {
        // Another process has taken it, or the folder was cleaned up.
        if (errnoOf(error) !== 'ENOENT') throw error;
      }
    }
  }

  /** Takes over the FIFOs of earlier processes in the folder, and removes those that are not needed. */
  #adoptSpares(): void {
    if (this.#hasLooked) return;
    this.#hasLooked = true;
    const names = namesIn(this.#directory);
    const spares = names.filter((name) => !name.startsWith('.'));
    const killed = names.filter((name) => name.endsWith(PRIVATE_ENDING) && name.startsWith('.') && !mayBeInUse(name));
    for (const name of [...spares.slice(SPARES_MAX), ...killed]) unlink(join(this.#directory, name));
    this.#paths.push(...spares.slice(0, SPARES_MAX).map((name) => join(this.#directory, name)));
  }

  /** Makes FIFOs, in one call for all that wait. */
  #make(): Promise<void> {
    this.#making ??= this.#callMkfifo().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #callMkfifo(): Promise<void> {
    // Other containers that start at this moment add to #wanted first.
    await Promise.resolve();
    makeDirectory(this.#directory);
    const prefix = `${process.pid}-${placeTag()}.${process.hrtime.bigint().toString(36)}`;
    const names = Array.from({ length: Math.max(this.#ahead, this.#wanted) }, (_, index) => `${prefix}.${index}`);
    for (let attempt = 1; ; attempt++) {
      const outcome = await runHelper({ program: 'mkfifo', args: ['-m', '600', ...names], cwd: this.#directory });
      if (outcome.ok) break;
      // Another process may delete a FIFO before mkfifo has set its mode.
      for (const name of names) unlink(join(this.#directory, name));
      if (attempt < ATTEMPTS_MAX && outcome.errno === undefined) continue;
      throw Object.assign(new Error(`in ${this.#directory}: ${outcome.why}`), { code: outcome.errno ?? 'EIO' });
    }
    this.#paths.push(...names.map((name) => join(this.#directory, name)));
  }
}

/**
 * Removes the FIFOs in a folder. A pool that looks for spare ones there makes new ones. FIFOs that a living process has
 * taken or made are left alone: the process is about to open them, or still makes them.
 */
export function removeFifos(directory: string): void {
  for (const name of namesIn(directory)) if (!mayBeInUse(name)) unlink(join(directory, name));
}

/**
 * True while a process may have taken or made this FIFO. A process in another PID namespace or on another machine
 * cannot be seen. Names of older podruns lack the place.
 */
function mayBeInUse(name: string): boolean {
  const [, holder, scope] = /^\.?(\d+)(?:-([\da-f]{8}))?[-.]/.exec(name) ?? [];
  if (holder === undefined) return false;
  return (scope !== undefined && scope !== placeTag()) || startTimeOf(Number(holder)) !== undefined;
}

/** The names in a folder. Empty when the folder is missing. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

export function closeFifo({ readFd, writeFd }: Fifo): void {
  closeSync(readFd);
  closeSync(writeFd);
}

/** Removes a file as rmSync does, for which Node would load another module. */
function unlink(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' && !isDiskLost(error)) throw error;
  }
}

/** Opens both ends of an output FIFO. */
function openForOutput(path: string): Fifo {
  // The reading end first, so that the writing end need not wait for a reader. O_NONBLOCK belongs to the open file, not
  // to the descriptor: a program would get EAGAIN from such a writing end, and lose output.
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { readFd, writeFd: openSync(path, constants.O_WRONLY), path };
  } catch (error) {
    closeSync(readFd);
    throw error;
  }
}

/** The value on Linux, on all architectures of Node. Node does not define it. */
const O_PATH = 0o1000_0000;

/** Opens both ends of an input FIFO and removes its name, which is not needed. */
function openForInput(path: string): InputFifo {
  const opened: number[] = [];
  const open = (flags: number): number => {
    const descriptor = openSync(path, flags);
    opened.push(descriptor);
    return descriptor;
  };
  try {
    const placeFd = open(O_PATH);
    // With this end open, neither the writing nor the reading end waits for the other.
    const opener = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const writeFd = open(constants.O_WRONLY | constants.O_NONBLOCK);
      return { readFd: open(constants.O_RDONLY), writeFd, placeFd, path };
    } finally {
      closeSync(opener);
    }
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    throw error;
  } finally {
    unlink(path);
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
