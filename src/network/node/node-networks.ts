import type { NetworkJoin } from '../../runtime/index.ts';
import type { Subscription } from '../../store/index.ts';
import type { ProxiedProtocol } from '../base/service-listener.ts';
import type { DialTarget } from '../linux/helper/protocol.ts';
import type { HeldNetwork } from '../linux/holder.ts';

interface NodeNetwork {
  readonly made: Promise<HeldNetwork>;
  /** The host ports at its localhost. */
  readonly served: Map<LocalPort, Promise<Subscription>>;
  users: number;
  hasEnded: boolean;
}

/** A port of a node, and where it leads. */
export interface PortInCluster {
  readonly protocol: ProxiedProtocol;
  readonly port: number;
  readonly target: DialTarget;
}

/** A host port of a Pod at the localhost of its node. */
export interface LocalPort extends PortInCluster {
  /** Called when it is not served any more. */
  readonly onLost: (error: Error) => void;
}

/** The networks of nodes in a cluster, each for the Pods of its node with `hostNetwork`. */
export class NodeNetworks {
  /** By address. */
  readonly #networks = new Map<string, NodeNetwork>();
  /** By address of the node, whether it has a network or not. */
  readonly #localPorts = new Map<string, Set<LocalPort>>();
  readonly #serve: (port: LocalPort, network: NetworkJoin) => Promise<Subscription>;

  /** @param serve listens on a port of the localhost of a network, and rejects when that is taken */
  constructor(serve: (port: LocalPort, network: NetworkJoin) => Promise<Subscription>) {
    this.#serve = serve;
  }

  /**
   * The network of a node, as one more user of it has it. The last user ends it.
   * @param make called for the first user; a network that cannot be made has none
   */
  async open(address: string, make: () => Promise<HeldNetwork>): Promise<HeldNetwork> {
    const network = this.#networks.get(address) ?? this.#make(address, make);
    network.users += 1;
    try {
      const held = await network.made;
      return {
        get join() {
          return held.join;
        },
        end: () => this.#leave(address, network),
      };
    } catch (error) {
      this.#forget(address, network);
      throw error;
    }
  }

  /**
   * Serves a host port at the localhost of a node, whenever the node has a network.
   * @throws {Error} when a Pod in the network of the node has the port
   */
  async serveLocally(address: string, port: LocalPort): Promise<Subscription> {
    const ports = this.#portsOf(address);
    const close = (): void => {
      ports.delete(port);
      const network = this.#networks.get(address);
      if (network !== undefined) stop(network, port);
    };
    ports.add(port);
    try {
      const network = this.#networks.get(address);
      const held = await network?.made.catch(() => undefined);
      if (network !== undefined && held !== undefined) await this.#begin(network, held, port);
    } catch (error) {
      close();
      throw error;
    }
    return { close };
  }

  #make(address: string, make: () => Promise<HeldNetwork>): NodeNetwork {
    const withPorts = async (): Promise<HeldNetwork> => {
      const held = await make();
      try {
        await Promise.all([...this.#portsOf(address)].map((port) => this.#begin(network, held, port)));
      } catch (error) {
        this.#forget(address, network);
        await held.end();
        throw error;
      }
      return held;
    };
    const network: NodeNetwork = { made: withPorts(), served: new Map(), users: 0, hasEnded: false };
    this.#networks.set(address, network);
    return network;
  }

  /** Serves a port at the localhost of a network, unless it has ended: the next one begins with all ports. */
  async #begin(network: NodeNetwork, { join }: HeldNetwork, port: LocalPort): Promise<void> {
    if (network.hasEnded) return;
    const served = network.served.get(port) ?? this.#serve(port, join);
    network.served.set(port, served);
    try {
      await served;
    } catch (error) {
      network.served.delete(port);
      if (!network.hasEnded) throw error;
    }
  }

  async #leave(address: string, network: NodeNetwork): Promise<void> {
    network.users -= 1;
    if (network.users > 0) return;
    // A Pod that comes meanwhile waits for nothing: its network is another one.
    this.#forget(address, network);
    await (await network.made).end();
  }

  #forget(address: string, network: NodeNetwork): void {
    network.hasEnded = true;
    if (this.#networks.get(address) === network) this.#networks.delete(address);
    for (const port of network.served.keys()) stop(network, port);
  }

  #portsOf(address: string): Set<LocalPort> {
    const ports = this.#localPorts.get(address) ?? new Set();
    this.#localPorts.set(address, ports);
    return ports;
  }
}

function stop({ served }: NodeNetwork, port: LocalPort): void {
  served.get(port)?.then(
    (subscription) => subscription.close(),
    () => undefined,
  );
  served.delete(port);
}
