import type { Socket } from 'node:net';
import { EXIT } from '../../api/index.ts';
import { type ClientMessage, encodeAttachFrame, type OpeningMessage } from '../../kubelet/index.ts';
import { showOutputAsItIs } from '../../runtime/index.ts';
import { listenForSignals } from '../base/signals.ts';
import type { Cli } from '../base/cli.ts';
import {
  type AgentAddress,
  type ConnectionEnd,
  type OutputTaker,
  reachAgent,
  received,
  sendMessage,
} from '../../engine/index.ts';
import { DetachKeys } from './detach-keys.ts';

type OwnTerminal = typeof process.stdin;

/** A connection of the user's streams with a container. */
export interface StreamConnection extends AgentAddress {
  readonly opening: OpeningMessage;
  /** The user's terminal, when the container has one, too: every key goes there unchanged. */
  readonly terminal: OwnTerminal | undefined;
  /** The keys that end the connection and leave the container running. Undefined: no such keys. */
  readonly detachKeys?: Buffer | undefined;
  /** Called when the agent confirms the connection. */
  readonly onConnected?: OutputTaker['connected'];
}

const EXIT_OF_SIGNAL = { SIGHUP: EXIT.hungUp, SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;

/** Connects podrun's standard streams with a container, or with a command in it, until one side ends the connection. */
export async function connectStreams(cli: Cli, connection: StreamConnection): Promise<ConnectionEnd> {
  const { opening, terminal } = connection;
  const socket = await reachAgent(connection);
  if (socket === undefined) return { type: 'refused' };
  const send = (message: ClientMessage): void => sendMessage(socket, message);
  let stop: (end: ConnectionEnd) => void = () => undefined;
  const stopped = new Promise<ConnectionEnd>((resolve) => (stop = resolve));
  const signals = listenForSignals(cli, (name) => stop({ type: 'stopped', exitCode: EXIT_OF_SIGNAL[name] }));
  cli.stdout.onReaderGone(() => stop({ type: 'stopped', exitCode: EXIT.readerGone }));
  const sendSize = (more = 0): void => {
    const screen = cli.stdout.terminal;
    if (screen !== undefined) send({ type: 'resize', columns: screen.columns + more, rows: screen.rows + more });
  };
  const onResize = (): void => sendSize();
  try {
    send(opening);
    // Sends the size right behind the first message, so that a program that starts now finds it set. Attached to a
    // running program, first sends another size: a program redraws its screen when the size changes.
    if (terminal !== undefined && opening.type === 'attach') sendSize(1);
    if (terminal !== undefined) sendSize();
    const onConnected: NonNullable<OutputTaker['connected']> = (answer) => {
      connection.onConnected?.(answer);
      if (answer.hasTerminal && terminal !== undefined) {
        terminal.setRawMode(true);
        showOutputAsItIs();
        cli.stdout.terminal?.on('resize', onResize);
      }
      if (opening.stdin) forwardInput(socket, connection.detachKeys, () => stop({ type: 'detached' }));
    };
    return await Promise.race([received(socket, { ...outputTaker(cli), connected: onConnected }), stopped]);
  } finally {
    signals.close();
    cli.stdout.terminal?.off('resize', onResize);
    terminal?.setRawMode(false);
    if (opening.stdin || terminal !== undefined) process.stdin.destroy();
    socket.destroy();
  }
}

/**
 * The user's terminal. Undefined, with a message, when standard input is no terminal. Source: kubectl/pkg/cmd/exec
 * SetupTTY.
 */
export function ownTerminal(cli: Cli): OwnTerminal | undefined {
  if (process.stdin.isTTY) return process.stdin;
  if (!cli.isQuiet) cli.stderr.write('Unable to use a TTY - input is not a terminal or the right kind of file\n');
  return undefined;
}

/** Prints output, and makes the sender wait for a slow reader. */
function outputTaker({ stdout, stderr }: Cli): Pick<OutputTaker, 'stdout' | 'stderr'> {
  return {
    stdout: (chunk) => {
      stdout.write(chunk);
      return stdout.flush();
    },
    stderr: (chunk) => {
      stderr.write(chunk);
      return stderr.flush();
    },
  };
}

function forwardInput(socket: Socket, detachKeys: Buffer | undefined, onDetach: () => void): void {
  const { stdin } = process;
  const keys = detachKeys && new DetachKeys(detachKeys);
  stdin.on('data', (typed: Buffer) => {
    const { input: chunk, isDetached } = keys?.take(typed) ?? { input: typed, isDetached: false };
    if (chunk.length > 0 && !socket.write(encodeAttachFrame({ kind: 'stdin', chunk }))) stdin.pause();
    if (isDetached) onDetach();
  });
  socket.on('drain', () => stdin.resume());
  stdin.once('end', () => socket.write(encodeAttachFrame({ kind: 'message', message: { type: 'stdinEnd' } })));
  // The terminal is gone: SIGHUP follows.
  stdin.on('error', () => undefined);
}
