import { connect, type Socket } from 'node:net';
import type { AgentMessage, ClientMessage, Frame } from '../../agent/attach/frames.ts';
import { encodeFrame, FrameReader } from '../../agent/attach/frames.ts';
import { socketAddress } from '../../agent/attach/socket-address.ts';
import type { Clock } from '../../clock.ts';

/** Where the agent of a Pod is. */
export interface AgentAddress {
  readonly clock: Clock;
  /** See `AttachServer`. */
  readonly socket: string;
  /** The socket may be about to be opened: it is, just after the first container was started. */
  readonly isPatient: boolean;
}

/** Who takes what comes from the other side; the next piece comes when the promise is resolved. */
export interface OutputTaker {
  stdout(chunk: Buffer): Promise<void>;
  stderr(chunk: Buffer): Promise<void>;
  /** The other side has answered that it is there. */
  connected?(answer: Extract<AgentMessage, { readonly type: 'attached' }>): void;
  /** The answer to `locate`. */
  located?(path: string): void;
}

/** How a connection came to its end. */
export type ConnectionEnd =
  | { readonly type: 'exited'; readonly exitCode: number }
  /** There is nobody to be connected with; nothing was printed. */
  | { readonly type: 'refused' }
  /** The command could not be started. */
  | { readonly type: 'failed'; readonly error: string }
  /** All of our input was taken, or the user has left: the other side goes on without us. */
  | { readonly type: 'detached' }
  /** The user has seen enough. */
  | { readonly type: 'stopped'; readonly exitCode: number }
  | { readonly type: 'lost'; readonly why: string | undefined };

const RETRY_MS = 20;
const PATIENCE_MS = 2000;

/** A connection with the agent of a Pod; undefined when nobody is there. */
export async function reachAgent({ clock, socket, isPatient }: AgentAddress): Promise<Socket | undefined> {
  const deadlineMs = clock.now().monotonicMs + (isPatient ? PATIENCE_MS : 0);
  for (;;) {
    const reached = await reach(socket).catch(() => undefined);
    const nowMs = clock.now().monotonicMs;
    if (reached !== undefined || nowMs >= deadlineMs) return reached;
    await new Promise<void>((resolve) => {
      clock.wakeAt(nowMs + RETRY_MS, resolve);
    });
  }
}

async function reach(file: string): Promise<Socket> {
  const { address, release } = socketAddress(file);
  try {
    return await new Promise<Socket>((resolve, reject) => {
      const socket = connect(address, () => resolve(socket));
      socket.once('error', reject);
    });
  } finally {
    release();
  }
}

export function sendMessage(socket: Socket, message: ClientMessage): void {
  socket.write(encodeFrame({ kind: 'message', message }));
}

/** Hands on what comes, no faster than it is taken. Rejects when that fails. */
export function received(socket: Socket, taker: OutputTaker): Promise<ConnectionEnd> {
  return new Promise((resolve, reject) => {
    const reader = new FrameReader<AgentMessage>();
    const take = async (frame: Frame<AgentMessage>): Promise<void> => {
      if (frame.kind === 'stdout') await taker.stdout(frame.chunk);
      else if (frame.kind === 'stderr') await taker.stderr(frame.chunk);
      else if (frame.kind === 'message') {
        const end = endIn(frame.message, taker);
        if (end !== undefined) resolve(end);
      }
    };
    let taken = Promise.resolve();
    let why: string | undefined;
    socket.on('data', (piece: Buffer) => {
      socket.pause();
      taken = taken.then(async () => {
        for (const frame of reader.read(piece)) await take(frame);
        socket.resume();
      });
      taken.catch(reject);
    });
    socket.on('error', (error) => (why = error.message));
    socket.once('close', () => void taken.then(() => resolve({ type: 'lost', why })).catch(reject));
  });
}

function endIn(message: AgentMessage, taker: OutputTaker): ConnectionEnd | undefined {
  switch (message.type) {
    case 'attached':
      taker.connected?.(message);
      return undefined;
    case 'exit':
      return { type: 'exited', exitCode: message.exitCode };
    case 'failed':
      return message;
    case 'located':
      taker.located?.(message.path);
      return { type: 'detached' };
    case 'refused':
    case 'detached':
      return { type: message.type };
    default:
      return message satisfies never;
  }
}
