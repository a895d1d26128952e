import { isSameJson } from '../../api/index.ts';
import type { PolicyGroup } from '../../controllers/index.ts';
import { isNodeInCluster } from '../../lifecycle/index.ts';
import type { Subscription } from '../../store/index.ts';
import { listenerKey, type ServiceListener } from '../base/service-listener.ts';
import type { Cluster } from '../linux/cluster.ts';
import type { NetworkHelper } from '../linux/helper-process.ts';
import { NftPolicies, type Refusal } from '../linux/nft-policies.ts';
import { NftServices } from '../linux/nft-services.ts';
import { isServedByRules } from '../nft/service-rules.ts';
import type { ListenTrouble } from '../proxy/service-proxy.ts';

interface ClusterServingOptions {
  readonly cluster: Cluster;
  readonly helper: NetworkHelper;
  /** The agent, for the names of its tables. */
  readonly owner: string;
  /** The path of nft. Undefined: there are no rules. */
  readonly nft: string | undefined;
  /** Undefined: podrun's helper serves all Services. */
  readonly rules: NftServices | undefined;
  /** True: rules serve Services as soon as there are NetworkPolicies. */
  readonly mayAddRules: boolean;
  /** True for a cluster that outlives podrun: a former process of this agent may have left rules. */
  readonly hasFormer: boolean;
}

/** Services, host ports and NetworkPolicies, as an agent serves them in the cluster of its Pods. */
export class ClusterServing {
  readonly #options: ClusterServingOptions;
  #rules: NftServices | undefined;
  /** Undefined: there was no NetworkPolicy. */
  #policies: NftPolicies | undefined;
  /** The listeners of Services, as last served. */
  #services: readonly ServiceListener[] = [];
  /** The host ports of Pods, at the addresses of their nodes. */
  readonly #hostPorts = new Set<ServiceListener>();
  /** The ports at the addresses of nodes that are kept for the cluster, by listener. */
  #nodePorts: ReadonlyMap<string, ServiceListener> = new Map();
  /** The compiled NetworkPolicies of all Pods. */
  #groups: readonly PolicyGroup[] = [];

  constructor(options: ClusterServingOptions) {
    this.#options = options;
    this.#rules = options.rules;
  }

  /** Serves Services. Returns the listeners that cannot listen. @throws {Error} with the messages of nft */
  async serve(services: readonly ServiceListener[]): Promise<ListenTrouble[]> {
    this.#services = services;
    const keys = new Set(services.map(listenerKey));
    return (await this.#serveAll()).filter(({ listener }) => keys.has(listenerKey(listener)));
  }

  /**
   * Serves a host port of a Pod at the address of its node. @throws {Error} when that cannot be listened on
   */
  async serveHostPort(port: ServiceListener): Promise<Subscription> {
    const stop = async (): Promise<void> => {
      this.#hostPorts.delete(port);
      await this.#serveAll();
    };
    this.#hostPorts.add(port);
    const trouble = (await this.#serveAll()).find(({ listener }) => listenerKey(listener) === listenerKey(port));
    // A cluster that is gone has no ports.
    if (trouble === undefined) return { close: () => void stop().catch(() => undefined) };
    await stop();
    throw trouble.error;
  }

  /**
   * Enforces compiled NetworkPolicies. From then on rules serve Services as well: behind podrun's proxy, all Pods would
   * look the same. What rules cannot serve, podrun's proxy judges by itself.
   * @param all the groups of all Pods, of other agents as well
   * @throws {Error} with the messages of nft
   */
  async enforce(groups: readonly PolicyGroup[], all: readonly PolicyGroup[]): Promise<void> {
    const { nft, mayAddRules, helper, cluster, owner } = this.#options;
    if (nft === undefined) return;
    if (this.#policies === undefined && all.length === 0) return this.#removeFormer(nft);
    this.#policies ??= new NftPolicies(nft, cluster.join, owner);
    if (mayAddRules && this.#rules === undefined) {
      this.#rules = new NftServices(nft, cluster.join, owner);
      await this.#serveAll().catch((error: unknown) => {
        this.#rules = undefined;
        throw error;
      });
    }
    await this.#policies.update(groups);
    if (isSameJson(this.#groups, all)) return;
    this.#groups = all;
    const [listeners, policies] = this.#servedByHelper();
    if (policies !== undefined) await helper.update(listeners, policies);
  }

  /** The connections that NetworkPolicies have refused. @throws {Error} with the messages of nft */
  async refusals(): Promise<Refusal[]> {
    return (await this.#policies?.refusals()) ?? [];
  }

  async close(): Promise<void> {
    await this.#rules?.close();
    await this.#policies?.close();
    this.#options.helper.close();
  }

  /** Removes what a former process of this agent has left, whose last NetworkPolicy went while no agent lived. */
  async #removeFormer(nft: string): Promise<void> {
    const { cluster, owner, hasFormer } = this.#options;
    if (!hasFormer) return;
    const policies = new NftPolicies(nft, cluster.join, owner);
    await policies.update([]);
    await policies.close();
    if (this.#rules === undefined) await new NftServices(nft, cluster.join, owner).removeFormer();
  }

  async #serveAll(): Promise<ListenTrouble[]> {
    await this.#setNodePorts();
    await this.#rules?.update(this.#listeners.filter(isServedByRules));
    return this.#options.helper.update(...this.#servedByHelper());
  }

  async #setNodePorts(): Promise<void> {
    const wanted = this.#listeners.filter(({ network, address }) => network === 'pods' && isNodeInCluster(address));
    const before = this.#nodePorts;
    this.#nodePorts = new Map(wanted.map((listener) => [listenerKey(listener), listener]));
    const kept = wanted.filter((listener) => !before.has(listenerKey(listener)));
    const released = [...before].filter(([key]) => !this.#nodePorts.has(key)).map(([, listener]) => listener);
    if (kept.length + released.length === 0) return;
    await this.#options.cluster.setNodePorts(kept, released).catch((error: unknown) => {
      this.#nodePorts = before;
      throw error;
    });
  }

  /** The listeners of the helper, and the policies by which it judges clients if Pods are among them. */
  #servedByHelper(): Parameters<NetworkHelper['update']> {
    const all = this.#listeners;
    const own = this.#rules === undefined ? all : all.filter((listener) => !isServedByRules(listener));
    return own.some(({ network }) => network === 'pods') ? [own, this.#groups] : [own];
  }

  get #listeners(): readonly ServiceListener[] {
    return [...this.#services, ...this.#hostPorts];
  }
}
