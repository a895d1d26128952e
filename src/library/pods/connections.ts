import { guarded, inBackground } from '../../defects.ts';
import { allContainers, allContainerStatuses, type StoredPod, usage } from '../../api/index.ts';
import { createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { once } from 'node:events';
import { dialPod } from '../../network/index.ts';
import type { Clock } from '../../clock.ts';
import { forwardedPorts } from '../../lifecycle/index.ts';
import { PodRelays, runInContainer } from '../../engine/index.ts';
import type { FileStore } from '../../store/index.ts';
import { asyncDispose } from './listener-set.ts';
import { chosenContainer } from './read.ts';
import type { ExecOptions, ExecResult, Forwarding } from '../base/types.ts';

const HERE = '127.0.0.1';

/** Runs a command in a container to its end. */
export async function execIn(
  { store, clock }: { readonly store: FileStore; readonly clock: Clock },
  pod: StoredPod,
  command: { readonly container: string; readonly argv: readonly string[] } & Pick<ExecOptions, 'input'>,
): Promise<ExecResult> {
  const container = chosenContainer(pod, command.container);
  const [program, ...args] = command.argv;
  if (program === undefined) throw usage('exec() needs a command: a program, and its arguments');
  const status = allContainerStatuses(pod.status).find(({ name }) => name === container);
  if (status?.state?.running === undefined) {
    throw usage(`container ${container} of pod "${pod.metadata.name}" does not run: exec() needs a running container`);
  }
  const { attachSocket } = store.paths(pod.metadata.namespace, pod.metadata.name);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const exitCode = await runInContainer(
    { clock, socket: attachSocket, isPatient: true, pod, container },
    {
      argv: [program, ...args],
      ...(command.input === undefined ? {} : { input: piecesOf(command.input) }),
      output: {
        stdout: async (chunk) => void stdout.push(chunk),
        stderr: async (chunk) => void stderr.push(chunk),
      },
    },
  );
  return { stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString(), exitCode };
}

async function* piecesOf(input: string | Uint8Array): AsyncGenerator<Buffer> {
  yield Buffer.from(input as string);
}

/** @throws {PodrunError} while the Pod has no address */
export function addressOf({ metadata, status }: StoredPod): string {
  if (status.podIP !== undefined && status.podIP !== '') return status.podIP;
  throw usage(`pod "${metadata.name}" has no address yet: wait until PodReadyToStartContainers, or Ready`);
}

/** Listens at a free local port and connects its clients to a port of the Pod. */
export async function forwardTo(
  store: FileStore,
  current: () => StoredPod,
  port: number | string,
): Promise<Forwarding> {
  const remote = portOf(current(), port);
  const relays = new PodRelays(store);
  const sockets = new Set<Socket>();
  const server = guarded(createServer({ allowHalfOpen: true }));
  server.on('connection', (client) => {
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
    // Node throws an error that has no listener. `forward` adds one once it is connected to the Pod.
    client.on('error', () => undefined);
    inBackground(forward(client, current(), remote, relays), client);
  });
  server.listen(0, HERE);
  await once(server, 'listening');
  const { port: local } = server.address() as { readonly port: number };
  const close = async (): Promise<void> => {
    if (server.listening) {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    }
    relays.close();
  };
  const url = `http://${HERE}:${local}`;
  return { address: HERE, port: local, url, close, [asyncDispose]: close };
}

async function forward(client: Socket, pod: StoredPod, port: number, relays: PodRelays): Promise<void> {
  try {
    const server = await dialPod(pod, port, relays.of(pod));
    pipeline(client, server, () => undefined);
    pipeline(server, client, () => undefined);
  } catch {
    // The client sees the same as at a port without a listener: a reset.
    client.resetAndDestroy();
  }
}

/** @throws {PodrunError} for a name that no port of a container has, with the names that there are */
export function portOf(pod: StoredPod, port: number | string): number {
  const declared = allContainers(pod.spec).flatMap(({ ports = [] }) => ports);
  if (typeof port === 'string' && !/^\d+$/.test(port) && !declared.some(({ name }) => name === port)) {
    const names = declared.map(({ name, containerPort }) => JSON.stringify(name ?? containerPort)).join(', ');
    const what = names === '' ? 'it declares none, so pass its number' : `it has ${names}`;
    throw usage(`pod "${pod.metadata.name}" has no port named ${JSON.stringify(port)}: ${what}`);
  }
  const [forwarded] = forwardedPorts([`:${port}`], pod, undefined);
  return forwarded?.remote ?? 0;
}
