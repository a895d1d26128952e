import { connect, type Socket } from 'node:net';
import { guarded } from '../../../defects.ts';
import {
  type AgentMessage,
  type AttachFrame,
  AttachFrameReader,
  type ClientMessage,
  encodeAttachFrame,
  socketAddress,
} from '../../../kubelet/index.ts';
import { type Clock, sleep } from '../../../clock.ts';

/** The way to the agent of a Pod. */
export interface AgentAddress {
  readonly clock: Clock;
  /** The socket of the Pod; see `AttachServer`. */
  readonly socket: string;
  /** True when the socket may open soon: it opens just after the first container has started. */
  readonly isPatient: boolean;
}

/** The reader of a connection. The next piece comes when the promise resolves. */
export interface OutputTaker {
  stdout(chunk: Buffer): Promise<void>;
  stderr(chunk: Buffer): Promise<void>;
  /** Called when the agent has connected the client with the container or command. */
  connected?(answer: Extract<AgentMessage, { readonly type: 'attached' }>): void;
  /** Called with the answer to `locate`. */
  located?(path: string): void;
}

export type ConnectionEnd =
  | { readonly type: 'exited'; readonly exitCode: number }
  /** The container does not run. Nothing was printed. */
  | { readonly type: 'refused' }
  /** The command could not be started. */
  | { readonly type: 'failed'; readonly error: string }
  /** All input was taken, or the user has detached: the container or command runs on. */
  | { readonly type: 'detached' }
  /** The user has ended the output. */
  | { readonly type: 'stopped'; readonly exitCode: number }
  | { readonly type: 'lost'; readonly why: string | undefined };

const RETRY_MS = 20;
const PATIENCE_MS = 2000;

/** Connects to the agent of a Pod. Undefined: no agent responds. */
export async function reachAgent({ clock, socket, isPatient }: AgentAddress): Promise<Socket | undefined> {
  const deadlineMs = clock.now().monotonicMs + (isPatient ? PATIENCE_MS : 0);
  for (;;) {
    const reached = await reach(socket).catch(() => undefined);
    if (reached !== undefined || clock.now().monotonicMs >= deadlineMs) return reached;
    await sleep(clock, RETRY_MS);
  }
}

async function reach(file: string): Promise<Socket> {
  const { address, release } = socketAddress(file);
  try {
    return await new Promise<Socket>((resolve, reject) => {
      const socket = guarded(connect(address, () => resolve(socket)));
      socket.once('error', reject);
    });
  } finally {
    release();
  }
}

export function sendMessage(socket: Socket, message: ClientMessage): void {
  socket.write(encodeAttachFrame({ kind: 'message', message }));
}

/** Passes frames on, no faster than the taker resolves. Rejects when that fails. */
export function received(socket: Socket, taker: OutputTaker): Promise<ConnectionEnd> {
  return new Promise((resolve, reject) => {
    const reader = new AttachFrameReader<AgentMessage>();
    const take = async (frame: AttachFrame<AgentMessage>): Promise<void> => {
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
