import { closeSync, constants, existsSync, fchmodSync, fchownSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../clock.ts';
import { guarded, inBackground } from '../../defects.ts';
import { quietly, succeeds } from '../../quietly.ts';
import { errnoOf, isDiskLost } from '../base/errno.ts';
import type { Inside } from '../base/inside.ts';
import type { OnOutput, OutputStream } from '../base/runtime.ts';
import type { HeldPipes, Watchdog } from '../watch/watchdog.ts';
import { closeFifo, type Fifo, FifoPool, type InputFifo } from './fifo-pool.ts';
import { noteNothingInFlight, type PipeReader, readFifo, readPipe } from './pipe-reader.ts';

/** `fifo`: `/dev/stdout` can be opened on Linux. `pipe`: Node's own pipes, where that works on macOS only. */
export type PipeKind = 'fifo' | 'pipe';

/** podrun's ends of a process's pipes. */
export interface ConnectedPipes {
  /** The output of the process, passed on when it is not held. */
  readonly output: PipeReader;
  /** The input of the process. Undefined: none. */
  readonly input: Writable | undefined;
}

/** The pipes for a process that is about to start. Either `connect` or `discard` is called, once. */
export interface ProcessPipes {
  /** The stdin, stdout and stderr of the process. */
  readonly stdio: readonly [number | 'pipe' | 'ignore', number | 'pipe', number | 'pipe'];
  /** Called when the process has started. */
  connect(child: PipeOwner, onOutput: OnOutput): ConnectedPipes;
  /** Called when the program itself runs: no tool before it writes any more. */
  runs(): void;
  /** Called when the process could not be started. */
  discard(): void;
}

/** The part of a child process that has pipes. */
interface PipeOwner {
  readonly stdin: Writable | null;
  readonly stdout: Readable | null | undefined;
  readonly stderr: Readable | null | undefined;
}

/** Keeps output in pipes after the end of podrun: see Watchdog. */
type PipeHolder = Pick<Watchdog, 'hold'>;

/** A process that needs pipes. */
interface PipeUser {
  /** See Inside. */
  readonly owner?: Inside['owner'];
  /** See ContainerLaunch. Undefined: output in its pipes is lost with podrun. */
  readonly logFile?: string | undefined;
  /** True when the process has input. */
  readonly hasInput?: boolean;
}

/** Makes the pipes between podrun and the processes. */
export class PipeMaker {
  readonly #clock: Clock;
  readonly #kind: PipeKind;
  readonly #fifos: FifoPool;
  readonly #fifoDir: string;
  readonly #holder: PipeHolder;

  /** @param fifoDir see FifoPool */
  constructor(clock: Clock, fifoDir: string, kind: PipeKind, holder: PipeHolder) {
    this.#clock = clock;
    this.#holder = holder;
    this.#kind = kind;
    this.#fifoDir = fifoDir;
    this.#fifos = new FifoPool(fifoDir);
  }

  /** Prepares work that the first process would wait for. */
  async prepare(): Promise<void> {
    if (this.#kind === 'fifo') await this.#fifos.fill();
  }

  async close(): Promise<void> {
    await this.#fifos.close();
  }

  /** @throws {Error} with an errno when the system has no more files */
  async make({ owner, logFile, hasInput = false }: PipeUser): Promise<ProcessPipes> {
    if (this.#kind === 'pipe') return this.#nodePipes(hasInput);
    const isHeld = logFile !== undefined;
    const taken = await this.#fifos.take(hasInput).catch((error: unknown) => {
      // The state folder is gone, goes now, or is not writable: the Pods are being ended, and their hooks still run.
      if (existsSync(path.dirname(this.#fifoDir)) && !isDiskLost(error) && !isOfARemovedFile(error)) throw error;
      return undefined;
    });
    if (taken === undefined) return this.#nodePipes(hasInput);
    const { stdin, stdout, stderr } = taken;
    if (isHeld) for (const { readFd } of [stdout, stderr]) noteNothingInFlight(readFd);
    const { runs, release } =
      logFile === undefined ? NOT_HELD : this.#holder.hold({ stdout: stdout.path, stderr: stderr.path, logFile });
    const theirs = [...(stdin === undefined ? [] : [stdin.readFd]), stdout.writeFd, stderr.writeFd];
    handOver(theirs, owner);
    return {
      stdio: [stdin?.readFd ?? 'ignore', stdout.writeFd, stderr.writeFd],
      connect: (_child, onOutput) => {
        // The process has its own descriptors by now. With podrun's open, the output would never end.
        for (const descriptor of theirs) closeSync(descriptor);
        const read = ({ readFd }: Fifo, stream: OutputStream): PipeReader =>
          readFifo(readFd, this.#clock, (chunk) => onOutput(stream, chunk), isHeld);
        const readers = [read(stdout, 'stdout'), read(stderr, 'stderr')] as const;
        inBackground(
          Promise.all(readers.map(({ closed }) => closed)).then(([isOutDone = false, isErrDone = false]) => {
            release();
            // A FIFO that was handed over belongs to another user now.
            this.#fifos.giveBack(stdout, isOutDone && owner === undefined);
            this.#fifos.giveBack(stderr, isErrDone && owner === undefined);
          }),
        );
        const output = both(...readers);
        return { output, input: stdin && writeFifo(stdin, this.#clock) };
      },
      runs,
      discard: () => {
        if (stdin !== undefined) discardInput(stdin);
        release();
        for (const fifo of [stdout, stderr]) {
          closeFifo(fifo);
          this.#fifos.giveBack(fifo, owner === undefined);
        }
      },
    };
  }

  #nodePipes(hasInput: boolean): ProcessPipes {
    return {
      stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      // The streams of a child process are sockets, unlike their type.
      connect: ({ stdin, stdout, stderr }, onOutput) => ({
        output: both(
          readPipe(stdout as Socket, this.#clock, (chunk) => onOutput('stdout', chunk)),
          readPipe(stderr as Socket, this.#clock, (chunk) => onOutput('stderr', chunk)),
        ),
        input: stdin ?? undefined,
      }),
      runs: () => undefined,
      discard: () => undefined,
    };
  }
}

const NOT_HELD: HeldPipes = { runs: () => undefined, release: () => undefined };

function both(stdout: PipeReader, stderr: PipeReader): PipeReader {
  return {
    closed: Promise.all([stdout.closed, stderr.closed]).then(([isOutDone, isErrDone]) => isOutDone && isErrDone),
    finish: async () => {
      await Promise.all([stdout.finish(), stderr.finish()]);
    },
    close: () => {
      stdout.close();
      stderr.close();
    },
    hold: (held) => {
      stdout.hold(held);
      stderr.hold(held);
    },
  };
}

/** True when files were removed meanwhile. The error of a missing program names no system call. */
function isOfARemovedFile(error: unknown): boolean {
  return errnoOf(error) === 'ENOENT' && (error as NodeJS.ErrnoException).syscall !== undefined;
}

/** The intervals at which late readers are let in after the end of the input. */
const LOOK_FIRST_MS = 5;
const LOOK_LAST_MS = 250;

/** Writes to a FIFO and owns its descriptors. The process has the reading end by now. */
function writeFifo({ writeFd, placeFd }: InputFifo, clock: Clock): Writable {
  const socket = guarded(new Socket({ fd: writeFd, readable: false, writable: true }), { ends: false });
  socket.once('close', () => letInLateReaders(placeFd, clock));
  return socket;
}

/**
 * Lets late readers in. A program that opens `/dev/stdin` after the end of the input would wait for a writer for ever;
 * on a node, its unnamed pipe would be at its end at once. A writer that opens and closes the FIFO ends the wait, and
 * the reader finds the end. A waiting reader cannot be detected.
 */
function letInLateReaders(placeFd: number, clock: Clock): void {
  let pauseMs = LOOK_FIRST_MS;
  const look = (): void => {
    const flags = constants.O_WRONLY | constants.O_NONBLOCK;
    const isOpen = succeeds(() => closeSync(openSync(`/proc/self/fd/${placeFd}`, flags)));
    // No process has the FIFO open: there will be no more readers.
    if (!isOpen) return closeSync(placeFd);
    clock.wakeAt(clock.now().monotonicMs + pauseMs, look);
    pauseMs = Math.min(LOOK_LAST_MS, 2 * pauseMs);
  };
  look();
}

/** Closes an input FIFO that was not used. */
function discardInput(fifo: InputFifo): void {
  closeFifo(fifo);
  closeSync(fifo.placeFd);
}

/**
 * Makes the container's user the owner of its output: only the owner may open /dev/stdout.
 * @param descriptors of pipes or of a terminal
 */
export function handOver(descriptors: readonly number[], owner: Inside['owner']): void {
  if (owner === undefined) return;
  // The files are in a private folder: only who inherits the descriptors finds them.
  if (owner === 'mapped') return descriptors.forEach((descriptor) => quietly(() => fchmodSync(descriptor, 0o622)));
  // Without CAP_CHOWN, the program can still write to its inherited descriptors.
  for (const descriptor of descriptors) quietly(() => fchownSync(descriptor, owner.uid, owner.gid));
}
