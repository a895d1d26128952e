import { caught, inBackground } from '../../defects.ts';
import type { StoredEndpointSlice, StoredService } from '../../api/index.ts';
import type { Alarm, Clock } from '../../clock.ts';
import { parseResolvConf } from '../../lifecycle/index.ts';
import { type DnsName, dnsNames } from '../dns/names.ts';
import type { NameServer } from '../dns/forwarder.ts';
import type { ServicePlace } from '../base/listeners-of-services.ts';
import { lowestPort } from '../base/service-listener.ts';
import { CLUSTER_DNS, DNS_PORT, machineDns } from '../base/service-addresses.ts';
import { readQuietly } from '../../quietly.ts';
import type { NetworkHelper } from '../linux/helper-process.ts';
import { type FileStore, Informer } from '../../store/index.ts';

const RETRY_MS = 1000;
/** Resolvers ask no more. Source: resolv.conf(5), MAXNS. */
const SERVERS_MAX = 3;

export interface AgentDnsOptions {
  readonly store: FileStore;
  readonly clock: Clock;
  /** The network of the Pods. */
  readonly network: ServicePlace['network'];
  /** podrun's helper in the cluster. Undefined: there is none. */
  readonly helper: () => Promise<NetworkHelper | undefined>;
}

/** A server of names: a DNS server, or the hosts files. */
interface NameService {
  update(names: readonly DnsName[]): Promise<void> | void;
  close(): void;
}

/**
 * The DNS server for the Pods of an agent: in their cluster, or on a loopback address of this machine, where podrun may
 * listen on port 53. It knows the Services of all namespaces at the moment of a question.
 */
export class AgentDns {
  readonly #options: AgentDnsOptions;
  /** Undefined: names are not served. */
  #services: Informer<StoredService> | undefined;
  #slices: Informer<StoredEndpointSlice> | undefined;
  #opened: Promise<void> | undefined;
  #service: NameService | undefined;
  #retry: Alarm | undefined;
  #isPlanned = false;
  #isClosed = false;

  constructor(options: AgentDnsOptions) {
    this.#options = options;
  }

  /** Begins to serve names. Resolves when it does, or cannot. */
  open(): Promise<void> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /**
   * The address of the server for a Pod. Undefined: the Pod cannot reach it, or it does not serve.
   * @param isOnMachine true for a Pod that uses the network of this machine as its node
   */
  addressFor(isOnMachine: boolean): string | undefined {
    if (this.#service === undefined) return undefined;
    if (this.#options.network === 'host') return this.#hostAddress;
    return isOnMachine ? undefined : CLUSTER_DNS;
  }

  close(): void {
    this.#isClosed = true;
    this.#services?.close();
    this.#slices?.close();
    this.#service?.close();
  }

  get #hostAddress(): string {
    return machineDns(this.#options.store.root);
  }

  async #open(): Promise<void> {
    const { network } = this.#options;
    if (network === 'host' && lowestPort() > DNS_PORT) return;
    const { store } = this.#options;
    this.#services = new Informer({ store, resource: 'services' }, () => this.#plan());
    this.#slices = new Informer({ store, resource: 'endpointslices' }, () => this.#plan());
    // Without port 53, names are in /etc/hosts.
    const service = await (network === 'host' ? this.#onMachine() : this.#inCluster()).catch(() => undefined);
    if (this.#isClosed) service?.close();
    else this.#service = service;
    this.#plan();
  }

  async #onMachine(): Promise<NameService> {
    const [{ DnsServer }, { dialServer, openSocket }] = await Promise.all([
      import('../dns/dns-server.ts'),
      import('../dns/forwarder.ts'),
    ]);
    const server = new DnsServer(this.#options.clock, dialServer);
    server.update(this.#names());
    await server.open(this.#hostAddress, DNS_PORT);
    for (const each of nameServers().filter(({ address }) => address !== this.#hostAddress)) {
      const socket = await openSocket(each).catch(() => undefined);
      if (socket !== undefined) server.forwarder.add(each, socket);
    }
    return server;
  }

  async #inCluster(): Promise<NameService | undefined> {
    const [{ HelperNames }, helper] = await Promise.all([import('../linux/helper-names.ts'), this.#options.helper()]);
    if (helper === undefined) return undefined;
    const names = new HelperNames(helper, { address: CLUSTER_DNS, port: DNS_PORT }, nameServers());
    const served = (serving: Promise<void>): Promise<void> =>
      serving.catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error;
        this.#tryLater(() => update(this.#names()));
      });
    // A helper that has died is given the names when the next one starts.
    const update = (each: readonly DnsName[]): Promise<void> => served(names.update(each)).catch(() => undefined);
    await served(names.open(this.#names()));
    // The helper ends with the network.
    return { update, close: () => this.#retry?.cancel() };
  }

  /** Tries again after a while: another agent of the cluster serves the same names, until it ends. */
  #tryLater(again: () => Promise<void>): void {
    this.#retry?.cancel();
    const { clock } = this.#options;
    if (!this.#isClosed) this.#retry = clock.wakeAt(clock.now().monotonicMs + RETRY_MS, () => inBackground(again()));
  }

  #names(): DnsName[] {
    const place = { network: this.#options.network, lowestPort: lowestPort() };
    return dnsNames(this.#services?.all ?? [], this.#slices?.all ?? [], place);
  }

  /** Several changes of one turn are served together. */
  #plan(): void {
    if (this.#isPlanned || this.#service === undefined) return;
    this.#isPlanned = true;
    queueMicrotask(
      caught(() => {
        this.#isPlanned = false;
        inBackground(this.#service?.update(this.#names()));
      }),
    );
  }
}

/** The name servers of this machine. */
function nameServers(): NameServer[] {
  const { nameservers } = parseResolvConf(readQuietly('/etc/resolv.conf'));
  return nameservers.slice(0, SERVERS_MAX).map((address) => ({ address, port: DNS_PORT }));
}
