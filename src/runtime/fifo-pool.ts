import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdirSync, openSync, readdirSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from './errno.ts';
import { startTimeOf } from './process-identity.ts';

/** One FIFO, open at both ends. Whoever takes it closes both. */
export interface Fifo {
  readonly readFd: number;
  readonly writeFd: number;
  /** Its name, which whoever takes it removes, too; gone already where nobody wanted one. */
  readonly path: string;
}

/** What a container writes its output to. */
export interface FifoPair {
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

// More than this many spare ones in the folder: several agents ended at once. The rest goes.
const SPARES_MAX = 64;

/**
 * FIFOs for the output of containers. Node's own pipes are sockets, which `/dev/stdout` cannot be opened through; in a
 * file, `> /dev/stdout` would cut off what was written before. Node cannot make a FIFO, the program mkfifo can: it is
 * called for several at a time, and what is left over serves the next process that uses the folder.
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
   * @param named do others have to find them?
   * @throws {Error} with an errno when the system gives no more files, or no mkfifo
   */
  async takePair(named: boolean): Promise<FifoPair> {
    const [one, other] = await this.#claimTwo();
    let stdout: Fifo | undefined;
    try {
      stdout = openFifo(one, named);
      return { stdout, stderr: openFifo(other, named) };
    } catch (error) {
      if (stdout !== undefined) closeFifo(stdout);
      for (const path of [one, other]) removeName({ path });
      throw error;
    }
  }

  /** Both at once: where many wait, one call of mkfifo makes them for all. */
  async #claimTwo(): Promise<readonly [string, string]> {
    this.#adoptSpares();
    let first: string | undefined;
    for (;;) {
      first ??= this.#claim();
      const second = first === undefined ? undefined : this.#claim();
      if (first !== undefined && second !== undefined) {
        this.#refill();
        return [first, second];
      }
      const missing = first === undefined ? 2 : 1;
      this.#wanted += missing;
      await this.#make().finally(() => (this.#wanted -= missing));
    }
  }

  /** Makes more before the last are gone, without anybody waiting. Who then finds none is told why. */
  #refill(): void {
    if (this.#making !== undefined || this.#paths.length >= this.#ahead / 2) return;
    this.#ahead = Math.min(FIFOS_AHEAD_MAX, this.#ahead * 2);
    this.#make().catch(() => undefined);
  }

  /** Makes a FIFO this process's own, whoever made it: only one can give it another name. Undefined: none is left. */
  #claim(): string | undefined {
    for (;;) {
      const path = this.#paths.pop();
      if (path === undefined) return undefined;
      const own = join(this.#directory, `.${process.pid}-${++taken}`);
      try {
        renameSync(path, own);
        return own;
      } catch (error) {
        // Somebody else has taken it, or has tidied up in the folder.
        if (errnoOf(error) !== 'ENOENT') throw error;
      }
    }
  }

  /** Takes over what earlier processes left in the folder. */
  #adoptSpares(): void {
    if (this.#hasLooked) return;
    this.#hasLooked = true;
    let names: string[];
    try {
      names = readdirSync(this.#directory).filter((name) => !name.startsWith('.'));
    } catch {
      return; // there is no folder yet
    }
    for (const name of names.slice(SPARES_MAX)) unlink(join(this.#directory, name));
    this.#paths.push(...names.slice(0, SPARES_MAX).map((name) => join(this.#directory, name)));
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
    const prefix = `${process.pid}.${process.hrtime.bigint().toString(36)}`;
    const names = Array.from({ length: Math.max(this.#ahead, this.#wanted) }, (_, index) => `${prefix}.${index}`);
    for (let attempt = 1; ; attempt++) {
      const child = spawn('mkfifo', ['-m', '600', ...names], { cwd: this.#directory, stdio: 'ignore' });
      const [exitCode] = (await once(child, 'exit')) as [number | null];
      if (exitCode === 0) break;
      // Who tidies up in the folder may take one away between its making and the setting of its mode.
      for (const name of names) unlink(join(this.#directory, name));
      if (attempt === ATTEMPTS_MAX) throw new Error(`mkfifo in ${this.#directory} ended with exit code ${exitCode}`);
    }
    this.#paths.push(...names.map((name) => join(this.#directory, name)));
  }
}

/**
 * Removes what lies in a folder for FIFOs: whoever looks for spare ones there makes new ones. Those that a living
 * process has in hand or has made are left alone: it is about to open them, or still makes them.
 */
export function removeFifos(directory: string): void {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch {
    return; // nobody has needed any
  }
  for (const name of names) {
    const holder = /^\.?(\d+)[-.]/.exec(name)?.[1];
    if (holder !== undefined && startTimeOf(Number(holder)) !== undefined) continue;
    unlink(join(directory, name));
  }
}

export function closeFifo({ readFd, writeFd }: Fifo): void {
  closeSync(readFd);
  closeSync(writeFd);
}

/** Nobody has to find it any more. */
export function removeName({ path }: Pick<Fifo, 'path'>): void {
  unlink(path);
}

/** As rmSync does it, for which Node loads a module of its own. */
function unlink(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

/** Opens both ends; the name goes where it is not wanted, or was of no use. */
function openFifo(path: string, named: boolean): Fifo {
  let isOpen = false;
  try {
    // The reader first, so that the writer need not wait for one. O_NONBLOCK is a property of what is opened, not of
    // the descriptor: a writer opened with it would hand EAGAIN to the program, which would lose its output.
    const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const writeFd = openSync(path, constants.O_WRONLY);
      isOpen = true;
      return { readFd, writeFd, path };
    } catch (error) {
      closeSync(readFd);
      throw error;
    }
  } finally {
    if (!isOpen || !named) unlink(path);
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
