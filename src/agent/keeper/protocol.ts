/**
 * What an agent and the keeper of its containers say to each other: frames of two lengths (four bytes each, the
 * highest first), that of the message and that of the piece of a stream which comes with it; the message is JSON. Both
 * may be of different versions of podrun: messages are only ever added, and unknown fields passed over.
 */
import type { Instant } from '../../api/time.ts';
import type { ResourceLimits } from '../../runtime/confinement.ts';
import type {
  ContainerLaunch,
  ExecLaunch,
  ExecOutcome,
  ExecRequest,
  ExecStart,
  OutputStream,
  ProcessExit,
  RunningContainer,
  StartOutcome,
  TerminalSize,
} from '../../runtime/runtime.ts';

/** Raised when an agent could not make sense of an older keeper. */
export const KEEPER_VERSION = 1;

type Callable = (...args: never[]) => unknown;

/** What of a thing can be told to another process: all but its functions. */
export type Told<T> = T extends Callable
  ? never
  : T extends readonly unknown[]
    ? T
    : T extends object
      ? { readonly [Key in keyof T as NonNullable<T[Key]> extends Callable ? never : Key]: Told<T[Key]> }
      : T;

/** What can be told of a thing, as JSON makes it: its functions are gone. */
export function plain<T extends object>(running: T): Told<T> {
  return JSON.parse(JSON.stringify(running)) as Told<T>;
}

export type ToldLaunch = Omit<ContainerLaunch, 'onOutput' | 'onExit'>;
export type ToldContainer = Told<RunningContainer>;
export type ToldExec = Omit<ExecLaunch, 'onOutput' | 'onExit'>;
export type ToldExit = Omit<ProcessExit, 'swept'>;

/** Where the keeper writes what a container prints. */
export interface LogPlace {
  readonly namespace: string;
  readonly name: string;
  /** Of the Pod: whose place another has taken gets no log any more. */
  readonly uid: string;
  readonly container: string;
  readonly attempt: number;
}

/** A container that the keeper has started; of each container of a Pod the newest one at least. */
export interface KeptContainer {
  readonly id: string;
  readonly launch: ToldLaunch;
  readonly running: ToldContainer;
  /** Undefined: it runs. */
  readonly exit: ToldExit | undefined;
  readonly isSwept: boolean;
}

/** A process that the keeper has started: a container by its ID, a command by its number. */
export type ProcessRef = { readonly container: string } | { readonly command: number };

export type ToKeeper =
  | { readonly type: 'start'; readonly launch: ToldLaunch; readonly log: LogPlace }
  | { readonly type: 'signal'; readonly container: string; readonly name: string; readonly piece: number }
  | { readonly type: 'limit'; readonly container: string; readonly limits: ResourceLimits }
  | { readonly type: 'kill'; readonly of: ProcessRef }
  /** With a piece of the input. */
  | { readonly type: 'input'; readonly of: ProcessRef; readonly piece: number }
  | { readonly type: 'inputEnd'; readonly of: ProcessRef }
  | { readonly type: 'resize'; readonly of: ProcessRef; readonly size: TerminalSize }
  | { readonly type: 'hold'; readonly of: ProcessRef; readonly held: boolean }
  /** Is the agent to be sent what it prints? It is, until an agent says that nobody is there who would see it. */
  | { readonly type: 'show'; readonly container: string; readonly isShown: boolean }
  | {
      readonly type: 'exec';
      readonly command: number;
      readonly request: Omit<ExecRequest, 'onOutput' | 'signal'>;
      readonly wantsOutput: boolean;
    }
  | { readonly type: 'abort'; readonly command: number }
  | { readonly type: 'startExec'; readonly command: number; readonly launch: ToldExec }
  /** The Pod is over, or its place may be another's: nothing of it is to be remembered, or put into a log. */
  | { readonly type: 'forget'; readonly uid: string }
  /** Nothing more will come. */
  | { readonly type: 'end' };

export type FromKeeper =
  | { readonly type: 'hello'; readonly version: number; readonly containers: readonly KeptContainer[] }
  | { readonly type: 'started'; readonly container: string; readonly outcome: Told<StartOutcome> }
  /** With a piece of the output. */
  | { readonly type: 'output'; readonly of: ProcessRef; readonly stream: OutputStream }
  | { readonly type: 'exited'; readonly container: string; readonly exit: ToldExit }
  | { readonly type: 'swept'; readonly container: string }
  | { readonly type: 'inputTaken'; readonly piece: number }
  /** See RunningContainer.signal. */
  | { readonly type: 'signalled'; readonly piece: number; readonly isUnheard: boolean }
  | { readonly type: 'execOutcome'; readonly command: number; readonly outcome: ExecOutcome }
  | { readonly type: 'execStarted'; readonly command: number; readonly outcome: Told<ExecStart> }
  | { readonly type: 'execExited'; readonly command: number; readonly exitCode: number }
  | { readonly type: 'trouble'; readonly message: string; readonly at: Instant };

/** A message with the piece of a stream that belongs to it; empty for most. */
export interface Frame<Message> {
  readonly message: Message;
  readonly chunk: Buffer;
}

const HEAD_BYTES = 8;
/** Nobody sends so much at once; who does speaks another language. */
const FRAME_BYTES_MAX = 64 * 1024 * 1024;
const EMPTY = Buffer.alloc(0);

export function encodeFrame(message: ToKeeper | FromKeeper, chunk: Buffer = EMPTY): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(text.length);
  head.writeUInt32BE(chunk.length, 4);
  return Buffer.concat([head, text, chunk]);
}

/** Puts frames together from the pieces in which they arrive. */
export class FrameReader<Message> {
  #pieces: Buffer[] = [];
  #length = 0;
  #wanted = HEAD_BYTES;

  /** @throws {Error} for bytes that are no frames */
  read(piece: Buffer): Frame<Message>[] {
    this.#pieces.push(piece);
    this.#length += piece.length;
    // A large frame comes in many pieces, which are put together once.
    if (this.#length < this.#wanted) return [];
    let rest = Buffer.concat(this.#pieces);
    const frames: Frame<Message>[] = [];
    this.#wanted = HEAD_BYTES;
    while (rest.length >= HEAD_BYTES) {
      const textEnd = HEAD_BYTES + rest.readUInt32BE(0);
      const end = textEnd + rest.readUInt32BE(4);
      if (end > FRAME_BYTES_MAX) throw new Error('these are no frames');
      if (rest.length < end) {
        this.#wanted = end;
        break;
      }
      const message = JSON.parse(rest.toString('utf8', HEAD_BYTES, textEnd)) as Message;
      frames.push({ message, chunk: rest.subarray(textEnd, end) });
      rest = rest.subarray(end);
    }
    this.#pieces = [rest];
    this.#length = rest.length;
    return frames;
  }
}
