import { errorMessage, PodrunError, type StoredPod } from '../../api/index.ts';
import type { PolicyGroup } from '../../controllers/index.ts';
import type { Clock } from '../../clock.ts';
import {
  type EventDraft,
  fieldHasNoEffect,
  isNodeInCluster,
  isolatedNetwork,
  networkLost,
  type NodeFacts,
  podSysctls,
  type PodSysctls,
} from '../../lifecycle/index.ts';
import { type NetworkJoin, startTimeOf } from '../../runtime/index.ts';
import type { Cluster } from '../linux/cluster.ts';
import { forgetConnections } from '../linux/forget-connections.ts';
import { NetworkHelper } from '../linux/helper-process.ts';
import type { Refusal } from '../linux/nft-policies.ts';
import type { ListenTrouble } from '../proxy/service-proxy.ts';
import { LOCALHOST } from '../base/listeners-of-services.ts';
import type { ServiceListener } from '../base/service-listener.ts';
import { adoptedNetwork, type HeldNetwork, holdNetwork } from '../linux/holder.ts';
import type { NetworkRecord, PodFiles, Subscription } from '../../store/index.ts';
import { quietly } from '../../quietly.ts';
import { AgentCluster, helperFate } from './agent-cluster.ts';
import type { PrivateNetworks } from './private-networks.ts';
import { type LocalPort, NodeNetworks, type PortInCluster } from './node-networks.ts';
import { PrivateNetwork } from './private-network.ts';

export interface NetworkMakerOptions {
  readonly networks: PrivateNetworks;
  readonly clock: Clock;
  /** The node of a Pod. */
  readonly nodeOf: (pod: Pick<StoredPod, 'spec'>) => NodeFacts;
  readonly files: Pick<PodFiles, 'recordNetwork' | 'recordedNetwork'>;
  /** The Pods of other agents that use the network of the same node. */
  readonly besideOnNode: (pod: StoredPod) => readonly StoredPod[];
  /** The state folder for whose Pods the networks outlive podrun. Undefined: they end with podrun. */
  readonly heldFor: string | undefined;
  /** The record of a cluster that outlives podrun, and that several agents share. */
  readonly networkRecord: NetworkRecord | undefined;
  readonly onClusterFailed: () => void;
}

/** Makes the private networks of an agent's Pods. */
export class NetworkMaker {
  readonly #options: NetworkMakerOptions;
  /** Undefined: each Pod is alone. */
  readonly #cluster: AgentCluster | undefined;
  /** The addresses that Pods have had. */
  readonly #given = new Set<string>();
  /** Records an event about the Pod that has come last. Undefined: none has come. */
  #tell: ((event: EventDraft) => void) | undefined;
  /** An event for the first Pod. */
  #untold: EventDraft | undefined;
  readonly #nodes = new NodeNetworks((port, network) => this.#serveLocally(port, network));

  /** Begins to make the cluster, before the first Pod waits for it. */
  constructor(options: NetworkMakerOptions) {
    this.#options = options;
    if (options.networks.kind !== 'cluster') return;
    this.#cluster = new AgentCluster({ ...options, report: (event) => this.#report(event) });
    // A failure is reported to the Pods.
    this.#cluster.open().catch(() => undefined);
  }

