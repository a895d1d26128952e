import type { StoredService } from '../../api/objects.ts';
import type { StoredEndpointSlice } from '../../api/workloads/endpoint-slices.ts';
import type { Alarm, Clock } from '../../clock.ts';
import type { EventDraft } from '../../lifecycle/effects.ts';
import { servicePortMoved, servicePortTaken } from '../../lifecycle/texts/service-events.ts';
import { lowestPort } from '../../network/lowest-port.ts';
import { listenersOfServices, machinePort, type ServicePlace } from '../../network/listeners-of-services.ts';
import type { ServiceServer } from './service-server.ts';
import type { ListenTrouble } from '../../network/proxy/service-proxy.ts';
import { machineAddress } from '../../network/service-addresses.ts';
import type { ServiceListener } from '../../network/service-listener.ts';

/** Serves listeners of Services, here or in another network. */
export interface ServiceListeners {
  update(listeners: readonly ServiceListener[]): Promise<ListenTrouble[]>;
  close(): void;
}

const FIRST_RETRY_MS = 100;
const RETRY_MS = 2000;

/** Serves Services to the Pods of an agent, and on their loopback addresses to this machine. */
export class AgentServices implements ServiceServer {
  readonly #network: ServicePlace['network'];
  readonly #listeners: ServiceListeners;
  readonly #lowestPort = lowestPort();
  readonly #record: (service: StoredService, event: EventDraft) => void;
  readonly #clock: Clock;
  /** Tries again to listen where another program does. */
  #retry: Alarm | undefined;
  /** The listeners of the last update. Undefined: none, or closed. */
  #latest: readonly ServiceListener[] | undefined;
  /** The events that were recorded: each once. */
  readonly #told = new Set<string>();
  readonly #onTrouble: (error: Error) => void;

  constructor(options: {
    /** The network of the Pods. */
    readonly network: ServicePlace['network'];
    readonly listeners: ServiceListeners;
    readonly clock: Clock;
    readonly record: (service: StoredService, event: EventDraft) => void;
    readonly onTrouble: (error: Error) => void;
  }) {
    this.#network = options.network;
    this.#listeners = options.listeners;
    this.#clock = options.clock;
    this.#record = options.record;
    this.#onTrouble = options.onTrouble;
  }

  show(services: readonly StoredService[], slices: readonly StoredEndpointSlice[]): void {
    for (const service of services) this.#tellMoved(service);
    const place = { network: this.#network, lowestPort: this.#lowestPort };
    this.#serve(services, listenersOfServices(services, slices, place), false);
  }

  close(): void {
    this.#latest = undefined;
    this.#retry?.cancel();
    this.#listeners.close();
  }

  /** Tries again after trouble, and tells of it at the second attempt: an agent that ends may listen for a moment. */
  #serve(services: readonly StoredService[], listeners: readonly ServiceListener[], isRetry: boolean): void {
    this.#retry?.cancel();
    this.#latest = listeners;
    const again = (tell: () => void): void => {
      if (this.#latest !== listeners) return;
      if (isRetry) tell();
      const atMs = this.#clock.now().monotonicMs + (isRetry ? RETRY_MS : FIRST_RETRY_MS);
      this.#retry = this.#clock.wakeAt(atMs, () => this.#serve(services, listeners, true));
    };
    this.#listeners.update(listeners).then(
      (troubles) => {
        if (troubles.length > 0) again(() => troubles.forEach((trouble) => this.#tellTaken(services, trouble)));
      },
      // The helper has died.
      (error: Error) => again(() => this.#onTrouble(error)),
    );
  }

  #tellTaken(services: readonly StoredService[], { listener, error }: ListenTrouble): void {
    const { service: name, address, port, protocol } = listener;
    const service = services.find(({ metadata }) => name.startsWith(`${metadata.namespace}/${metadata.name}:`));
    const at = `${address}:${port}${protocol === 'UDP' ? '/UDP' : ''}`;
    if (service !== undefined) this.#tell(service, servicePortTaken(at, error.code ?? error.message));
  }

  #tellMoved(service: StoredService): void {
    const { clusterIP = 'None', ports = [] } = service.spec ?? {};
    if (clusterIP === 'None' || clusterIP === '') return;
    for (const { port } of ports) {
      const moved = machinePort(port, this.#lowestPort);
      if (moved !== port) this.#tell(service, servicePortMoved(port, machineAddress(clusterIP), moved));
    }
  }

  #tell(service: StoredService, event: EventDraft): void {
    const key = `${service.metadata.uid} ${event.message}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#record(service, event);
  }
}
