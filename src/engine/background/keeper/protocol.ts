/**
 * The protocol between an agent and the keeper of its containers: frames with two lengths (four bytes each,
 * big-endian), the message in JSON, and a piece of a stream. The two may be different versions of podrun: messages are
 * only added, and unknown fields are ignored.
 */
import type { Instant } from '../../../api/index.ts';
import type {
  ContainerLaunch,
  ExecLaunch,
  ExecOutcome,
  ExecRequest,
  ExecStart,
  OutputStream,
  PodOutcome,
  PodRequest,
  ProcessExit,
  ResourceLimits,
  RunningContainer,
  StartOutcome,
  TerminalSize,
} from '../../../runtime/index.ts';

/** Raised when a new agent could not work with an older keeper. */
export const KEEPER_VERSION = 1;

type Callable = (...args: never[]) => unknown;

/** The part of a type that JSON can carry: all but its functions. */
export type WithoutFunctions<T> = T extends Callable
  ? never
  : T extends readonly unknown[]
    ? T
    : T extends object
      ? { readonly [Key in keyof T as NonNullable<T[Key]> extends Callable ? never : Key]: WithoutFunctions<T[Key]> }
      : T;

/** The part of an object that JSON can carry. */
export function withoutFunctions<T extends object>(running: T): WithoutFunctions<T> {
  return JSON.parse(JSON.stringify(running)) as WithoutFunctions<T>;
}

export type LaunchMessage = Omit<ContainerLaunch, 'onOutput' | 'onExit'>;
export type ContainerMessage = WithoutFunctions<RunningContainer>;
export type ExecMessage = Omit<ExecLaunch, 'onOutput' | 'onExit'>;
export type ExitMessage = Omit<ProcessExit, 'swept'>;

/** The log for a container's output. */
export interface LogTarget {
  readonly namespace: string;
  readonly name: string;
  /** The uid of the Pod. A Pod that another Pod has replaced gets no log. */
  readonly uid: string;
  readonly container: string;
  readonly attempt: number;
}

/** A container that the keeper has started: at least the newest instance of each container of a Pod. */
export interface KeptContainer {
  readonly id: string;
  readonly launch: LaunchMessage;
  readonly running: ContainerMessage;
  /** Undefined: the container runs. */
  readonly exit: ExitMessage | undefined;
  readonly isSwept: boolean;
}

/** A process of the keeper: a container by its id, a command by its number. */
export type ProcessRef = { readonly container: string } | { readonly command: number };

export type ToKeeper =
  | { readonly type: 'start'; readonly launch: LaunchMessage; readonly log: LogTarget }
  | { readonly type: 'signal'; readonly container: string; readonly name: string; readonly piece: number }
  | { readonly type: 'limit'; readonly container: string; readonly limits: ResourceLimits }
  | { readonly type: 'kill'; readonly of: ProcessRef }
  /** Carries a piece of the input. */
  | { readonly type: 'input'; readonly of: ProcessRef; readonly piece: number }
  | { readonly type: 'inputEnd'; readonly of: ProcessRef }
  | { readonly type: 'resize'; readonly of: ProcessRef; readonly size: TerminalSize }
  | { readonly type: 'hold'; readonly of: ProcessRef; readonly held: boolean }
  /** `isShown`: true when the agent gets the output. An agent without an attached client turns it off. */
  | { readonly type: 'show'; readonly container: string; readonly isShown: boolean }
  | {
      readonly type: 'exec';
      readonly command: number;
      readonly request: Omit<ExecRequest, 'onOutput' | 'signal'>;
      readonly wantsOutput: boolean;
    }
  | { readonly type: 'abort'; readonly command: number }
  | { readonly type: 'startExec'; readonly command: number; readonly launch: ExecMessage }
  | { readonly type: 'openPod'; readonly request: PodRequest; readonly piece: number }
  | { readonly type: 'closePod'; readonly uid: string; readonly piece: number }
  /** The Pod is over or was replaced: the keeper drops its state and writes no more logs. */
  | { readonly type: 'forget'; readonly uid: string }
  /** The keeper ends when nothing runs any more. */
  | { readonly type: 'end' };

export type FromKeeper =
  | {
      readonly type: 'hello';
      readonly version: number;
      readonly containers: readonly KeptContainer[];
      /** True for a keeper that knows `openPod` and `closePod`. */
      readonly opensPods?: boolean;
    }
  | { readonly type: 'started'; readonly container: string; readonly outcome: WithoutFunctions<StartOutcome> }
  /** Carries a piece of the output. */
  | { readonly type: 'output'; readonly of: ProcessRef; readonly stream: OutputStream }
  | { readonly type: 'exited'; readonly container: string; readonly exit: ExitMessage }
  | { readonly type: 'swept'; readonly container: string }
  | { readonly type: 'inputTaken'; readonly piece: number }
  /** See RunningContainer.signal. */
  | { readonly type: 'signalled'; readonly piece: number; readonly isUnheard: boolean }
  | { readonly type: 'podOpened'; readonly piece: number; readonly uid: string; readonly outcome: PodOutcome }
  | { readonly type: 'podClosed'; readonly piece: number }
  | { readonly type: 'execOutcome'; readonly command: number; readonly outcome: ExecOutcome }
  | { readonly type: 'execStarted'; readonly command: number; readonly outcome: WithoutFunctions<ExecStart> }
  | { readonly type: 'execExited'; readonly command: number; readonly exitCode: number }
  | { readonly type: 'trouble'; readonly message: string; readonly at: Instant };

/** A message with its piece of a stream, empty for most. */
export interface KeeperFrame<Message> {
  readonly message: Message;
  readonly chunk: Buffer;
}

const HEAD_BYTES = 8;
/** A longer frame cannot come from podrun. */
const FRAME_BYTES_MAX = 64 * 1024 * 1024;
const EMPTY = Buffer.alloc(0);

export function encodeKeeperFrame(message: ToKeeper | FromKeeper, chunk: Buffer = EMPTY): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(text.length);
  head.writeUInt32BE(chunk.length, 4);
  return Buffer.concat([head, text, chunk]);
}

/** Joins the pieces of a stream into frames. */
export class KeeperFrameReader<Message> {
  #pieces: Buffer[] = [];
  #length = 0;
  #wanted = HEAD_BYTES;

  /** @throws {Error} for bytes that are not frames */
  read(piece: Buffer): KeeperFrame<Message>[] {
    this.#pieces.push(piece);
    this.#length += piece.length;
    // Joins the pieces of a large frame only once.
    if (this.#length < this.#wanted) return [];
    let rest = Buffer.concat(this.#pieces);
    const frames: KeeperFrame<Message>[] = [];
    this.#wanted = HEAD_BYTES;
    while (rest.length >= HEAD_BYTES) {
      const textEnd = HEAD_BYTES + rest.readUInt32BE(0);
      const end = textEnd + rest.readUInt32BE(4);
      if (end > FRAME_BYTES_MAX) throw new Error('these bytes are no podrun frames');
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