  /**
   * Makes the network of a Pod, or finds the network that a former agent made. Rejects on failure, also when a port is
   * taken.
   */
  async open(
    pod: StoredPod,
    address: string,
    { event, isFormer }: { readonly event: (event: EventDraft) => void; readonly isFormer: boolean },
  ): Promise<PrivateNetwork> {
    const { networks, files, clock, nodeOf } = this.#options;
    this.#tell = event;
    if (this.#untold !== undefined) this.#report(this.#untold);
    const recorded = files.recordedNetwork(pod);
    // A network that only open files of this agent held cannot be one of a former agent.
    const isHeld = recorded !== undefined && recorded.files === undefined;
    const before = isHeld ? quietly(() => adoptedNetwork(recorded, clock)) : undefined;
    const isOfNode = pod.spec.hostNetwork === true;
    // The containers of a Pod whose holder was killed may still run in the former network.
    const isLost = before === undefined && isFormer;
    const sysctls = networkSysctls(pod, networks, event);
    const record = (join: NetworkJoin): void => this.#record(pod, join);
    const place = { pod, address, isOfNode, sysctls, before, isLost, event, record };
    const parts = this.#cluster === undefined ? this.#alone(place) : this.#inCluster(this.#cluster, place);
    const [nodeAddress] = nodeOf(pod).hostIPs;
    const hasPortsInCluster = networks.kind === 'cluster' && isNodeInCluster(nodeAddress) && !isOfNode;
    const opened = await PrivateNetwork.open({
      spec: pod.spec,
      address,
      isOfNode,
      nodeAddress,
      serveInCluster: hasPortsInCluster ? (port) => this.#serveHostPort(pod, nodeAddress, port) : undefined,
      serveLocally: hasPortsInCluster ? (port) => this.#nodes.serveLocally(nodeAddress, port) : undefined,
      event,
      ...(await parts),
    });
    if (before === undefined && networks.kind === 'pod') event(isolatedNetwork(address));
    return opened;
  }

  /** Cuts a Pod of the cluster off from everything outside of it, or connects it again. Rejects on failure. */
  async cutOff({ join }: PrivateNetwork, isCut: boolean): Promise<void> {
    await (await this.#cluster?.opened)?.cluster.setLink(join, isCut ? 'down' : 'up');
  }

  /** podrun's helper in the cluster. Undefined: each Pod is alone. */
  async clusterHelper(): Promise<NetworkHelper | undefined> {
    return (await this.#cluster?.opened)?.helper;
  }

  /**
   * Serves Services in the cluster. Returns the listeners that cannot listen.
   * @throws {Error} when there is no cluster, or nft fails
   */
  async serve(listeners: readonly ServiceListener[]): Promise<ListenTrouble[]> {
    return (await (await this.#cluster?.opened)?.serving.serve(listeners)) ?? [];
  }

  /** Serves a host port of a Pod at the address of its node. */
  async #serveHostPort(
    { metadata: { namespace, name } }: StoredPod,
    address: string,
    { protocol, port, target }: PortInCluster,
  ): Promise<Subscription> {
    const open = await this.#cluster?.opened;
    if (open === undefined) throw new Error('the cluster is gone');
    return open.serving.serveHostPort({
      protocol,
      network: 'pods',
      address,
      port,
      service: `${namespace}/${name}:${port}`,
      endpoints: [{ address: target.host, port: target.port }],
      affinitySeconds: undefined,
    });
  }

  /** Serves a host port of a Pod at the localhost of the network of its node. */
  async #serveLocally({ protocol, port, target, onLost }: LocalPort, network: NetworkJoin): Promise<Subscription> {
    const helper = await this.clusterHelper();
    if (helper === undefined) throw new Error('the cluster is gone');
    const served = await helper.serve({ protocol, at: { address: LOCALHOST, port, network }, target, onLost });
    return { close: () => void helper.stop(served).catch(() => undefined) };
  }

  /** Enforces compiled NetworkPolicies in the cluster; see ClusterServing. */
  async enforce(groups: readonly PolicyGroup[], all: readonly PolicyGroup[]): Promise<void> {
    await (await this.#cluster?.opened)?.serving.enforce(groups, all);
  }

  /** The connections that NetworkPolicies have refused. @throws {Error} with the messages of nft */
  async refusals(): Promise<Refusal[]> {
    return (await (await this.#cluster?.opened)?.serving.refusals()) ?? [];
  }

  /** Lets go of what all Pods share. Unless other agents have it as well, it ends. */
  async close(): Promise<void> {
    await this.#cluster?.close();
  }

  async #inCluster(ofAgent: AgentCluster, place: PodPlace): Promise<NetworkParts> {
    const { address, isOfNode, sysctls, before, isLost, event, record } = place;
    let held: HeldNetwork | undefined;
    try {
      const { cluster, helper, wayOut } = await ofAgent.open();
      held = isOfNode
        ? await this.#ofNode(cluster, place)
        : (before ?? (await cluster.addPod(address, sysctls, record)));
      if (before === undefined) await this.#forgetFormer(address, cluster.join);
      // The kernel has removed the former cluster with the last of its processes.
      const former = held.join.cluster;
      if (isLost || (former !== undefined && former !== cluster.id)) event(networkLost());
      await wayOut.opened;
      return { held, helper, isShared: true };
    } catch (error) {
      // Containers of a former agent may still run in the network that it made.
      if (before === undefined) await held?.end();
      throw failed(error);
    }
  }

  /** The network of the node of a Pod, as one more user of it has it. */
  async #ofNode(
    cluster: Cluster,
    { pod, address, before, record }: Pick<PodPlace, 'address' | 'before' | 'pod' | 'record'>,
  ): Promise<HeldNetwork> {
    const held = await this.#nodes.open(address, async () => {
      const [other] = this.#besideOnNode(pod);
      const present = before ?? (other && adoptedNetwork(other, this.#options.clock));
      const network = present ? cluster.ofNode(address, present) : await cluster.addNode(address, record);
      return {
        get join() {
          return network.join;
        },
        // The last agent ends it.
        end: async () => {
          if (this.#besideOnNode(pod).length === 0) await network.end();
        },
      };
    });
    record(held.join);
    return held;
  }

  /** The ways into the network of the node of a Pod that other agents have. */
  #besideOnNode(pod: StoredPod): NetworkJoin[] {
    const { networkRecord, besideOnNode, files } = this.#options;
    if (networkRecord === undefined) return [];
    const joins = besideOnNode(pod).flatMap((other) => files.recordedNetwork(other) ?? []);
    return joins.filter(({ holderPid }) => startTimeOf(holderPid) !== undefined);
  }

  /** Other agents of a cluster may have given the address to a Pod, too. Without perl, the kernel forgets in time. */
  async #forgetFormer(address: string, join: NetworkJoin): Promise<void> {
    const { networks, networkRecord } = this.#options;
    const isKnown = this.#given.has(address) || networkRecord !== undefined;
    this.#given.add(address);
    if (isKnown && networks.nft !== undefined) await forgetConnections(join, address).catch(() => undefined);
  }

  /** Reports an event that concerns all Pods: as one of the Pod that has come last, or comes first. */
  #report(event: EventDraft): void {
    this.#untold = this.#tell === undefined ? event : undefined;
    this.#tell?.(event);
  }

  async #alone({ address, sysctls, before, record }: PodPlace): Promise<NetworkParts> {
    const { networks, heldFor } = this.#options;
    const ends = helperFate(networks, undefined);
    if (before !== undefined) return { held: before, helper: new NetworkHelper(before.join, ends), isShared: false };
    const outcome = await holdNetwork(networks.tools, { mode: networks.mode, address, sysctls, heldFor });
    if (!outcome.ok) throw failed(outcome.error);
    record(outcome.network.join);
    return { held: outcome.network, helper: new NetworkHelper(outcome.network.join, ends), isShared: false };
  }

  /** Records the network for port-forward. The Pod runs without the record, too. */
  #record(pod: StoredPod, join: NetworkJoin): void {
    try {
      this.#options.files.recordNetwork(pod, join);
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
    }
  }
}

