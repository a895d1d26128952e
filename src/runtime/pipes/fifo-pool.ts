import { closeSync, constants, existsSync, mkdtempSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { removeLargeTree, removeTree } from '../../remove-tree.ts';
import { quietly, filesIn } from '../../quietly.ts';
import { machineTag } from '../../machine-id.ts';
import { errnoOf, isDiskLost, mkdirIfMissing } from '../base/errno.ts';
import { runHelper } from '../base/helper.ts';
import { startTimeOf } from '../watch/process-identity.ts';

/** One FIFO, open at both ends. The user of the pool closes both. */
export interface Fifo {
  readonly readFd: number;
  readonly writeFd: number;
  /** The path of the FIFO, until it is given back. */
  readonly path: string;
}

/** A FIFO from which a process reads: the reading end blocks, the writing end does not. */
export interface InputFifo extends Fifo {
  /** A descriptor opened with O_PATH, which opens the FIFO again: it has no name any more. */
  readonly placeFd: number;
}

export interface ProcessFifos {
  /** Undefined: the process has no input. */
  readonly stdin: InputFifo | undefined;
  readonly stdout: Fifo;
  readonly stderr: Fifo;
}

/** The number of FIFOs that the first call of mkfifo makes: most runs need no more, and each takes 0.3 ms on a disk. */
const FIRST_FIFOS = 8;
/** The number that each further call makes. */
const FIFOS_PER_CALL = 32;
/** More are made when fewer are free: the containers of a Pod start one after the other, and the next need not wait. */
const FEW_FIFOS = 4;

/**
 * FIFOs for the input and output of containers. Node's own pipes are sockets: `/dev/stdin` and `/dev/stdout` cannot be
 * opened through them, and bash takes a socket for a connection from another machine. In a file, `> /dev/stdout` would
 * truncate earlier output. Node cannot make a FIFO, so the program mkfifo makes some at a time, in a folder of this
 * pool that goes with it. FIFOs of processes that have ended are used again: 200 exec probes a second would call mkfifo
 * twelve times a second.
 */
export class FifoPool {
  readonly #directory: string;
  /** Made for the first FIFOs, and again when it is gone: `.fifos` and the state folder may be removed. */
  #folder: string | undefined;
  #free: string[] = [];
  #made = 0;
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
    if (this.#free.length === 0) await this.#make();
  }

  /**
   * Takes FIFOs for a process.
   * @throws {Error} with an errno when the system has no more files, or no mkfifo
   */
  async take(hasInput: boolean): Promise<ProcessFifos> {
    if (this.#folder !== undefined && !existsSync(this.#folder)) this.#free = [];
    const count = hasInput ? 3 : 2;
    while (this.#free.length < count) await this.#make();
    const paths = this.#free.splice(-count);
    // The next take reports an error.
    if (this.#free.length < FEW_FIFOS) this.#make().catch(() => undefined);
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
   * @param isClean true when it was read to its end, so that no process can write to it any more: it is used again
   */
  giveBack({ path }: Fifo, isClean: boolean): void {
    if (isClean) this.#free.push(path);
    else unlink(path);
  }

  /** Removes the FIFOs. */
  async close(): Promise<void> {
    await this.#making?.catch(() => undefined);
    const folder = this.#folder;
    // It may have been removed, or its disk is read-only: `gc` removes it later.
    if (folder !== undefined) quietly(() => removeTree(folder));
    this.#free = [];
  }

  /** Makes FIFOs, in one call for all that wait. */
  #make(): Promise<void> {
    this.#making ??= this.#callMkfifo().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #callMkfifo(): Promise<void> {
    const folder = this.#madeFolder();
    const count = this.#made === 0 ? FIRST_FIFOS : FIFOS_PER_CALL;
    const names = Array.from({ length: count }, () => String(++this.#made));
    const outcome = await runHelper({ program: 'mkfifo', args: ['-m', '600', ...names], cwd: folder });
    if (!outcome.ok) {
      // The folder may have been removed while mkfifo ran. Then the error is about the folder.
      const { syscall, code } = existsSync(folder)
        ? { code: outcome.errno ?? 'EIO' }
        : { code: 'ENOENT', syscall: 'mkfifo' };
      throw Object.assign(new Error(`in ${folder}: ${outcome.why}`), { code, syscall });
    }
    this.#free.push(...names.map((name) => join(folder, name)));
  }

  #madeFolder(): string {
    if (this.#folder !== undefined && existsSync(this.#folder)) return this.#folder;
    mkdirIfMissing(this.#directory, 0o700);
    this.#folder = mkdtempSync(join(this.#directory, `${process.pid}-${machineTag()}-`));
    return this.#folder;
  }
}

const WHILE_MKFIFO_RUNS = { maxRetries: 20, retryDelay: 10 };

/**
 * Removes the FIFOs of processes that are gone from a folder that pools share. A process in another PID namespace or on
 * another machine cannot be seen: it may be alive. A `mkfifo` of a podrun that was killed may still fill a folder, for
 * some milliseconds: then the removal begins again.
 */
export async function removeFifos(directory: string): Promise<void> {
  for (const name of filesIn(directory)) {
    const [, pid, scope] = /^(\d+)-([\da-f]{8})-/.exec(name) ?? [];
    const isAlive = pid !== undefined && (scope !== machineTag() || startTimeOf(Number(pid)) !== undefined);
    if (!isAlive) await removeLargeTree(join(directory, name), WHILE_MKFIFO_RUNS);
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
