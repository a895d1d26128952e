import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import { handOver } from './hand-over.ts';
import { closeFifo, type Fifo, FifoPool, removeName } from './fifo-pool.ts';
import type { Inside } from './inside.ts';
import { readFifo, readPipe, type PipeReader } from './pipe-reader.ts';
import type { OutputStream } from './runtime.ts';
import type { HeldPipes, Watchdog } from './watchdog.ts';

/** `fifo`: `/dev/stdout` can be opened on Linux. `pipe`: Node's own, with which that works on macOS only. */
export type OutputKind = 'fifo' | 'pipe';

type OnOutput = (stream: OutputStream, chunk: Buffer) => void;

/** Pipes for a process that is about to be started. Either `read` or `discard` is called, once. */
export interface OutputPipes {
  /** What the process gets as its stdout and stderr. */
  readonly stdio: readonly [number, number] | readonly ['pipe', 'pipe'];
  /** The process has been started: reads what it writes, once that is not held any more. */
  read(child: OutputOwner, onOutput: OnOutput): PipeReader;
  /** What writes to them from now on is the program that they were made for. */
  runs(): void;
  /** The process could not be started. */
  discard(): void;
}

/** A child process, as far as its output goes. */
export interface OutputOwner {
  readonly stdout: Readable | null | undefined;
  readonly stderr: Readable | null | undefined;
}

/** Keeps what is in pipes while nobody reads it: see Watchdog. */
type PipeHolder = Pick<Watchdog, 'hold'>;

/** What is known of a process whose output is to be read. */
export interface OutputSource {
  /** See Inside. */
  readonly owner?: Inside['owner'];
  /** See ContainerLaunch; undefined: what is in its pipes ends with podrun. */
  readonly logFile?: string | undefined;
}

/** Makes the pipes through which the output of processes reaches us. */
export class OutputMaker {
  readonly #clock: Clock;
  readonly #kind: OutputKind;
  readonly #fifos: FifoPool;
  readonly #holder: PipeHolder;

  /** @param fifoDir see FifoPool */
  constructor(clock: Clock, fifoDir: string, kind: OutputKind, holder: PipeHolder) {
    this.#clock = clock;
    this.#holder = holder;
    this.#kind = kind;
    this.#fifos = new FifoPool(fifoDir);
  }

  /** Does ahead of time what the first to come would have to wait for. */
  async prepare(): Promise<void> {
    if (this.#kind === 'fifo') await this.#fifos.fill();
  }

  /** @throws {Error} with an errno when the system gives no more files */
  async make({ owner, logFile }: OutputSource): Promise<OutputPipes> {
    if (this.#kind === 'pipe') return this.#nodePipes();
    const { stdout, stderr } = await this.#fifos.takePair(logFile !== undefined);
    const { runs, release } = logFile === undefined ? NOT_HELD : this.#hold(stdout, stderr, logFile);
    handOver([stdout.writeFd, stderr.writeFd], owner);
    return {
      stdio: [stdout.writeFd, stderr.writeFd],
      read: (_child, onOutput) => {
        // The process has descriptors of its own by now; with ours open, the output would never end.
        closeSync(stdout.writeFd);
        closeSync(stderr.writeFd);
        const reader = both(
          readFifo(stdout.readFd, this.#clock, (chunk) => onOutput('stdout', chunk)),
          readFifo(stderr.readFd, this.#clock, (chunk) => onOutput('stderr', chunk)),
        );
        void reader.closed.then(release);
        return reader;
      },
      runs,
      discard: () => {
        closeFifo(stdout);
        closeFifo(stderr);
        release();
      },
    };
  }

  #hold(stdout: Fifo, stderr: Fifo, logFile: string): HeldPipes {
    const { runs, release } = this.#holder.hold({ stdout: stdout.path, stderr: stderr.path, logFile });
    return {
      runs,
      release: () => {
        release();
        removeName(stdout);
        removeName(stderr);
      },
    };
  }

  #nodePipes(): OutputPipes {
    return {
      stdio: ['pipe', 'pipe'],
      // The streams of a child process are sockets, in spite of their type.
      read: ({ stdout, stderr }, onOutput) =>
        both(
          readPipe(stdout as Socket, this.#clock, (chunk) => onOutput('stdout', chunk)),
          readPipe(stderr as Socket, this.#clock, (chunk) => onOutput('stderr', chunk)),
        ),
      runs: () => undefined,
      discard: () => undefined,
    };
  }
}

const NOT_HELD: HeldPipes = { runs: () => undefined, release: () => undefined };

function both(stdout: PipeReader, stderr: PipeReader): PipeReader {
  return {
    closed: Promise.all([stdout.closed, stderr.closed]).then(() => undefined),
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