/** The groups whose processes may ping. */
const PING = 'net/ipv4/ping_group_range';

/** The sysctls for a Pod's network. A network of an ordinary user knows the user's own group only, which may ping. */
function networkSysctls(
  { spec }: StoredPod,
  { mode }: PrivateNetworks,
  event: (event: EventDraft) => void,
): PodSysctls['network'] {
  const { network: requested } = podSysctls(spec);
  const set = requested.filter(([path]) => mode === 'root' || path !== PING);
  const note = 'net.ipv4.ping_group_range has no effect without root: only the group of podrun may ping';
  if (set.length < requested.length) event(fieldHasNoEffect({ paths: ['spec.securityContext.sysctls'], note }));
  return set;
}

/** The network that a Pod is to have. */
interface PodPlace {
  readonly pod: StoredPod;
  readonly address: string;
  /** True for the network of the node of the Pod. */
  readonly isOfNode: boolean;
  readonly sysctls: PodSysctls['network'];
  /** The network of a former agent. */
  readonly before: HeldNetwork | undefined;
  /** True when the Pod had a network that cannot be found. */
  readonly isLost: boolean;
  readonly event: (event: EventDraft) => void;
  readonly record: (join: NetworkJoin) => void;
}

interface NetworkParts {
  readonly held: HeldNetwork;
  readonly helper: NetworkHelper;
  readonly isShared: boolean;
}

function failed(why: unknown): Error {
  return new Error(`cannot make a network for the Pod: ${errorMessage(why)}`);
}
