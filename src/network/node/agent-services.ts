import { inBackground, reportTrouble } from '../../defects.ts';
import { SERVICE_NAME_LABEL, type StoredEndpointSlice, type StoredService } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import {
  clientsUnknown,
  type EventDraft,
  type NodeFacts,
  type PortOwner,
  servicePortMoved,
  servicePortTaken,
  serviceServed,
} from '../../lifecycle/index.ts';
import { lowestPort, type ServiceListener } from '../base/service-listener.ts';
import { listenersOfServices, machinePort, type ServicePlace } from '../base/listeners-of-services.ts';
import type { ServiceServer } from './service-server.ts';
import type { ListenTrouble } from '../proxy/service-proxy.ts';
import { leadsTo, machineUrls } from '../base/machine-urls.ts';
import { machineAddress } from '../base/service-addresses.ts';

/** Serves listeners of Services, here or in another network. */
export interface ServiceListeners {
  update(listeners: readonly ServiceListener[]): Promise<ListenTrouble[]>;
  close(): void;
}

/** An agent or a helper that ends may listen for a moment: trouble that lasts longer than these tries is reported. */
const FIRST_RETRIES_MS = [100, 200, 300];
const RETRY_MS = 2000;

/** Serves Services to the Pods of an agent, and on their loopback addresses to this machine. */
export class AgentServices implements ServiceServer {
  readonly #network: ServicePlace['network'];
  readonly #nodes: () => readonly NodeFacts[];
  readonly #listeners: ServiceListeners;
  readonly #lowestPort = lowestPort();
  readonly #record: (service: StoredService, event: EventDraft) => void;
  readonly #clock: Clock;
  /** Ends the pause before the next try to listen where another program does. */
  #endPause: () => void = () => undefined;
  /** The listeners of the last update. Undefined: none, or closed. */
  #latest: readonly ServiceListener[] | undefined;
  /** The addresses and ports of another program that have an event already. */
  readonly #taken = new Set<string>();
  /** The events that were recorded: each once. */
  readonly #recorded = new Set<string>();
  readonly #onTrouble: (error: Error) => void;
  readonly #onServed: (service: StoredService) => void;
  readonly #ownerOf: (port: number, address: string) => Promise<PortOwner | undefined>;
  /** The uids of Services that were reported as served. */
  readonly #served = new Set<string>();
  /** The uids of Services that this machine reaches at all of their addresses. */
  readonly #isReached = new Set<string>();

  constructor(options: {
    /** The network of the Pods. */
    readonly network: ServicePlace['network'];
    readonly nodes: () => readonly NodeFacts[];
    readonly listeners: ServiceListeners;
    readonly clock: Clock;
    readonly record: (service: StoredService, event: EventDraft) => void;
    readonly onTrouble: (error: Error) => void;
    /** Called once for each Service, as soon as connections reach its endpoints. */
    readonly onServed: (service: StoredService) => void;
    /** Finds the process that listens on a port of this machine. */
    readonly ownerOf: (port: number, address: string) => Promise<PortOwner | undefined>;
  }) {
    this.#network = options.network;
    this.#nodes = options.nodes;
    this.#listeners = options.listeners;
    this.#clock = options.clock;
    this.#record = options.record;
    this.#onTrouble = options.onTrouble;
    this.#onServed = options.onServed;
    this.#ownerOf = options.ownerOf;
  }

