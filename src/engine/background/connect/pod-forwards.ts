import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { isTerminalPhase, type StoredPod } from '../../../api/index.ts';
import { guarded, inBackground } from '../../../defects.ts';
import type { Reach } from '../../../lifecycle/index.ts';
import { dialPod, lowestPort, machinePort, NetworkHelper, splice } from '../../../network/index.ts';
import type { FileStore } from '../../../store/index.ts';

/**
 * Addresses of this machine that lead into the networks of Pods, for COMMAND: their own addresses exist in these
 * networks only, and packets to them would leave the machine. A helper starts with the first connection.
 */
export class PodForwards implements Reach {
  readonly #store: FileStore;
  readonly #relays: PodRelays;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  /** By uid and port of the Pod. */
  readonly #ports = new Map<string, number>();

  constructor(store: FileStore) {
    this.#store = store;
    this.#relays = new PodRelays(store);
  }

  /** Listens for each TCP port that a container of these Pods declares. */
  async open(pods: readonly StoredPod[]): Promise<void> {
    for (const pod of pods.filter((candidate) => this.#isApart(candidate))) {
      const declared = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].flatMap(({ ports = [] }) => ports);
      for (const { containerPort, protocol = 'TCP' } of declared) {
        const key = keyOf(pod, containerPort);
        if (protocol !== 'TCP' || this.#ports.has(key)) continue;
        this.#ports.set(key, await this.#listen(pod, containerPort));
      }
    }
  }

  address(pod: StoredPod): string | undefined {
    return this.#isApart(pod) ? machineAddressOf(pod) : pod.status.podIP;
  }

  port(pod: StoredPod, containerPort: number): number | undefined {
    return this.#isApart(pod) ? this.#ports.get(keyOf(pod, containerPort)) : containerPort;
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#relays.close();
  }

  /** True for a Pod with a network of its own. */
  #isApart({ metadata, status }: StoredPod): boolean {
    return !isTerminalPhase(status.phase) && this.#store.podProcesses.networkOf(metadata) !== undefined;
  }

  /** Another port stands in for one that is taken, or that only root may have. */
  async #listen(pod: StoredPod, containerPort: number): Promise<number> {
    const host = machineAddressOf(pod);
    const server = guarded(createServer({ allowHalfOpen: true }));
    server.on('connection', (client) => inBackground(this.#connect(client, pod, containerPort), client));
    this.#servers.push(server);
    const wanted = machinePort(containerPort, lowestPort());
    return listen(server, host, wanted).catch(() => listen(server, host, 0));
  }

  async #connect(client: Socket, pod: StoredPod, port: number): Promise<void> {
    this.#keep(client);
    try {
      const server = await dialPod(pod, port, this.#relays.of(pod));
      this.#keep(server);
      splice(client, server);
    } catch {
      // The client sees the same as at a port without a listener.
      client.resetAndDestroy();
    }
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    // Node throws an error that has no listener.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** 127.93.4.17 for the Pod 10.93.4.17. */
function machineAddressOf({ status: { podIP = '' } }: StoredPod): string {
  return podIP.replace(/^10\./, '127.');
}

function keyOf({ metadata }: StoredPod, port: number): string {
  return `${metadata.uid} ${port}`;
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Helpers in the private networks of Pods, cached until `close`. */
export class PodRelays {
  readonly #store: FileStore;
  /** By uid of the Pod. */
  readonly #relays = new Map<string, NetworkHelper>();

  constructor(store: FileStore) {
    this.#store = store;
  }

  /** Undefined: the Pod shares the host's network. */
  of({ metadata }: StoredPod): NetworkHelper | undefined {
    const network = this.#store.podProcesses.networkOf(metadata);
    if (network === undefined) return undefined;
    const relay = this.#relays.get(metadata.uid) ?? new NetworkHelper(network);
    this.#relays.set(metadata.uid, relay);
    return relay;
  }

  close(): void {
    for (const relay of this.#relays.values()) relay.close();
  }
}
