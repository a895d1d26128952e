import type { StoredKubeObject, StoredService } from '../api/index.ts';
import { EventRecorder, type EventRecorderOptions } from '../apiserver/index.ts';
import { machineClock } from '../clock.ts';
import { reportTrouble } from '../defects.ts';
import type { EventDraft, NodeFacts, PortOwner } from '../lifecycle/index.ts';
import {
  lateServer,
  type PodNetworks,
  type ServiceListeners,
  type ServiceServer,
  withIngresses,
} from '../network/index.ts';
import type { AgentSettings } from '../settings/index.ts';
import type { FileStore } from '../store/index.ts';

interface ServicesOptions extends Omit<EventRecorderOptions, 'nodeName'> {
  readonly nodes: () => readonly [NodeFacts, ...NodeFacts[]];
  readonly store: FileStore;
  readonly settings: AgentSettings;
  readonly networks: PodNetworks;
  readonly onTrouble: (error: Error) => void;
}

/** The server of Services in the network of an agent's Pods. */
export function servicesOf({ networks, settings, nodes, ...options }: ServicesOptions): ServiceServer {
  const { store, clock, onTrouble } = options;
  const onServed = (service: StoredService): void => {
    try {
      store.owners.markServing(service.metadata);
    } catch (error) {
      reportTrouble(error, onTrouble);
    }
  };
  // They are not reachable: there is nothing to wait for.
  if (settings.privateNetworks?.kind === 'pod') {
    return { show: async (services) => services.forEach(onServed), close: () => undefined };
  }
  const recorder = new EventRecorder({ ...options, nodeName: nodes()[0].name });
  const record = (about: StoredKubeObject, event: EventDraft): void => recorder.recordOwn(about, event);
  return lateServer(async () => {
    const [{ AgentServices }, { ServiceProxy }] = await Promise.all([
      import('../network/node/agent-services.ts'),
      import('../network/proxy/service-proxy.ts'),
    ]);
    const network = settings.privateNetworks === undefined ? 'host' : 'cluster';
    const ownerOf = (port: number, address: string): Promise<PortOwner | undefined> =>
      networks.ownerOfPort(port, address);
    const shared = { record, clock: machineClock(clock), onTrouble, ownerOf };
    // podrun's helper ends with the network.
    const inCluster: ServiceListeners = { update: (wanted) => networks.serve(wanted), close: () => undefined };
    const listeners = network === 'cluster' ? inCluster : new ServiceProxy({ clock: shared.clock, opens: () => true });
    const services = new AgentServices({ ...shared, nodes, onServed, network, listeners });
    return withIngresses(services, store, async () => {
      const { AgentIngresses } = await import('../network/node/agent-ingresses.ts');
      const dial = networks.dialEndpoint.bind(networks);
      return new AgentIngresses({ ...shared, store, requestedPorts: settings.ingressPorts, dial });
    });
  });
}
