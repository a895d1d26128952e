import type { NetworkJoin } from '../../runtime/index.ts';
import type { Subscription } from '../../store/index.ts';
import type { ProxiedProtocol } from '../base/service-listener.ts';
import type { DialTarget } from '../linux/helper/protocol.ts';
import type { HeldNetwork } from '../linux/holder.ts';

interface NodeNetwork {
  readonly made: Promise<HeldNetwork>;
  users: number;
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

interface ServedLocalPort {
  readonly port: LocalPort;
  /** Undefined: the node has no network, so nothing could call the port. */
  served?: Promise<Subscription> | undefined;
}

/** The networks of declared nodes in a cluster, each for the Pods of its node with `hostNetwork`. */
export class NodeNetworks {
  /** By address. */
  readonly #networks = new Map<string, NodeNetwork>();
  /** By address of the node. */
  readonly #localPorts = new Map<string, Set<ServedLocalPort>>();
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
    const network = this.#networks.get(address) ?? { made: this.#make(address, make), users: 0 };
    network.users += 1;
    this.#networks.set(address, network);
    try {
      const held = await network.made;
      return {
        get join() {
          return held.join;
        },
        end: () => this.#leave(address, network),
      };
    } catch (error) {
      if (this.#networks.get(address) === network) this.#networks.delete(address);
      throw error;
    }
  }

  /**
   * Serves a host port at the localhost of a node, whenever the node has a network.
   * @throws {Error} when a Pod in the network of the node has the port
   */
  async serveLocally(address: string, port: LocalPort): Promise<Subscription> {
    const local: ServedLocalPort = { port };
    const ports = this.#portsOf(address);
    const close = (): void => {
      ports.delete(local);
      stop(local);
    };
    ports.add(local);
    try {
      const held = await this.#networks.get(address)?.made.catch(() => undefined);
      if (held !== undefined) await this.#begin(local, held);
    } catch (error) {
      close();
      throw error;
    }
    return { close };
  }

  async #make(address: string, make: () => Promise<HeldNetwork>): Promise<HeldNetwork> {
    const held = await make();
    try {
      await Promise.all([...this.#portsOf(address)].map((local) => this.#begin(local, held)));
    } catch (error) {
      await held.end();
      throw error;
    }
    return held;
  }

  async #begin(local: ServedLocalPort, { join }: HeldNetwork): Promise<void> {
    local.served ??= this.#serve(local.port, join);
    await local.served;
  }

  async #leave(address: string, network: NodeNetwork): Promise<void> {
    network.users -= 1;
    if (network.users > 0) return;
    // A Pod that comes meanwhile waits for nothing: its network is another one.
    this.#networks.delete(address);
    for (const local of this.#portsOf(address)) stop(local);
    await (await network.made).end();
  }

  #portsOf(address: string): Set<ServedLocalPort> {
    const ports = this.#localPorts.get(address) ?? new Set();
    this.#localPorts.set(address, ports);
    return ports;
  }
}

function stop(local: ServedLocalPort): void {
  local.served?.then(
    (served) => served.close(),
    () => undefined,
  );
  local.served = undefined;
}
