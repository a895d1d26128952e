import type { Socket } from 'node:net';
import { EXIT, PodrunError } from '../../api/errors.ts';
import { encodeFrame } from '../../agent/attach/frames.ts';
import type { StoredPod } from '../../api/objects.ts';
import {
  type AgentAddress,
  type ConnectionEnd,
  type OutputTaker,
  reachAgent,
  received,
  sendMessage,
} from './agent-connection.ts';
import { connectionLost, containerNotFound } from './connection-errors.ts';

/** A container that runs, as we reach it. */
export interface ReachedContainer extends AgentAddress {
  readonly pod: StoredPod;
  readonly container: string;
}

export interface ContainerCommand {
  readonly argv: readonly [string, ...string[]];
  /** What it reads; undefined: nothing. */
  readonly input?: AsyncIterable<Buffer>;
  readonly output: Pick<OutputTaker, 'stdout' | 'stderr'>;
}

/**
 * Runs a command in a container for our own purposes, and answers its exit code.
 * @throws {PodrunError} in the words of exec, when it could not be run to its end
 */
export async function runInContainer(reached: ReachedContainer, command: ContainerCommand): Promise<number> {
  const { argv, input, output } = command;
  const { container } = reached;
  return talk(reached, async (socket) => {
    sendMessage(socket, { type: 'exec', container, argv, stdin: input !== undefined, tty: false });
    const connected = (): void => {
      // What is wrong with the input is told by whoever makes it.
      if (input !== undefined) void feed(socket, input).catch(() => socket.destroy());
    };
    return exitCodeOf(reached, await received(socket, { ...output, connected }));
  });
}

/** Where a path of the container is for a command in it. */
export async function locateInContainer(reached: ReachedContainer, path: string): Promise<string> {
  return talk(reached, async (socket) => {
    sendMessage(socket, { type: 'locate', container: reached.container, path, stdin: false });
    let found = path;
    const nobody = (): Promise<void> => Promise.resolve();
    const located = (text: string): void => void (found = text);
    exitCodeOf(reached, await received(socket, { stdout: nobody, stderr: nobody, located }));
    return found;
  });
}

async function talk<T>(reached: ReachedContainer, use: (socket: Socket) => Promise<T>): Promise<T> {
  const socket = await reachAgent(reached);
  if (socket === undefined) throw containerNotFound(reached.container);
  try {
    return await use(socket);
  } finally {
    socket.destroy();
  }
}

async function feed(socket: Socket, input: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of input) {
    if (socket.destroyed) return;
    // Called as well when the connection is over.
    await new Promise<void>((resolve) => {
      socket.write(encodeFrame({ kind: 'stdin', chunk }), () => resolve());
    });
  }
  sendMessage(socket, { type: 'stdinEnd' });
}

function exitCodeOf({ pod, container }: ReachedContainer, end: ConnectionEnd): number {
  switch (end.type) {
    case 'exited':
      return end.exitCode;
    case 'detached':
      return EXIT.ok;
    case 'stopped':
      return end.exitCode;
    case 'refused':
      throw containerNotFound(container);
    case 'failed':
      throw new PodrunError(`error: Internal error occurred: error executing command in container: ${end.error}`);
    case 'lost':
      throw connectionLost(pod, container, end.why);
    default:
      return end satisfies never;
  }
}
