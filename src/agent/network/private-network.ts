import type { Server, Socket } from 'node:net';
import { isSidecar } from '../../api/objects.ts';
import type { ContainerPort, PodSpec } from '../../api/generated/types.ts';
import type { EventDraft } from '../../lifecycle/effects.ts';
import { hostPortNotForwarded, isolatedNetwork } from '../../lifecycle/texts/port-events.ts';
import type { NetworkFacts } from '../../runtime/linux/network/detect.ts';
import { type HeldNetwork, holdNetwork } from '../../runtime/linux/network/holder.ts';
import type { NetworkJoin } from '../../runtime/linux/network/join.ts';
import { type DialTarget, NetworkRelay } from '../../runtime/linux/network/relay.ts';

export interface PrivateNetworkOptions {
  readonly spec: PodSpec;
  readonly address: string;
  readonly facts: NetworkFacts;
  /** The network of a former agent. Undefined: there is none. */
  readonly before: HeldNetwork | undefined;
  /** True when the network outlives podrun. */
  readonly outlivesPodrun: boolean;
  readonly event: (event: EventDraft) => void;
}

const ANY_ADDRESS = '0.0.0.0';

/** The network of one Pod: its containers share a localhost, and others reach their ports only through podrun. */
export class PrivateNetwork {
  readonly address: string;
  readonly #held: HeldNetwork;
  readonly #relay: NetworkRelay;
  readonly #servers: Server[] = [];
  readonly #connections = new Set<Socket>();

  private constructor(address: string, held: HeldNetwork) {
    this.address = address;
    this.#held = held;
    this.#relay = new NetworkRelay(held.join);
  }

  /** Creates the network. Rejects on failure, also when a port of the host is taken. */
  static async open(options: PrivateNetworkOptions): Promise<PrivateNetwork> {
    const { spec, address, before, event } = options;
    const network = new PrivateNetwork(address, before ?? (await hold(options)));
    try {
      for (const port of forwardedPorts(spec)) {
        if (port.protocol === undefined || port.protocol === 'TCP') await network.#forward(port);
        else event(hostPortNotForwarded(port.hostPort ?? 0, port.protocol));
      }
    } catch (error) {
      await network.close();
      throw error;
    }
    if (before === undefined) event(isolatedNetwork(address));
    return network;
  }

  get join(): NetworkJoin {
    return this.#held.join;
  }

  /** Connects to a port of the Pod; see NetworkRelay. */
  dial(target: DialTarget, signal?: AbortSignal): Promise<Socket> {
    return this.#relay.dial(target, signal);
  }

  async close(): Promise<void> {
    for (const server of this.#servers) server.close();
    for (const connection of this.#connections) connection.destroy();
    this.#relay.close();
    await this.#held.end();
  }

  /** Forwards connections to a port of the host to the Pod. */
  #forward({ hostPort, hostIP, containerPort }: ContainerPort): Promise<void> {
    const server = process.getBuiltinModule('node:net').createServer({ allowHalfOpen: true }, (client) => {
      void this.#connect(client, containerPort ?? 0);
    });
    this.#servers.push(server);
    return new Promise((resolve, reject) => {
      server.once('error', (error) => reject(new Error(`cannot forward host port ${hostPort}: ${error.message}`)));
      server.listen({ port: hostPort, host: hostIP || ANY_ADDRESS }, () => resolve());
    });
  }

  async #connect(client: Socket, port: number): Promise<void> {
    this.#keep(client);
    try {
      const server = await this.dial({ host: this.address, port });
      this.#keep(server);
      client.once('close', () => server.destroy());
      server.once('close', () => client.destroy());
      client.pipe(server).pipe(client);
    } catch {
      // A client sees a reset, as on a port without a listener.
      client.resetAndDestroy();
    }
  }

  #keep(connection: Socket): void {
    this.#connections.add(connection);
    connection.on('error', () => connection.destroy());
    connection.once('close', () => this.#connections.delete(connection));
  }
}

async function hold({ address, facts, outlivesPodrun }: PrivateNetworkOptions): Promise<HeldNetwork> {
  const outcome = await holdNetwork(facts.tools, { mode: facts.mode, address, outlivesPodrun });
  if (outcome.ok) return outcome.network;
  throw new Error(`cannot make a network for the Pod: ${outcome.error}`);
}

/**
 * The ports to forward; plain init containers have none.
 * Source: pkg/kubelet/container/helpers.go MakePortMappings.
 */
function forwardedPorts({ containers, initContainers = [] }: PodSpec): ContainerPort[] {
  return [...containers, ...initContainers.filter(isSidecar)].flatMap(({ ports = [] }) =>
    ports.filter(({ hostPort = 0 }) => hostPort > 0),
  );
}
