import type { Server, Socket } from 'node:net';
import { type ContainerPort, isSidecar, type PodSpec } from '../../api/index.ts';
import { type EventDraft, hostPortLost, hostPortNotForwarded, PRIVATE } from '../../lifecycle/index.ts';
import { isServiceAddress } from '../base/service-addresses.ts';
import type { NetworkHelper, ServedPort } from '../linux/helper-process.ts';
import type { DialTarget } from '../linux/helper/protocol.ts';
import type { HeldNetwork } from '../linux/holder.ts';
import { HOST_ADDRESS } from '../linux/way-out-commands.ts';
import type { NetworkJoin } from '../../runtime/index.ts';

export interface PrivateNetworkOptions {
  readonly spec: PodSpec;
  readonly address: string;
  readonly held: HeldNetwork;
  readonly helper: NetworkHelper;
  /** True when other Pods use the helper, too. */
  readonly isShared: boolean;
  readonly event: (event: EventDraft) => void;
}

/** The network of one Pod: its containers share a localhost, and this machine reaches their ports through podrun. */
export class PrivateNetwork {
  readonly #options: PrivateNetworkOptions;
  readonly #served: ServedPort[] = [];

  private constructor(options: PrivateNetworkOptions) {
    this.#options = options;
  }

  /** Forwards the ports of the host. Rejects when one of them is taken; the network is removed then. */
  static async open(options: PrivateNetworkOptions): Promise<PrivateNetwork> {
    const network = new PrivateNetwork(options);
    try {
      for (const port of forwardedPorts(options.spec)) {
        const { protocol = 'TCP' } = port;
        if (protocol !== 'SCTP') await network.#forward(port, protocol);
        else options.event(hostPortNotForwarded(port.hostPort, protocol));
      }
    } catch (error) {
      await network.close();
      throw error;
    }
    return network;
  }

  get address(): string {
    return this.#options.address;
  }

  get join(): NetworkJoin {
    return this.#options.held.join;
  }

  /**
   * True for an address in this network: the Pod's own address and, where Pods share the network, the addresses of all
   * Pods and Services.
   */
  leadsTo(host: string): boolean {
    const { address, isShared } = this.#options;
    return host === address || (isShared && (PRIVATE.pattern.test(host) || isServiceAddress(host)));
  }

  /** Connects to a port in the network; see NetworkHelper. */
  dial(target: DialTarget, signal?: AbortSignal): Promise<Socket> {
    return this.#options.helper.dial(target, signal);
  }

  /** Listens in the network; see NetworkHelper. */
  async listen(target: DialTarget): Promise<Server> {
    const { helper, isShared } = this.#options;
    const server = await helper.listen(target);
    // Each Pod alone has a helper of its own, of 40 MB.
    if (!isShared) helper.rest();
    return server;
  }

  async close(): Promise<void> {
    const { helper, isShared, held } = this.#options;
    if (isShared) await Promise.allSettled(this.#served.map((served) => helper.stop(served)));
    else helper.close();
    await held.end();
  }

  /** Forwards what comes to a port of the host to the Pod. */
  async #forward({ hostPort, hostIP, containerPort }: ForwardedHostPort, protocol: 'TCP' | 'UDP'): Promise<void> {
    const { helper, isShared, event } = this.#options;
    // In a cluster, podrun listens beyond loopback only where the manifest names an address.
    const ofNode = isShared ? LOCALHOST : ANY_ADDRESS;
    const at = { address: hostIP && !NODE_ADDRESSES.has(hostIP) ? hostIP : ofNode, port: hostPort };
    const target = { host: this.address, port: containerPort };
    const onLost = (error: Error): void => event(hostPortLost(hostPort, error.message));
    try {
      this.#served.push(await helper.serve({ protocol, at, target, onLost }));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`cannot forward host port ${hostPort}: ${why}`, { cause: error });
    }
  }
}

const ANY_ADDRESS = '0.0.0.0';
const LOCALHOST = '127.0.0.1';
/** The addresses at which Pods of a cluster reach 127.0.0.1 of this machine, which itself does not have them. */
const NODE_ADDRESSES: ReadonlySet<string> = new Set(Object.values(HOST_ADDRESS));

type ForwardedHostPort = ContainerPort & { readonly hostPort: number };

/**
 * The ports to forward; plain init containers have none.
 * Source: pkg/kubelet/container/helpers.go MakePortMappings.
 */
function forwardedPorts({ containers, initContainers = [] }: PodSpec): ForwardedHostPort[] {
  return [...containers, ...initContainers.filter(isSidecar)].flatMap(({ ports = [] }) =>
    ports.flatMap((port) =>
      port.hostPort === undefined || port.hostPort === 0 ? [] : { ...port, hostPort: port.hostPort },
    ),
  );
}
