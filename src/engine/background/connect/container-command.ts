import type { Socket } from 'node:net';
import { EXIT, PodrunError, type StoredPod } from '../../../api/index.ts';
import { encodeAttachFrame } from '../../../kubelet/index.ts';
import { goNetworkError } from '../../../runtime/index.ts';
import {
  type AgentAddress,
  type ConnectionEnd,
  type OutputTaker,
  reachAgent,
  received,
  sendMessage,
} from './agent-connection.ts';

/** A running container, and the way to its agent. */
export interface ReachedContainer extends AgentAddress {
  readonly pod: StoredPod;
  readonly container: string;
}

interface ContainerCommand {
  readonly argv: readonly [string, ...string[]];
  /** The input of the command. Undefined: none. */
  readonly input?: AsyncIterable<Buffer>;
  readonly output: Pick<OutputTaker, 'stdout' | 'stderr'>;
}

/**
 * Runs a command in a container for podrun itself. Returns the exit code.
 * @throws {PodrunError} in the words of exec, when the command could not run to its end
 */
export async function runInContainer(reached: ReachedContainer, command: ContainerCommand): Promise<number> {
  const { argv, input, output } = command;
  const { container } = reached;
  return talk(reached, async (socket) => {
    sendMessage(socket, { type: 'exec', container, argv, stdin: input !== undefined, tty: false });
    const connected = (): void => {
      // The source of the input reports its own errors.
      if (input !== undefined) void sendInput(socket, input).catch(() => socket.destroy());
    };
    return exitCodeOf(reached, await received(socket, { ...output, connected }));
  });
}

/** The path that a command in the container must use for a path of the manifest. */
export async function locateInContainer(reached: ReachedContainer, path: string): Promise<string> {
  return talk(reached, async (socket) => {
    sendMessage(socket, { type: 'locate', container: reached.container, path, stdin: false });
    let location = path;
    const ignored = (): Promise<void> => Promise.resolve();
    const located = (text: string): void => void (location = text);
    exitCodeOf(reached, await received(socket, { stdout: ignored, stderr: ignored, located }));
    return location;
  });
}

async function talk<T>(reached: ReachedContainer, use: (socket: Socket) => Promise<T>): Promise<T> {
  const socket = await reachAgent(reached);
  if (socket === undefined) throw containerNotRunning(reached.container);
  try {
    return await use(socket);
  } finally {
    socket.destroy();
  }
}

/** Sends the input of a client to the agent, no faster than it takes it, and then its end. */
export async function sendInput(socket: Socket, input: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of input) {
    if (socket.destroyed) return;
    // The callback is also called when the connection is closed.
    await new Promise<void>((resolve) => {
      socket.write(encodeAttachFrame({ kind: 'stdin', chunk }), () => resolve());
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
      throw containerNotRunning(container);
    case 'failed':
      throw new PodrunError(
        'InternalError',
        `Internal error occurred: error executing command in container: ${end.error}`,
      );
    case 'lost':
      throw connectionLost(pod, container, end.why);
    default:
      return end satisfies never;
  }
}

/** The kubelet's error about a container that does not run. */
export function containerNotRunning(container: string): PodrunError {
  const message = `unable to upgrade connection: container not found (${JSON.stringify(container)})`;
  return new PodrunError('NotFound', message);
}

/** The error of a connection that broke before its end. */
export function connectionLost(pod: StoredPod, container: string, why: string | undefined): PodrunError {
  const detail = why === undefined ? '' : `: ${why}`;
  return new PodrunError(
    'Unreachable',
    `lost connection to container "${container}" of pod "${pod.metadata.name}"${detail}`,
  );
}

/** The kubelet's sentence about a port of a Pod that takes no connection. */
export function forwardingError({ metadata: { name, uid } }: StoredPod, port: number, error: unknown): string {
  const why = goNetworkError(error, { ends: '', hasReceived: false });
  return `error forwarding port ${port} to pod ${name}, uid ${uid}: ${why}`;
}
