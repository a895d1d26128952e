import { isSameJson, PodrunError, type StoredPod } from '../../api/index.ts';
import type { PolicyGroup } from '../../controllers/index.ts';
import { type Clock, sleep } from '../../clock.ts';
import {
  type EventDraft,
  fieldHasNoEffect,
  isolatedNetwork,
  networkLost,
  podSysctls,
  type PodSysctls,
} from '../../lifecycle/index.ts';
import { killGroup, type NetworkJoin } from '../../runtime/index.ts';
import { Cluster, type ClusterClaim, type ClusterOptions } from '../linux/cluster.ts';
import { nftForPolicies } from '../linux/detect.ts';
import { forgetConnections } from '../linux/forget-connections.ts';
import { NetworkHelper } from '../linux/helper-process.ts';
import type { HelperFate } from '../linux/start-helper.ts';
import { NftPolicies, type Refusal } from '../linux/nft-policies.ts';
import { NftServices } from '../linux/nft-services.ts';
import { isServedByRules } from '../nft/service-rules.ts';
import type { ListenTrouble } from '../proxy/service-proxy.ts';
import type { ServiceListener } from '../base/service-listener.ts';
import { adoptedNetwork, type HeldNetwork, holdNetwork } from '../linux/holder.ts';
import type { NetworkRecord, PodFiles } from '../../store/index.ts';
import { quietly } from '../../quietly.ts';
import type { PrivateNetworks } from './private-networks.ts';
import { LastingHolder, LastingWayOut } from './lasting-way-out.ts';
import { PrivateNetwork } from './private-network.ts';

export interface NetworkMakerOptions {
  readonly networks: PrivateNetworks;
  readonly clock: Clock;
  readonly files: Pick<PodFiles, 'recordNetwork' | 'recordedNetwork'>;
  /** The state folder for whose Pods the networks outlive podrun. Undefined: they end with podrun. */
  readonly heldFor: string | undefined;
  /** The record of a cluster that outlives podrun, and that several agents share. */
  readonly networkRecord: NetworkRecord | undefined;
  readonly onClusterFailed: () => void;
}

/** The cluster of an agent's Pods, and podrun's helper in it. */
interface OpenCluster {
  readonly cluster: Cluster;
  /** Undefined: the cluster ends with podrun. */
  readonly holder: LastingHolder | undefined;
  readonly helper: NetworkHelper;
  /** Undefined: the helper serves all Services. */
  rules: NftServices | undefined;
  /** Undefined: there was no NetworkPolicy. */
  policies: NftPolicies | undefined;
  /** The listeners of Services, as last served. */
  listeners: readonly ServiceListener[];
  /** The compiled NetworkPolicies of all Pods. */
  groups: readonly PolicyGroup[];
  readonly wayOut: LastingWayOut;
}

/** Makes the private networks of an agent's Pods. */
export class NetworkMaker {
  readonly #options: NetworkMakerOptions;
  /** Undefined: no Pod has asked for it. */
  #cluster: Promise<OpenCluster> | undefined;
  /** The addresses that Pods have had. */
  readonly #given = new Set<string>();
  /** Records an event about the Pod that has come last. Undefined: none has come. */
  #tell: ((event: EventDraft) => void) | undefined;
  /** An event for the first Pod. */
  #untold: EventDraft | undefined;

  /** Begins to make the cluster, before the first Pod waits for it. */
  constructor(options: NetworkMakerOptions) {
    this.#options = options;
    if (options.networks.kind !== 'cluster') return;
    this.#cluster = this.#openCluster();
    // A failure is reported to the Pods.
    this.#cluster.catch(() => undefined);
  }

