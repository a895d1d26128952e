import type { Clock } from '../../clock.ts';
import { sleep } from '../../clock.ts';
import type { EventDraft } from '../../lifecycle/index.ts';
import { quietly } from '../../quietly.ts';
import { killGroup } from '../../runtime/index.ts';
import type { NetworkRecord } from '../../store/index.ts';
import { Cluster, type ClusterClaim, type ClusterOptions } from '../linux/cluster.ts';
import { nftForPolicies } from '../linux/detect.ts';
import { NetworkHelper } from '../linux/helper-process.ts';
import { NftServices } from '../linux/nft-services.ts';
import type { HelperFate } from '../linux/start-helper.ts';
import { ClusterServing } from './cluster-serving.ts';
import { LastingHolder, LastingWayOut } from './lasting-way-out.ts';
import type { PrivateNetworks } from './private-networks.ts';

export interface AgentClusterOptions {
  readonly networks: PrivateNetworks;
  readonly clock: Clock;
  /** The state folder for whose Pods the cluster outlives podrun. Undefined: it ends with podrun. */
  readonly heldFor: string | undefined;
  /** The record of a cluster that outlives podrun, and that several agents share. */
  readonly networkRecord: NetworkRecord | undefined;
  readonly onClusterFailed: () => void;
  /** Records an event that concerns all Pods. */
  readonly report: (event: EventDraft) => void;
}

/** A cluster, and what an agent has in it. */
interface OpenCluster {
  readonly cluster: Cluster;
  /** Undefined: the cluster ends with podrun. */
  readonly holder: LastingHolder | undefined;
  readonly helper: NetworkHelper;
  readonly serving: ClusterServing;
  readonly wayOut: LastingWayOut;
}

/** The cluster of an agent's Pods: a new one, or the one on record that other agents have made. */
export class AgentCluster {
  readonly #options: AgentClusterOptions;
  #opened: Promise<OpenCluster> | undefined;

  constructor(options: AgentClusterOptions) {
    this.#options = options;
  }

  /** Undefined: no Pod has asked for the cluster, or it cannot be made. */
  get opened(): Promise<OpenCluster> | undefined {
    return this.#opened;
  }

  /** Opens the cluster unless it is open. Rejects on failure: the next call tries again. */
  open(): Promise<OpenCluster> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** Lets go of the cluster. Unless other agents have it as well, it ends. */
  async close(): Promise<void> {
    const open = await this.#opened?.catch(() => undefined);
    if (open === undefined) return;
    const { networkRecord } = this.#options;
    // A lost state folder has lost the record with it: no other process would end what it named.
    const ends = networkRecord?.living('holder') !== open.cluster.holder?.pid || networkRecord === undefined;
    await open.holder?.close();
    await open.serving.close();
    open.wayOut.close({ ends });
    open.cluster.close({ ends });
  }

  async #open(): Promise<OpenCluster> {
    const { networks, clock, heldFor, networkRecord: record, report } = this.#options;
    try {
      await this.#endFormerHelper();
      const cluster = await sharedCluster({ ...networks, nft: nftForPolicies(networks), heldFor }, record);
      const helper = new NetworkHelper(cluster.join, helperFate(networks, record));
      // The names of the tables of this agent.
      const owner = record?.id ?? 'services';
      const rules =
        networks.proxy === 'nft' && networks.nft !== undefined
          ? new NftServices(networks.nft, cluster.join, owner)
          : undefined;
      // The rules of a former process of this agent would stay, although another agent may serve the same Services.
      if (record !== undefined) await rules?.update([]);
      record?.enter(cluster.join.files, cluster.id);
      const holder = record && new LastingHolder({ cluster, clock, claim: claimIn(record) });
      const serving = new ClusterServing({
        cluster,
        helper,
        owner,
        nft: networks.nft,
        rules,
        mayAddRules: networks.proxy === 'auto',
        hasFormer: record !== undefined,
      });
      return {
        cluster,
        holder,
        helper,
        serving,
        wayOut: new LastingWayOut({ networks, clock, cluster, record, report }),
      };
    } catch (error) {
      // The next attempt tries again, and so does the detection of the next podrun.
      this.#opened = undefined;
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
}

/** The interval of looks at a helper that was killed. */
const LOOK_EVERY_MS = 2;

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

/** The way in which a helper ends: with podrun, or later. */
export function helperFate({ tools }: PrivateNetworks, record: NetworkRecord | undefined): HelperFate {
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
