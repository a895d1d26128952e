import { PodrunError } from '../../api/errors.ts';
import type { StoredPod } from '../../api/objects.ts';
import type { Clock } from '../../clock.ts';
import type { EventDraft } from '../../lifecycle/effects.ts';
import { isolatedNetwork, noWayOut } from '../../lifecycle/texts/port-events.ts';
import { Cluster } from '../../runtime/linux/network/cluster.ts';
import { NetworkHelper } from '../../runtime/linux/network/helper-process.ts';
import { adoptedNetwork, type HeldNetwork, holdNetwork } from '../../runtime/linux/network/holder.ts';
import { WayOut } from '../../runtime/linux/network/way-out.ts';
import type { PodFiles } from '../pod-files.ts';
import type { PrivateNetworks } from '../setup/private-networks.ts';
import { PrivateNetwork } from './private-network.ts';

/** The record of the process that holds the cluster of a background agent. */
export interface ClusterRecord {
  /** The process that a former agent has recorded, if it still lives. */
  read(): number | undefined;
  write(pid: number): void;
}

export interface NetworkMakerOptions {
  readonly networks: PrivateNetworks;
  readonly clock: Clock;
  readonly files: Pick<PodFiles, 'recordNetwork' | 'recordedNetwork'>;
  /** True when networks outlive podrun. */
  readonly outlivesPodrun: boolean;
  readonly clusterRecord: ClusterRecord | undefined;
  readonly onClusterFailed: () => void;
}

/** The cluster of an agent's Pods, and podrun's helper in it. */
interface OpenCluster {
  readonly cluster: Cluster;
  readonly helper: NetworkHelper;
  /** Resolves when the way out is open, or cannot be opened. */
  readonly opened: Promise<void>;
}

/** Makes the private networks of an agent's Pods. */
export class NetworkMaker {
  readonly #options: NetworkMakerOptions;
  /** Undefined: no Pod has asked for it. */
  #cluster: Promise<OpenCluster> | undefined;
  /** Undefined: the cluster has none at the moment. */
  #wayOut: WayOut | undefined;
  #wayOutsLost = 0;
  #isClosed = false;
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

  /** Makes the network of a Pod, or finds that of a former agent. Rejects on failure, also when a port is taken. */
  async open(pod: StoredPod, address: string, event: (event: EventDraft) => void): Promise<PrivateNetwork> {
    const { networks, files, clock } = this.#options;
    this.#tell = event;
    if (this.#untold !== undefined) this.#report(this.#untold);
    const recorded = files.recordedNetwork(pod);
    // A network that only open files of this agent held cannot be one of a former agent.
    const before = recorded?.files === undefined ? recorded && adoptedNetwork(recorded, clock) : undefined;
    const network = networks.kind === 'cluster' ? this.#inCluster(address, before) : this.#alone(address, before);
    const opened = await PrivateNetwork.open({ spec: pod.spec, address, event, ...(await network) });
    if (before !== undefined) return opened;
    if (networks.kind === 'pod') event(isolatedNetwork(address));
    this.#record(pod, opened);
    return opened;
  }

  /** podrun's helper in the cluster. Undefined: each Pod is alone. */
  async clusterHelper(): Promise<NetworkHelper | undefined> {
    return (await this.#cluster)?.helper;
  }

  /** Removes what all Pods share. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = await this.#cluster?.catch(() => undefined);
    open?.helper.close();
    this.#wayOut?.close();
    open?.cluster.close();
  }

  async #inCluster(address: string, before: HeldNetwork | undefined): Promise<NetworkParts> {
    this.#cluster ??= this.#openCluster();
    const opening = this.#cluster;
    try {
      const { cluster, helper, opened } = await opening;
      const held = before ?? (await cluster.addPod(address));
      await opened;
      return { held, helper, isShared: true };
    } catch (error) {
      throw failed(error);
    }
  }

  async #openCluster(): Promise<OpenCluster> {
    const { networks, outlivesPodrun, clusterRecord } = this.#options;
    const options = { ...networks, outlivesPodrun };
    const former = clusterRecord?.read();
    try {
      const cluster = former === undefined ? await Cluster.open(options) : Cluster.adopt(options, former);
      if (cluster.holderPid !== undefined) clusterRecord?.write(cluster.holderPid);
      return { cluster, helper: new NetworkHelper(cluster.join), opened: this.#openWayOut(cluster) };
    } catch (error) {
      // The next attempt tries again, and so does the detection of the next podrun.
      this.#cluster = undefined;
      this.#options.onClusterFailed();
      throw error;
    }
  }

  /** Opens the way out, now and after it has died. Without one, the Pods run all the same. */
  async #openWayOut(cluster: Cluster): Promise<void> {
    const { networks, clock } = this.#options;
    const { tools, wayOut, failedWayOut, hasHostAccess } = networks;
    if (wayOut === undefined) return this.#report(noWayOut(failedWayOut));
    try {
      const opened = await WayOut.open({ tools, wayOut, cluster: cluster.join, hasHostAccess, clock });
      if (this.#isClosed) return opened.close();
      this.#wayOut = opened;
      void opened.lost.then((words) => this.#lostWayOut(cluster, words));
    } catch (error) {
      this.#report(noWayOut(error instanceof Error ? error.message : String(error)));
    }
  }

  async #lostWayOut(cluster: Cluster, words: string): Promise<void> {
    this.#wayOut = undefined;
    this.#wayOutsLost += 1;
    if (this.#wayOutsLost <= WAYS_OUT_MAX) await this.#openWayOut(cluster);
    else this.#report(noWayOut(words));
  }

  /** Reports an event that concerns all Pods: as one of the Pod that has come last, or comes first. */
  #report(event: EventDraft): void {
    this.#untold = this.#tell === undefined ? event : undefined;
    this.#tell?.(event);
  }

  async #alone(address: string, before: HeldNetwork | undefined): Promise<NetworkParts> {
    const { networks, outlivesPodrun } = this.#options;
    if (before !== undefined) return { held: before, helper: new NetworkHelper(before.join), isShared: false };
    const outcome = await holdNetwork(networks.tools, { mode: networks.mode, address, outlivesPodrun });
    if (!outcome.ok) throw failed(outcome.error);
    return { held: outcome.network, helper: new NetworkHelper(outcome.network.join), isShared: false };
  }

  /** Records the network for port-forward. The Pod runs without the record, too. */
  #record(pod: StoredPod, { join }: PrivateNetwork): void {
    try {
      this.#options.files.recordNetwork(pod, join);
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
    }
  }
}

/** The number of times that a way out may die and is opened again. */
const WAYS_OUT_MAX = 10;

interface NetworkParts {
  readonly held: HeldNetwork;
  readonly helper: NetworkHelper;
  readonly isShared: boolean;
}

function failed(why: unknown): Error {
  return new Error(`cannot make a network for the Pod: ${why instanceof Error ? why.message : String(why)}`);
}
