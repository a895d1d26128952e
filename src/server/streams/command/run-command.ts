import { errorMessage } from '../../../api/index.ts';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { inBackground } from '../../../defects.ts';
import type { OpeningMessage } from '../../../kubelet/index.ts';
import {
  type AgentAddress,
  type ConnectionEnd,
  containerNotRunning,
  type OutputTaker,
  reachAgent,
  received,
  sendInput,
  sendMessage,
} from '../../../engine/index.ts';
import type { CommandStreams } from './command-streams.ts';
import { exitOutcome, internalOutcome, type StreamOutcome, SUCCESS_OUTCOME } from './outcome.ts';
import type { TerminalSize } from '../../../runtime/index.ts';

/** The longest text of one size: `{"Width":65535,"Height":65535}`. */
const TEXT_BYTES_MAX = 256;

/** Joins the pieces of a channel into the sizes of a terminal: JSON objects without nesting, one after the other. */
export class TerminalSizes {
  #rest = '';

  /** Drops texts that are no sizes. */
  read(piece: Buffer): TerminalSize[] {
    const parts = (this.#rest + piece.toString('latin1')).split('}');
    this.#rest = (parts.pop() ?? '').slice(-TEXT_BYTES_MAX);
    return parts.flatMap((part) => sizeIn(`${part}}`));
  }
}

/** The command to run, or the container to attach to, and the way to the agent of its Pod. */
export interface RemoteCommand extends AgentAddress {
  readonly opening: Extract<OpeningMessage, { readonly type: 'exec' | 'attach' }>;
}

/** Connects the client with the container, or with a command in it, until one of them ends. Never rejects. */
export async function runCommand(command: RemoteCommand, streams: CommandStreams): Promise<void> {
  const { opening } = command;
  const agent = await reachAgent(command);
  if (agent === undefined) return streams.finish(refusedOutcome(opening.container));
  inBackground(streams.closed.then(() => agent.destroy()));
  sendMessage(agent, opening);
  forwardSizes(agent, streams.sizes);
  const end = await received(agent, outputTaker(agent, streams)).catch((error: unknown): ConnectionEnd => ({
    type: 'lost',
    why: errorMessage(error),
  }));
  agent.destroy();
  streams.finish(outcomeOf(end, opening, streams));
}

function outputTaker(agent: Socket, { stdin, stdout, stderr }: CommandStreams): OutputTaker {
  return {
    stdout: (chunk) => written(stdout, chunk),
    stderr: (chunk) => written(stderr, chunk),
    connected: ({ notice }) => {
      if (notice !== undefined) inBackground(written(stderr ?? stdout, Buffer.from(`podrun: ${notice}\r\n`)));
      if (stdin !== undefined) void sendInput(agent, stdin).catch(() => agent.destroy());
    },
  };
}

/** Resolves when the next piece may come. A client that is gone takes everything. */
function written(stream: Writable | undefined, chunk: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (stream === undefined || stream.destroyed) resolve();
    else stream.write(chunk, () => resolve());
  });
}

function forwardSizes(agent: Socket, sizes: Readable | undefined): void {
  const reader = new TerminalSizes();
  sizes?.on('data', (piece: Buffer) => {
    for (const size of reader.read(piece)) sendMessage(agent, { type: 'resize', ...size });
  });
}

function outcomeOf(
  end: ConnectionEnd,
  { type, container }: RemoteCommand['opening'],
  { isTranslated }: CommandStreams,
): StreamOutcome {
  switch (end.type) {
    case 'exited':
      // The status of the Pod has the exit code of a container.
      return type === 'attach' ? SUCCESS_OUTCOME : exitOutcome(end.exitCode);
    case 'detached':
    case 'stopped':
      return SUCCESS_OUTCOME;
    case 'refused':
      return refusedOutcome(container);
    case 'failed': {
      const outcome = internalOutcome(`error executing command in container: ${end.error}`);
      return isTranslated ? internalOutcome(outcome.message ?? '') : outcome;
    }
    case 'lost':
      return internalOutcome(`lost connection to container ${JSON.stringify(container)}`);
    default:
      return end satisfies never;
  }
}

function refusedOutcome(container: string): StreamOutcome {
  return internalOutcome(containerNotRunning(container).message);
}

function sizeIn(text: string): TerminalSize[] {
  try {
    const { Width: columns, Height: rows } = JSON.parse(text) as {
      readonly Width?: unknown;
      readonly Height?: unknown;
    };
    return typeof columns === 'number' && typeof rows === 'number' ? [{ columns, rows }] : [];
  } catch {
    return [];
  }
}