  async show(services: readonly StoredService[], slices: readonly StoredEndpointSlice[]): Promise<void> {
    const nodes = this.#nodes();
    for (const service of services) this.#tellMoved(service);
    if (nodes.length > 1 && this.#network === 'host') this.#tellUnknownClients(services);
    const place = { network: this.#network, lowestPort: this.#lowestPort, nodes };
    const serving = this.#serve(services, listenersOfServices(services, slices, place));
    this.#reportServed(services, slices, serving);
    await serving;
  }

  #reportServed(
    services: readonly StoredService[],
    slices: readonly StoredEndpointSlice[],
    serving: Promise<void>,
  ): void {
    const fresh = services.filter((service) => !this.#served.has(service.metadata.uid) && hasSlices(service, slices));
    for (const { metadata } of fresh) this.#served.add(metadata.uid);
    if (fresh.length > 0) inBackground(serving.then(() => fresh.forEach((service) => this.#onServed(service))));
  }

  /** Tells at which addresses this machine reaches a Service, as soon as it does. */
  #tellServed(service: StoredService, troubles: readonly ListenTrouble[]): void {
    const { uid } = service.metadata;
    if (!this.#served.has(uid) || this.#isReached.has(uid)) return;
    const urls = machineUrls(service, this.#lowestPort);
    const free = urls.filter((url) => !troubles.some(({ listener }) => leadsTo(url, listener)));
    if (free.length > 0) this.#tell(service, serviceServed(free));
    if (free.length === urls.length) this.#isReached.add(uid);
  }

  close(): void {
    this.#latest = undefined;
    this.#endPause();
    this.#listeners.close();
  }

  /** Resolves when the listeners listen, or when the trouble was reported, or after a later call. */
  async #serve(services: readonly StoredService[], listeners: readonly ServiceListener[]): Promise<void> {
    this.#endPause();
    this.#latest = listeners;
    for (const pauseMs of FIRST_RETRIES_MS) {
      if ((await this.#try(services, listeners)) === undefined) return;
      if (!(await this.#pause(pauseMs, listeners))) return;
    }
    const tell = await this.#try(services, listeners);
    if (tell === undefined) return;
    await tell();
    inBackground(this.#keepTrying(services, listeners));
  }

  async #keepTrying(services: readonly StoredService[], listeners: readonly ServiceListener[]): Promise<void> {
    while (await this.#pause(RETRY_MS, listeners)) {
      const tell = await this.#try(services, listeners);
      if (tell === undefined) return;
      await tell();
    }
  }

  /** Returns a function that reports the trouble. Undefined: there is none, or a later call has other listeners. */
  async #try(
    services: readonly StoredService[],
    listeners: readonly ServiceListener[],
  ): Promise<(() => Promise<unknown>) | undefined> {
    try {
      const troubles = await this.#listeners.update(listeners);
      for (const service of services) this.#tellServed(service, troubles);
      if (troubles.length === 0 || this.#latest !== listeners) return undefined;
      return () => Promise.all(troubles.map((trouble) => this.#tellTaken(services, trouble)));
    } catch (error) {
      // The helper has died.
      return this.#latest === listeners ? async () => reportTrouble(error, this.#onTrouble) : undefined;
    }
  }

  /** Resolves with false when a later call has other listeners. */
  async #pause(ms: number, listeners: readonly ServiceListener[]): Promise<boolean> {
    if (this.#latest === listeners) {
      await new Promise<void>((resolve) => {
        const alarm = this.#clock.wakeAt(this.#clock.now().monotonicMs + ms, resolve);
        this.#endPause = () => {
          alarm.cancel();
          resolve();
        };
      });
    }
    return this.#latest === listeners;
  }

  async #tellTaken(services: readonly StoredService[], { listener, error }: ListenTrouble): Promise<void> {
    const { service: name, address, port, protocol } = listener;
    const service = services.find(({ metadata }) => name.startsWith(`${metadata.namespace}/${metadata.name}:`));
    const at = `${address}:${port}${protocol === 'UDP' ? '/UDP' : ''}`;
    // The search takes longer than an attempt to listen: each place is reported once.
    if (service === undefined || this.#taken.has(`${service.metadata.uid} ${at}`)) return;
    this.#taken.add(`${service.metadata.uid} ${at}`);
    const owner = error.code === 'EADDRINUSE' && protocol === 'TCP' ? await this.#ownerOf(port, address) : undefined;
    const isInCluster = this.#network === 'cluster';
    this.#tell(service, servicePortTaken(at, { why: error.code ?? error.message, owner, isInCluster }));
  }

  #tellMoved(service: StoredService): void {
    const { clusterIP = 'None', ports = [] } = service.spec ?? {};
    if (clusterIP === 'None' || clusterIP === '') return;
    for (const { port } of ports) {
      const moved = machinePort(port, this.#lowestPort);
      if (moved === port) continue;
      const place = { address: machineAddress(clusterIP), moved, isInCluster: this.#network === 'cluster' };
      this.#tell(service, servicePortMoved(port, place));
    }
  }

  /** In the network of this machine, the address of a client does not say which node it is on. */
  #tellUnknownClients(services: readonly StoredService[]): void {
    for (const service of services) {
      const { internalTrafficPolicy, trafficDistribution } = service.spec ?? {};
      const fields = [
        ...(internalTrafficPolicy === 'Local' ? ['spec.internalTrafficPolicy'] : []),
        ...(trafficDistribution === undefined ? [] : ['spec.trafficDistribution']),
      ];
      if (fields.length > 0) this.#tell(service, clientsUnknown(fields));
    }
  }

  #tell(service: StoredService, event: EventDraft): void {
    const key = `${service.metadata.uid} ${event.message}`;
    if (this.#recorded.has(key)) return;
    this.#recorded.add(key);
    this.#record(service, event);
  }
}

/** False for a Service whose EndpointSlices its controller has yet to make. */
function hasSlices({ metadata, spec }: StoredService, slices: readonly StoredEndpointSlice[]): boolean {
  if (spec?.type === 'ExternalName' || Object.keys(spec?.selector ?? {}).length === 0) return true;
  const { namespace, name } = metadata;
  return slices.some(
    (slice) => slice.metadata.namespace === namespace && slice.metadata.labels?.[SERVICE_NAME_LABEL] === name,
  );
}