  /**
   * Makes the network of a Pod, or finds the network that a former agent made. Rejects on failure, also when a port is
   * taken.
   */
  async open(pod: StoredPod, address: string, event: (event: EventDraft) => void): Promise<PrivateNetwork> {
    const { networks, files, clock } = this.#options;
    this.#tell = event;
    if (this.#untold !== undefined) this.#report(this.#untold);
    const recorded = files.recordedNetwork(pod);
    // A network that only open files of this agent held cannot be one of a former agent.
    const isHeld = recorded !== undefined && recorded.files === undefined;
    const before = isHeld ? quietly(() => adoptedNetwork(recorded, clock)) : undefined;
    // The containers of a Pod whose holder was killed may still run in the former network.
    const isLost = before === undefined && pod.status.podIP !== undefined;
    const sysctls = networkSysctls(pod, networks, event);
    const place = { address, sysctls, before, isLost, event, record: (join: NetworkJoin) => this.#record(pod, join) };
    const parts = networks.kind === 'cluster' ? this.#inCluster(place) : this.#alone(place);
    const opened = await PrivateNetwork.open({ spec: pod.spec, address, event, ...(await parts) });
    if (before === undefined && networks.kind === 'pod') event(isolatedNetwork(address));
    return opened;
  }

  /** Cuts a Pod of the cluster off from everything outside of it, or connects it again. Rejects on failure. */
  async cutOff({ join }: PrivateNetwork, isCut: boolean): Promise<void> {
    await (await this.#cluster)?.cluster.setLink(join, isCut ? 'down' : 'up');
  }

  /** podrun's helper in the cluster. Undefined: each Pod is alone. */
  async clusterHelper(): Promise<NetworkHelper | undefined> {
    return (await this.#cluster)?.helper;
  }

  /**
   * Serves Services in the cluster. Returns the listeners that cannot listen.
   * @throws {Error} when there is no cluster, or nft fails
   */
  async serve(listeners: readonly ServiceListener[]): Promise<ListenTrouble[]> {
    const open = await this.#cluster;
    if (open === undefined) return [];
    open.listeners = listeners;
    return serveIn(open);
  }

  /**
   * Enforces compiled NetworkPolicies in the cluster. From then on rules serve Services as well: behind podrun's proxy,
   * all Pods would look the same. What rules cannot serve, podrun's proxy judges by itself.
   * @param all the groups of all Pods, of other agents as well
   * @throws {Error} with the messages of nft
   */
  async enforce(groups: readonly PolicyGroup[], all: readonly PolicyGroup[]): Promise<void> {
    const open = await this.#cluster;
    const { networks } = this.#options;
    if (open === undefined || networks.nft === undefined) return;
    if (open.policies === undefined && all.length === 0) return this.#removeFormer(networks.nft, open);
    open.policies ??= new NftPolicies(networks.nft, open.cluster.join, this.#owner);
    if (networks.proxy === 'auto' && open.rules === undefined) {
      open.rules = new NftServices(networks.nft, open.cluster.join, this.#owner);
      await serveIn(open).catch((error: unknown) => {
        open.rules = undefined;
        throw error;
      });
    }
    await open.policies.update(groups);
    if (isSameJson(open.groups, all)) return;
    open.groups = all;
    const [listeners, policies] = servedByHelper(open);
    if (policies !== undefined) await open.helper.update(listeners, policies);
  }

  /** Removes what a former process of this agent has left, whose last NetworkPolicy went while no agent lived. */
  async #removeFormer(nft: string, { cluster, rules }: OpenCluster): Promise<void> {
    if (this.#options.networkRecord === undefined) return;
    const policies = new NftPolicies(nft, cluster.join, this.#owner);
    await policies.update([]);
    await policies.close();
    if (rules === undefined) await new NftServices(nft, cluster.join, this.#owner).removeFormer();
  }

  /** The connections that NetworkPolicies have refused. @throws {Error} with the messages of nft */
  async refusals(): Promise<Refusal[]> {
    return (await (await this.#cluster)?.policies?.refusals()) ?? [];
  }

  /** The agent, for the names of its tables. */
  get #owner(): string {
    return this.#options.networkRecord?.id ?? 'services';
  }

  /** Lets go of what all Pods share. Unless other agents have it as well, it ends. */
  async close(): Promise<void> {
    const open = await this.#cluster?.catch(() => undefined);
    if (open === undefined) return;
    const { networkRecord } = this.#options;
    // A lost state folder has lost the record with it: no other process would end what it named.
    const ends = networkRecord?.living('holder') !== open.cluster.holder?.pid || networkRecord === undefined;
    await open.holder?.close();
    await open.rules?.close();
    await open.policies?.close();
    open.helper.close();
    open.wayOut.close({ ends });
    open.cluster.close({ ends });
  }

  async #inCluster({ address, sysctls, before, isLost, event, record }: PodPlace): Promise<NetworkParts> {
    this.#cluster ??= this.#openCluster();
    const opening = this.#cluster;
    try {
      const { cluster, helper, wayOut } = await opening;
      const held = before ?? (await cluster.addPod(address, sysctls, record));
      if (before === undefined) await this.#forgetFormer(address, cluster.join);
      // The kernel has removed the former cluster with the last of its processes.
      const former = held.join.cluster;
      if (isLost || (former !== undefined && former !== cluster.id)) event(networkLost());
      await wayOut.opened;
      return { held, helper, isShared: true };
    } catch (error) {
      throw failed(error);
    }
  }

  /** Other agents of a cluster may have given the address to a Pod, too. Without perl, the kernel forgets in time. */
  async #forgetFormer(address: string, join: NetworkJoin): Promise<void> {
    const { networks, networkRecord } = this.#options;
    const isKnown = this.#given.has(address) || networkRecord !== undefined;
    this.#given.add(address);
    if (isKnown && networks.nft !== undefined) await forgetConnections(join, address).catch(() => undefined);
  }

  async #openCluster(): Promise<OpenCluster> {
    const { networks, clock, heldFor, networkRecord: record } = this.#options;
    try {
      await this.#endFormerHelper();
      const cluster = await sharedCluster({ ...networks, nft: nftForPolicies(networks), heldFor }, record);
      const helper = new NetworkHelper(cluster.join, afterwardsOf(networks, record));
      const report = (event: EventDraft): void => this.#report(event);
      const rules =
        networks.proxy === 'nft' && networks.nft !== undefined
          ? new NftServices(networks.nft, cluster.join, this.#owner)
          : undefined;
      // The rules of a former process of this agent would stay, although another agent may serve the same Services.
      if (record !== undefined) await rules?.update([]);
      record?.enter(cluster.join.files, cluster.id);
      const holder = record && new LastingHolder({ cluster, clock, claim: claimIn(record) });
      return {
        cluster,
        holder,
        helper,
        rules,
        policies: undefined,
        listeners: [],
        groups: [],
        wayOut: new LastingWayOut({ networks, clock, cluster, record, report }),
      };
    } catch (error) {
      // The next attempt tries again, and so does the detection of the next podrun.
      this.#cluster = undefined;
      this.#options.onClusterFailed();
      throw error;
    }
  }

  /** The helper of a former process of this agent has served until now what this one is going to serve. */
  async #endFormerHelper(): Promise<void> {
    const { networkRecord, clock } = this.#options;
    const former = networkRecord?.living('helper');
    if (former === undefined) return;
    killGroup(former);
    while (networkRecord?.living('helper') === former) await sleep(clock, LOOK_EVERY_MS);
  }

  /** Reports an event that concerns all Pods: as one of the Pod that has come last, or comes first. */
  #report(event: EventDraft): void {
    this.#untold = this.#tell === undefined ? event : undefined;
    this.#tell?.(event);
  }

  async #alone({ address, sysctls, before, record }: PodPlace): Promise<NetworkParts> {
    const { networks, heldFor } = this.#options;
    const ends = afterwardsOf(networks, undefined);
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

/** Serves the listeners of Services. Returns what cannot listen. */
async function serveIn(open: OpenCluster): Promise<ListenTrouble[]> {
  await open.rules?.update(open.listeners.filter(isServedByRules));
  return open.helper.update(...servedByHelper(open));
}

/** The listeners of the helper, and the policies by which it judges clients if Pods are among them. */
function servedByHelper({ rules, listeners, groups }: OpenCluster): Parameters<NetworkHelper['update']> {
  const own = rules === undefined ? listeners : listeners.filter((listener) => !isServedByRules(listener));
  return own.some(({ network }) => network === 'pods') ? [own, groups] : [own];
}

/** The cluster on record, else a new one. */
async function sharedCluster(options: ClusterOptions, record: NetworkRecord | undefined): Promise<Cluster> {
  const entrance = record?.entrance();
  const adopted = entrance && quietly(() => Cluster.adopt(options, entrance));
  if (record === undefined || adopted !== undefined) return adopted ?? Cluster.open(options);
  const opened = await Cluster.open(options, (pid, cluster) => {
    const wayOut = record.living('wayOut');
    // The former way out led out of a cluster that is gone.
    if (record.claim('holder', pid, { cluster }) === pid && wayOut !== undefined) killGroup(wayOut);
    return record.entrance() ?? { pid, cluster };
  });
  return opened;
}

function afterwardsOf({ tools }: PrivateNetworks, record: NetworkRecord | undefined): HelperFate {
  if (record === undefined) return { type: 'ends', setpriv: tools.setpriv };
  return {
    type: 'outlivesPodrun',
    heldFor: record.root,
    file: record.file('helper'),
    shared: [record.file('wayOut'), record.file('holder')],
    record: (pid) => void record.claim('helper', pid),
  };
}

function claimIn(record: NetworkRecord): ClusterClaim {
  return (pid, cluster) => ({ pid: record.claim('holder', pid, { cluster }), cluster });
}

const LOOK_EVERY_MS = 2;

/** The network that a Pod is to have. */
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

interface PodPlace {
  readonly address: string;
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
  return new Error(`cannot make a network for the Pod: ${why instanceof Error ? why.message : String(why)}`);
}
