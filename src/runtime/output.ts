import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import { handOver } from './hand-over.ts';
import { closeFifo, FifoPool } from './fifo-pool.ts';
import type { Inside } from './inside.ts';
import { readFifo, readPipe, type PipeReader } from './pipe-reader.ts';
import type { OutputStream } from './runtime.ts';

/** `fifo`: `/dev/stdout` can be opened on Linux. `pipe`: Node's own, with which that works on macOS only. */
export type OutputKind = 'fifo' | 'pipe';

type OnOutput = (stream: OutputStream, chunk: Buffer) => void;

/** Pipes for a process that is about to be started. Either `read` or `discard` is called, once. */
export interface OutputPipes {
  /** What the process gets as its stdout and stderr. */
  readonly stdio: readonly [number, number] | readonly ['pipe', 'pipe'];
  /** The process has been started: reads what it writes. */
  read(child: OutputOwner, onOutput: OnOutput): PipeReader;
  /** The process could not be started. */
  discard(): void;
}

/** A child process, as far as its output goes. */
export interface OutputOwner {
  readonly stdout: Readable | null | undefined;
  readonly stderr: Readable | null | undefined;
}

/** Makes the pipes through which the output of processes reaches us. */
export class OutputMaker {
  readonly #clock: Clock;
  readonly #kind: OutputKind;
  readonly #fifos: FifoPool;

  /** @param fifoDir see FifoPool */
  constructor(clock: Clock, fifoDir: string, kind: OutputKind) {
    this.#clock = clock;
    this.#kind = kind;
    this.#fifos = new FifoPool(fifoDir);
  }

  /** Does ahead of time what the first to come would have to wait for. */
  async prepare(): Promise<void> {
    if (this.#kind === 'fifo') await this.#fifos.fill();
  }

  /**
   * @param owner see Inside
   * @throws {Error} with an errno when the system gives no more files
   */
  async make(owner?: Inside['owner']): Promise<OutputPipes> {
    if (this.#kind === 'pipe') return this.#nodePipes();
    const { stdout, stderr } = await this.#fifos.takePair();
    handOver([stdout.writeFd, stderr.writeFd], owner);
    return {
      stdio: [stdout.writeFd, stderr.writeFd],
      read: (_child, onOutput) => {
        // The process has descriptors of its own by now; with ours open, the output would never end.
        closeSync(stdout.writeFd);
        closeSync(stderr.writeFd);
        return both(
          readFifo(stdout.readFd, this.#clock, (chunk) => onOutput('stdout', chunk)),
          readFifo(stderr.readFd, this.#clock, (chunk) => onOutput('stderr', chunk)),
        );
      },
      discard: () => {
        closeFifo(stdout);
        closeFifo(stderr);
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
      discard: () => undefined,
    };
  }
}

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
