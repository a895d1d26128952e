import type { StoredService } from '../../api/objects.ts';
import type { StoredEndpointSlice } from '../../api/workloads/endpoint-slices.ts';
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

/** Serves Services to the Pods of an agent, and on their loopback addresses to this machine. */
export class AgentServices implements ServiceServer {
  readonly #network: ServicePlace['network'];
  readonly #listeners: ServiceListeners;
  readonly #lowestPort = lowestPort();
  readonly #record: (service: StoredService, event: EventDraft) => void;
  /** The events that were recorded: each once. */
  readonly #told = new Set<string>();
  readonly #onTrouble: (error: Error) => void;

  constructor(options: {
    /** The network of the Pods. */
    readonly network: ServicePlace['network'];
    readonly listeners: ServiceListeners;
    readonly record: (service: StoredService, event: EventDraft) => void;
    readonly onTrouble: (error: Error) => void;
  }) {
    this.#network = options.network;
    this.#listeners = options.listeners;
    this.#record = options.record;
    this.#onTrouble = options.onTrouble;
  }

  show(services: readonly StoredService[], slices: readonly StoredEndpointSlice[]): void {
    const place = { network: this.#network, lowestPort: this.#lowestPort };
    for (const service of services) this.#tellMoved(service);
    this.#listeners.update(listenersOfServices(services, slices, place)).then((troubles) => {
      for (const { listener, error } of troubles) {
        const { service: name, address, port, protocol } = listener;
        const service = services.find(({ metadata }) => name.startsWith(`${metadata.namespace}/${metadata.name}:`));
        const at = `${address}:${port}${protocol === 'UDP' ? '/UDP' : ''}`;
        if (service !== undefined) this.#tell(service, servicePortTaken(at, error.code ?? error.message));
      }
    }, this.#onTrouble);
  }

  close(): void {
    this.#listeners.close();
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
