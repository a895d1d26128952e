import { closeSync, constants, mkdirSync, openSync, readdirSync, renameSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { placeTag } from '../place.ts';
import { errnoOf, isDiskLost } from './errno.ts';
import { runHelper } from './helper.ts';
import { startTimeOf } from './process-identity.ts';

/** One FIFO, open at both ends. Whoever takes it closes both. */
export interface Fifo {
  readonly readFd: number;
  readonly writeFd: number;
  /** Its name, which is nobody else's until it is given back. */
  readonly path: string;
}

/** One that a process reads from: its own end waits for us, ours never waits. */
export interface InputFifo extends Fifo {
  /** Stands for the FIFO without being an end of it, as O_PATH has it: that has no name any more. */
  readonly placeFd: number;
}

/** What a process is connected with us by. Those of its output are given back to the pool. */
export interface ProcessFifos {
  /** Undefined: it reads nothing. */
  readonly stdin: InputFifo | undefined;
  readonly stdout: Fifo;
  readonly stderr: Fifo;
}

// mkfifo takes 3 to 5 ms whether it makes two or sixteen.
const FIFOS_AHEAD = 16;
// Whoever has needed many needs more: containers of a Pod start one after the other, and each would wait for its own.
const FIFOS_AHEAD_MAX = 64;

/** Of this process, which may have several pools for one folder; each of its threads counts from elsewhere. */
let taken = Math.floor(Math.random() * 2 ** 40);

const ATTEMPTS_MAX = 3;

/** How names end that mean something to one process only. */
const OURS_ALONE = '.own';

// More than this many spare ones in the folder: several agents ended at once. The rest goes.
const SPARES_MAX = 128;

/**
 * FIFOs for the input and output of containers. Node's own pipes are sockets, which `/dev/stdin` and `/dev/stdout`
 * cannot be opened through, and for which bash takes its user for one who comes from another machine; in a file,
 * `> /dev/stdout` would cut off what was written before. Node cannot make a FIFO, the program mkfifo can: it is called
 * for several at a time. What was used serves again, and what is left over serves the next process that uses the
 * folder: ext4 looks at each inode that was freed in the last minutes when it makes a file beside them, which takes up
 * to 0.3 ms after some hundred containers.
 */
export class FifoPool {
  readonly #directory: string;
  readonly #paths: string[] = [];
  #wanted = 0;
  #ahead = FIFOS_AHEAD;
  #hasLooked = false;
  #making: Promise<void> | undefined;

  /**
   * @param directory private (mode 0700), may be shared with other processes of the user; made when missing, its parent
   *   must exist
   */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Makes FIFOs ahead of the first that are taken. */
  async fill(): Promise<void> {
    this.#adoptSpares();
    if (this.#paths.length < 2) await this.#make();
  }

  /**
   * @param isHeld does a watchdog know them by their names? Names that nobody else knows go when we are gone.
   * @throws {Error} with an errno when the system gives no more files, or no mkfifo
   */
  async take({ isHeld, hasInput }: { isHeld: boolean; hasInput: boolean }): Promise<ProcessFifos> {
    const paths = await this.#claimAll(hasInput ? 3 : 2, isHeld ? '' : OURS_ALONE);
    const [one = '', other = '', third] = paths;
    const opened: Fifo[] = [];
    try {
      for (const path of [one, other]) opened.push(openForOutput(path));
      const [stdout, stderr] = opened as [Fifo, Fifo];
      return { stdout, stderr, stdin: third === undefined ? undefined : openForInput(third) };
    } catch (error) {
      opened.forEach(closeFifo);
      for (const path of paths) unlink(path);
      throw error;
    }
  }

  /**
   * Both ends are closed, and the name is not wanted any more.
   * @param isClean it was read to its end, so that nobody can write to it any more: it serves again
   */
  giveBack({ path }: Fifo, isClean: boolean): void {
    if (!isClean) return unlink(path);
    const spare = join(this.#directory, basename(path).slice(1));
    try {
      renameSync(path, spare);
      this.#paths.push(spare);
    } catch (error) {
      // Somebody has tidied up in the folder, or its disk takes nothing any more.
      if (errnoOf(error) !== 'ENOENT' && !isDiskLost(error)) throw error;
    }
  }

  /** All at once: where many wait, one call of mkfifo makes them for all. */
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

  /** Makes more before the last are gone, without anybody waiting. Who then finds none is told why. */
  #refill(): void {
    if (this.#making !== undefined || this.#paths.length >= this.#ahead / 2) return;
    this.#ahead = Math.min(FIFOS_AHEAD_MAX, this.#ahead * 2);
    this.#make().catch(() => undefined);
  }

  /** Makes a FIFO this process's own, whoever made it: only one can give it another name. Undefined: none is left. */
  #claim(ending: string): string | undefined {
    for (;;) {
      const path = this.#paths.pop();
      if (path === undefined) return undefined;
      const own = join(this.#directory, `.${process.pid}-${placeTag()}-${++taken}${ending}`);
      try {
        renameSync(path, own);
        return own;
      } catch (error) {
        // Somebody else has taken it, or has tidied up in the folder.
        if (errnoOf(error) !== 'ENOENT') throw error;
      }
    }
  }

  /** Takes over what earlier processes left in the folder, and removes what nobody will need. */
  #adoptSpares(): void {
    if (this.#hasLooked) return;
    this.#hasLooked = true;
    const names = namesIn(this.#directory);
    const spares = names.filter((name) => !name.startsWith('.'));
    const killed = names.filter((name) => name.endsWith(OURS_ALONE) && name.startsWith('.') && !mayBeHeld(name));
    for (const name of [...spares.slice(SPARES_MAX), ...killed]) unlink(join(this.#directory, name));
    this.#paths.push(...spares.slice(0, SPARES_MAX).map((name) => join(this.#directory, name)));
  }

  /** One call at a time, for all who wait by then. */
  #make(): Promise<void> {
    this.#making ??= this.#callMkfifo().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #callMkfifo(): Promise<void> {
    // Whoever starts a container in this moment, too, gets here first.
    await Promise.resolve();
    makeDirectory(this.#directory);
    const prefix = `${process.pid}-${placeTag()}.${process.hrtime.bigint().toString(36)}`;
    const names = Array.from({ length: Math.max(this.#ahead, this.#wanted) }, (_, index) => `${prefix}.${index}`);
    for (let attempt = 1; ; attempt++) {
      const outcome = await runHelper({ program: 'mkfifo', args: ['-m', '600', ...names], cwd: this.#directory });
      if (outcome.ok) break;
      // Who tidies up in the folder may take one away between its making and the setting of its mode.
      for (const name of names) unlink(join(this.#directory, name));
      if (attempt < ATTEMPTS_MAX && outcome.errno === undefined) continue;
      throw Object.assign(new Error(`in ${this.#directory}: ${outcome.why}`), { code: outcome.errno ?? 'EIO' });
    }
    this.#paths.push(...names.map((name) => join(this.#directory, name)));
  }
}

/**
 * Removes what lies in a folder for FIFOs: whoever looks for spare ones there makes new ones. Those that a living
 * process has in hand or has made are left alone: it is about to open them, or still makes them.
 */
export function removeFifos(directory: string): void {
  for (const name of namesIn(directory)) if (!mayBeHeld(name)) unlink(join(directory, name));
}

/**
 * True while a process may have this FIFO in hand, or has made it: a process in another PID namespace or on another
 * machine is out of sight. Names of older podruns have no place in them.
 */
function mayBeHeld(name: string): boolean {
  const [, holder, place] = /^\.?(\d+)(?:-([\da-f]{8}))?[-.]/.exec(name) ?? [];
  if (holder === undefined) return false;
  return (place !== undefined && place !== placeTag()) || startTimeOf(Number(holder)) !== undefined;
}

/** None where nobody has needed any. */
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

/** As rmSync does it, for which Node loads a module of its own. */
function unlink(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' && !isDiskLost(error)) throw error;
  }
}

/** Opens both ends. */
function openForOutput(path: string): Fifo {
  // The reader first, so that the writer need not wait for one. O_NONBLOCK is a property of what is opened, not of the
  // descriptor: a writer opened with it would hand EAGAIN to the program, which would lose its output.
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { readFd, writeFd: openSync(path, constants.O_WRONLY), path };
  } catch (error) {
    closeSync(readFd);
    throw error;
  }
}

/** Of Linux, on all machines that Node is made for. Node does not know it. */
const O_PATH = 0o1000_0000;

/** The same the other way round; nobody has to find it by its name. */
function openForInput(path: string): InputFifo {
  const opened: number[] = [];
  const open = (flags: number): number => {
    const descriptor = openSync(path, flags);
    opened.push(descriptor);
    return descriptor;
  };
  try {
    const placeFd = open(O_PATH);
    // For the sake of this one the writer need not wait for a reader, nor the reader for a writer.
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
