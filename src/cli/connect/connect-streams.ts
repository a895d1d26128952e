import { connect, type Socket } from 'node:net';
import { EXIT } from '../../api/errors.ts';
import type { AgentMessage, ClientMessage, Frame, OpeningMessage } from '../../agent/attach/frames.ts';
import { encodeFrame, FrameReader } from '../../agent/attach/frames.ts';
import { socketAddress } from '../../agent/attach/socket-address.ts';
import type { Clock } from '../../clock.ts';
import { showOutputAsItIs } from '../../runtime/own-terminal.ts';
import { listenForSignals } from '../apply/signals.ts';
import { DetachKeys } from './detach-keys.ts';
import { handedOn, StandardOutput } from '../standard-output.ts';

/** What a client of the agent wants to be connected with, and how. */
export interface Connection {
  readonly clock: Clock;
  /** See `AttachServer`. */
  readonly socket: string;
  /** The socket may be about to be opened: it is, just after the first container was started. */
  readonly isPatient: boolean;
  readonly opening: OpeningMessage;
  /** Our own terminal, where it is to be that of the other side: everything that is typed reaches it as it is. */
  readonly terminal: typeof process.stdin | undefined;
  /** Typed at the terminal, they end the connection and nothing else. Undefined: there are none. */
  readonly detachKeys?: Buffer | undefined;
  /** The other side has answered that it is there. */
  readonly onConnected?: (answer: Extract<AgentMessage, { readonly type: 'attached' }>) => void;
}

/** How it came to its end. */
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

const EXIT_OF_SIGNAL = { SIGHUP: EXIT.hungUp, SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;

const RETRY_MS = 20;
const PATIENCE_MS = 2000;

/** Connects our standard streams with those of a container, or of a command in it, until one side has had enough. */
export async function connectStreams(connection: Connection): Promise<ConnectionEnd> {
  const { clock, opening, terminal } = connection;
  const socket = await reachPatiently(connection);
  if (socket === undefined) return { type: 'refused' };
  const send = (message: ClientMessage): boolean => socket.write(encodeFrame({ kind: 'message', message }));
  const out = new StandardOutput();
  let stop: (end: ConnectionEnd) => void = () => undefined;
  const stopped = new Promise<ConnectionEnd>((resolve) => (stop = resolve));
  const signals = listenForSignals(clock, (name) => stop({ type: 'stopped', exitCode: EXIT_OF_SIGNAL[name] }));
  out.onReaderGone(() => stop({ type: 'stopped', exitCode: EXIT.nobodyReads }));
  const tellSize = (more = 0): void => {
    const { columns, rows } = process.stdout;
    if (process.stdout.isTTY) send({ type: 'resize', columns: columns + more, rows: rows + more });
  };
  const onResize = (): void => tellSize();
  try {
    send(opening);
    // Right behind the first message: a program that looks at once sees the size. One that has run for longer draws
    // its screen anew when that changes.
    if (terminal !== undefined && opening.type === 'attach') tellSize(1);
    if (terminal !== undefined) tellSize();
    const onConnected: Connection['onConnected'] = (answer) => {
      connection.onConnected?.(answer);
      if (answer.hasTerminal && terminal !== undefined) {
        terminal.setRawMode(true);
        showOutputAsItIs();
        process.stdout.on('resize', onResize);
      }
      if (opening.stdin) handOnInput(socket, connection.detachKeys, () => stop({ type: 'detached' }));
    };
    return await Promise.race([received(socket, out, onConnected), stopped]);
  } finally {
    signals.close();
    process.stdout.off('resize', onResize);
    terminal?.setRawMode(false);
    process.stdin.destroy();
    socket.destroy();
  }
}

/** Our terminal; undefined, and said, when our standard input is none. Source: kubectl/pkg/cmd/exec SetupTTY. */
export function ownTerminal(quiet: boolean): typeof process.stdin | undefined {
  if (process.stdin.isTTY) return process.stdin;
  if (!quiet) process.stderr.write('Unable to use a TTY - input is not a terminal or the right kind of file\n');
  return undefined;
}

async function reachPatiently({ clock, socket, isPatient }: Connection): Promise<Socket | undefined> {
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

function handOnInput(socket: Socket, detachKeys: Buffer | undefined, onDetach: () => void): void {
  const { stdin } = process;
  const keys = detachKeys && new DetachKeys(detachKeys);
  stdin.on('data', (typed: Buffer) => {
    const { handedOn: chunk, isDetached } = keys?.take(typed) ?? { handedOn: typed, isDetached: false };
    if (chunk.length > 0 && !socket.write(encodeFrame({ kind: 'stdin', chunk }))) stdin.pause();
    if (isDetached) onDetach();
  });
  socket.on('drain', () => stdin.resume());
  stdin.once('end', () => socket.write(encodeFrame({ kind: 'message', message: { type: 'stdinEnd' } })));
  // A terminal that is gone; its signal follows.
  stdin.on('error', () => undefined);
}

/** Prints what comes, no faster than it is taken from us. */
function received(
  socket: Socket,
  out: StandardOutput,
  onConnected: NonNullable<Connection['onConnected']>,
): Promise<ConnectionEnd> {
  return new Promise((resolve) => {
    const reader = new FrameReader<AgentMessage>();
    const take = async (frame: Frame<AgentMessage>): Promise<void> => {
      if (frame.kind === 'stdout') {
        out.write(frame.chunk);
        await out.flush();
      } else if (frame.kind === 'stderr') {
        process.stderr.write(frame.chunk);
        await handedOn(process.stderr);
      } else if (frame.kind === 'message') {
        const end = endIn(frame.message, onConnected);
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
    });
    socket.on('error', (error) => (why = error.message));
    socket.once('close', () => void taken.then(() => resolve({ type: 'lost', why })));
  });
}

function endIn(message: AgentMessage, onConnected: NonNullable<Connection['onConnected']>): ConnectionEnd | undefined {
  switch (message.type) {
    case 'attached':
      onConnected(message);
      return undefined;
    case 'exit':
      return { type: 'exited', exitCode: message.exitCode };
    case 'failed':
      return message;
    case 'refused':
    case 'detached':
      return { type: message.type };
    default:
      return message satisfies never;
  }
}
