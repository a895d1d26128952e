import type { StoredPod, StoredService } from '../../api/index.ts';
import {
  type EventDraft,
  looksUpServices,
  NO_SERVICE_FILES,
  noServiceNames,
  podResolvConf,
  type PodResolvConf,
  unreachableResolver,
} from '../../lifecycle/index.ts';
import { readQuietly } from '../../quietly.ts';
import { AgentDns, type AgentDnsOptions } from './agent-dns.ts';
import { ServiceNames } from './service-names.ts';

export interface PodNamesOptions extends Omit<AgentDnsOptions, 'network'> {
  readonly network: AgentDnsOptions['network'] | 'pod';
  /** True for a Pod that uses the network of this machine as its node. */
  readonly isOnMachine: (pod: StoredPod) => boolean;
  /** False without namespaces: containers have the files of the host. */
  readonly hasOwnFiles: boolean;
}

/**
 * The names that the Pods of an agent can look up: in podrun's DNS server, or, for Pods that cannot reach one, in their
 * /etc/hosts.
 */
export class PodNames {
  readonly #options: PodNamesOptions;
  /** Undefined: no Pod could use it. */
  readonly #dns: AgentDns | undefined;
  readonly #hosts: ServiceNames;

  constructor(options: PodNamesOptions) {
    const { network, hasOwnFiles, store, clock } = options;
    this.#options = options;
    this.#dns = network === 'pod' || !hasOwnFiles ? undefined : new AgentDns({ ...options, network });
    this.#hosts = new ServiceNames(store, clock);
  }

  /** Begins to serve names. Resolves when they are served as far as possible, with events about the Pod. */
  async open(pod: StoredPod): Promise<readonly EventDraft[]> {
    await this.#dns?.open();
    const { hasOwnFiles, network, store, isOnMachine } = this.#options;
    if (hasOwnFiles) {
      if (this.#dns?.addressFor(isOnMachine(pod)) === undefined) await this.#hosts.lookUp();
      return this.resolvConf(pod).events;
    }
    const { metadata, spec } = pod;
    const isInCluster = network === 'cluster' && !isOnMachine(pod);
    const noNames = isInCluster ? unreachableResolver(readQuietly('/etc/resolv.conf')) : undefined;
    if (noNames !== undefined) return [noNames];
    const { namespace } = metadata;
    const services = network === 'pod' ? [] : store.recent.list<StoredService>('services', { namespace });
    // No agent has the Services of earlier runs.
    const hasServices = services.some(({ metadata: { name } }) => store.owners.isOwned(namespace, name, 'services'));
    // They may come later.
    return hasServices || looksUpServices(spec) ? [noServiceNames(NO_SERVICE_FILES)] : [];
  }

  /**
   * Begins to serve names before the first Pod. Returns the address of the DNS server in the network that Pods share.
   * Undefined: there is none. Rejects when that network cannot be made.
   */
  async clusterDns(): Promise<string | undefined> {
    if (this.#options.network !== 'cluster') return undefined;
    await this.#options.helper();
    await this.#dns?.open();
    return this.#dns?.addressFor(false);
  }

  /** The Pod's /etc/resolv.conf. */
  resolvConf(pod: StoredPod): PodResolvConf {
    const { namespace } = pod.metadata;
    const isOnMachine = this.#options.isOnMachine(pod);
    const hasOwnNetwork = this.#options.network !== 'host' && !isOnMachine;
    const clusterDns = this.#dns?.addressFor(isOnMachine);
    const { spec } = pod;
    return podResolvConf({ namespace, spec, host: readQuietly('/etc/resolv.conf'), clusterDns, hasOwnNetwork });
  }

  /** The lines about Services in the Pod's /etc/hosts. Undefined: the Pod has the DNS server. */
  hostsLines(pod: StoredPod): string | undefined {
    const { network } = this.#options;
    const isOnMachine = this.#options.isOnMachine(pod);
    if (this.#dns?.addressFor(isOnMachine) !== undefined) return undefined;
    return this.#hosts.lines(pod.metadata.namespace, isOnMachine || network === 'pod' ? 'host' : network);
  }

  /** Keeps an /etc/hosts with such lines up to date; see ServiceNames. */
  follow(file: string, rewrite: () => boolean): void {
    this.#hosts.follow(file, rewrite);
  }

  close(): void {
    this.#dns?.close();
    this.#hosts.close();
  }
}
