import { connect, type Socket } from 'node:net';
import { EXIT } from '../../api/errors.ts';
import type { AgentMessage, ClientMessage, Frame } from '../../agent/attach/frames.ts';
import { encodeFrame, FrameReader } from '../../agent/attach/frames.ts';
import { socketAddress } from '../../agent/attach/socket-address.ts';
import type { Clock } from '../../clock.ts';
import { showOutputAsItIs } from '../../runtime/own-terminal.ts';
import { listenForSignals } from '../apply/signals.ts';
import { handedOn, StandardOutput } from '../standard-output.ts';

export interface StreamAttachment {
  readonly clock: Clock;
  /** See `AttachServer`. */
  readonly socket: string;
  readonly container: string;
  /** Our standard input becomes the container's. */
  readonly stdin: boolean;
  /** Our terminal becomes the container's: everything that is typed reaches it as it is. */
  readonly tty: boolean;
  readonly quiet: boolean;
}

/** How it came to its end. */
export type AttachEnd =
  | { readonly type: 'exited'; readonly exitCode: number }
  /** The container does not run, or not any more; nothing was printed. */
  | { readonly type: 'refused' }
  /** The user has seen enough; the container goes on. */
  | { readonly type: 'stopped'; readonly exitCode: number }
  | { readonly type: 'lost'; readonly why: string | undefined };

const EXIT_OF_SIGNAL = { SIGHUP: EXIT.hungUp, SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;

/**
 * Connects our standard streams with those of a running container, until one side has had enough. In kubectl's words.
 * Source: kubectl/pkg/cmd/attach/attach.go.
 */
export async function attachStreams(attachment: StreamAttachment): Promise<AttachEnd> {
  const { clock, container, stdin, quiet } = attachment;
  let socket: Socket;
  try {
    socket = await reach(attachment.socket);
  } catch {
    return { type: 'refused' };
  }
  const terminal = attachment.tty ? ownTerminal() : undefined;
  const send = (message: ClientMessage): boolean => socket.write(encodeFrame({ kind: 'message', message }));
  const out = new StandardOutput();
  let stop: (end: AttachEnd) => void = () => undefined;
  const stopped = new Promise<AttachEnd>((resolve) => (stop = resolve));
  const signals = listenForSignals(clock, (name) => stop({ type: 'stopped', exitCode: EXIT_OF_SIGNAL[name] }));
  out.onReaderGone(() => stop({ type: 'stopped', exitCode: EXIT.nobodyReads }));
  const tellSize = (): void => {
    const { columns, rows } = process.stdout;
    if (process.stdout.isTTY) send({ type: 'resize', columns, rows });
  };
  try {
    send({ type: 'attach', container, stdin });
    const onAttached = (hasTerminal: boolean): void => {
      if (stdin && !quiet) process.stderr.write("If you don't see a command prompt, try pressing enter.\n");
      if (hasTerminal && terminal !== undefined) {
        terminal.setRawMode(true);
        showOutputAsItIs();
        tellSize();
        process.stdout.on('resize', tellSize);
      } else if (!hasTerminal && attachment.tty && !quiet) {
        process.stderr.write(`error: Unable to use a TTY - container ${container} did not allocate one\n`);
      }
      if (stdin) handOnInput(socket);
    };
    return await Promise.race([received(socket, out, onAttached), stopped]);
  } finally {
    signals.close();
    process.stdout.off('resize', tellSize);
    terminal?.setRawMode(false);
    process.stdin.destroy();
    socket.destroy();
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

/** Undefined, and said, when our standard input is none. Source: kubectl/pkg/util/term/term.go, cmd/exec/exec.go. */
function ownTerminal(): typeof process.stdin | undefined {
  if (process.stdin.isTTY) return process.stdin;
  process.stderr.write('Unable to use a TTY - input is not a terminal or the right kind of file\n');
  return undefined;
}

function handOnInput(socket: Socket): void {
  const { stdin } = process;
  stdin.on('data', (chunk: Buffer) => {
    if (!socket.write(encodeFrame({ kind: 'stdin', chunk }))) stdin.pause();
  });
  socket.on('drain', () => stdin.resume());
  stdin.once('end', () => socket.write(encodeFrame({ kind: 'message', message: { type: 'stdinEnd' } })));
  // A terminal that is gone; its signal follows.
  stdin.on('error', () => undefined);
}

/** Prints what comes, no faster than it is taken from us. */
function received(socket: Socket, out: StandardOutput, onAttached: (hasTerminal: boolean) => void): Promise<AttachEnd> {
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
        const { message } = frame;
        if (message.type === 'attached') onAttached(message.hasTerminal);
        else resolve(message.type === 'exit' ? { type: 'exited', exitCode: message.exitCode } : { type: 'refused' });
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
