import type { Server, Socket } from 'node:net';
import { type ContainerPort, errorMessage, isSidecar, type PodSpec } from '../../api/index.ts';
import {
  type EventDraft,
  hostPortLost,
  hostPortNotForwarded,
  isInCluster,
  isNodeInCluster,
  nodeOnMachine,
} from '../../lifecycle/index.ts';
import type { Subscription } from '../../store/index.ts';
import { LOCALHOST } from '../base/listeners-of-services.ts';
import { isServiceAddress } from '../base/service-addresses.ts';
import type { ProxiedProtocol } from '../base/service-listener.ts';
import type { NetworkHelper, ServedPort } from '../linux/helper-process.ts';
import type { DialTarget } from '../linux/helper/protocol.ts';
import type { HeldNetwork } from '../linux/holder.ts';
import type { LocalPort, PortInCluster } from './node-networks.ts';
import { HOST_ADDRESS } from '../linux/way-out-commands.ts';
import type { NetworkJoin } from '../../runtime/index.ts';

export interface PrivateNetworkOptions {
  readonly spec: PodSpec;
  readonly address: string;
  /** True for the network of a node, whose Pods call it localhost as well. Default: of one Pod. */
  readonly isOfNode?: boolean;
  /** The internal address of its node: on this machine, or in the cluster. */
  readonly nodeAddress: string;
  readonly held: HeldNetwork;
  readonly helper: NetworkHelper;
  /** True when other Pods use the helper, too. */
  readonly isShared: boolean;
  /** Serves a port at the address of the node in the cluster. Undefined: the node has none there. */
  readonly serveInCluster?: ((port: PortInCluster) => Promise<Subscription>) | undefined;
  /** Serves a port at the localhost of the node. Undefined: that is the one of this machine. */
  readonly serveLocally?: ((port: LocalPort) => Promise<Subscription>) | undefined;
  readonly event: (event: EventDraft) => void;
}

/** The network of one Pod: its containers share a localhost, and this machine reaches their ports through podrun. */
export class PrivateNetwork {
  readonly #options: PrivateNetworkOptions;
  readonly #served: ServedPort[] = [];
  readonly #inCluster: Subscription[] = [];

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
        else options.event(hostPortNotForwarded(port.hostPort, 'podrun forwards TCP and UDP, not SCTP'));
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
    const { address, isShared, isOfNode } = this.#options;
    if (isOfNode === true && host === LOCALHOST) return true;
    return host === address || (isShared && (isInCluster(host) || isServiceAddress(host)));
  }

  /** Connects to a port in the network; see NetworkHelper. */
  dial(target: DialTarget, signal?: AbortSignal): Promise<Socket> {
    // podrun's helper is beside the network of a node.
    const host = target.host === LOCALHOST ? this.address : target.host;
    return this.#options.helper.dial({ ...target, host }, signal);
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
    for (const served of this.#inCluster) served.close();
    if (isShared) await Promise.allSettled(this.#served.map((served) => helper.stop(served)));
    else helper.close();
    await held.end();
  }

  /** Forwards what comes to a port of the host to the Pod. */
  async #forward({ hostPort, hostIP, containerPort }: ForwardedHostPort, protocol: ProxiedProtocol): Promise<void> {
    const { helper, serveInCluster, serveLocally, event } = this.#options;
    const target = { host: this.address, port: containerPort };
    const onLost = (error: Error): void => event(hostPortLost(hostPort, error.message));
    const isOfNode = !hostIP || NODE_ADDRESSES.has(hostIP) || isNodeInCluster(hostIP);
    const address = this.#addressOnMachine(hostIP, isOfNode);
    try {
      if (hostIP === LOCALHOST && serveLocally !== undefined) {
        if (protocol === 'TCP') this.#inCluster.push(await serveLocally({ protocol, port: hostPort, target, onLost }));
        else if (address === undefined) event(hostPortNotForwarded(hostPort, NO_LOCAL_UDP));
      }
      if (address !== undefined) {
        this.#served.push(await helper.serve({ protocol, at: { address, port: hostPort }, target, onLost }));
      }
      const inCluster = isOfNode ? await serveInCluster?.({ protocol, port: hostPort, target }) : undefined;
      if (inCluster !== undefined) this.#inCluster.push(inCluster);
    } catch (error) {
      const why = errorMessage(error);
      throw new Error(`cannot forward host port ${hostPort}: ${why}`, { cause: error });
    }
  }

  /**
   * The address on this machine of a port of the host. Undefined: it is no port of this machine. In a cluster, podrun
   * listens beyond loopback only where the manifest names an address. One of several nodes has its ports at its own
   * address. This machine's node has two, its localhost and an address in the cluster, which one port may tell apart.
   */
  #addressOnMachine(hostIP: string | undefined, isOfNode: boolean): string | undefined {
    const { isShared, nodeAddress, serveLocally } = this.#options;
    const ofNode = nodeOnMachine(nodeAddress);
    const isMachine = ofNode === LOCALHOST;
    if (isMachine && isNodeInCluster(hostIP ?? '')) return undefined;
    if (isOfNode) return isShared || !isMachine ? ofNode : ANY_ADDRESS;
    return hostIP === LOCALHOST && serveLocally !== undefined && !isMachine ? undefined : hostIP;
  }
}

const NO_LOCAL_UDP = 'at the localhost of a node, podrun forwards TCP, not UDP';
const ANY_ADDRESS = '0.0.0.0';
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
