import type { StoredConfigMap, StoredPod, StoredSecret } from '../../api/index.ts';
import { makeEnvironment, type NodeFacts, type ServiceFact } from '../../lifecycle/index.ts';
import type { ServicePlace } from '../../network/index.ts';
import type { Store } from '../../store/index.ts';
import { API_SERVER, knownServices } from '../../apiserver/index.ts';
import type { LaunchStep } from './step.ts';

/** A place at which this machine reaches a Service. */
interface ServedPlace {
  readonly service: ServiceFact;
  readonly address: string;
  readonly port: number;
}

interface EnvironmentOptions {
  readonly store: Store;
  /** See PodNetworks. */
  readonly nodeOf: (pod: StoredPod) => NodeFacts;
  /** The network of Pods that do not use this machine's. */
  readonly network: ServicePlace['network'];
  /** See PodNetworks. */
  readonly isOnMachine: (pod: StoredPod) => boolean;
  /** The places of this machine at which another program responds, and not podrun: see PortOwners. */
  readonly foreignAt: (places: readonly ServedPlace[]) => Promise<readonly ServedPlace[]>;
}

/** Computes the variables of the manifest: `envFrom`, `env` and the variables of Services. */
export function environmentStep({ store, nodeOf, network, isOnMachine, foreignAt }: EnvironmentOptions): LaunchStep {
  return {
    async prepare({ pod, container, sandbox: { podIP, volumes } }) {
      const { namespace } = pod.metadata;
      const place = isOnMachine(pod) ? 'host' : network;
      const known = knownServices(store.recent, namespace, place);
      const made = makeEnvironment({
        pod,
        container,
        node: nodeOf(pod),
        podIP,
        services: place === 'host' ? await servedHere(known, foreignAt) : known,
        configMap: (name) => store.get<StoredConfigMap>('configmaps', namespace, name),
        secret: (name) => store.get<StoredSecret>('secrets', namespace, name),
        envFile: (volume, file) => volumes?.readFile(volume, file),
      });
      if (!made.ok) return { ok: false, stage: 'config', message: made.message };
      return { ok: true, changes: { variables: made.env } };
    },
  };
}

/** Leaves out Services whose variables would lead to another program: podrun cannot listen at their addresses. */
async function servedHere(
  services: readonly ServiceFact[],
  foreignAt: EnvironmentOptions['foreignAt'],
): Promise<readonly ServiceFact[]> {
  // The variables of the API server tell programs that they are in a cluster.
  const others = services.filter(({ name }) => name !== API_SERVER);
  const places = others.flatMap(placesOf);
  if (places.length === 0) return services;
  const foreign = new Set((await foreignAt(places)).map(({ service }) => service));
  return services.filter((service) => !foreign.has(service));
}

function placesOf(service: ServiceFact): ServedPlace[] {
  const { clusterIP: address = 'None', ports } = service;
  const tcp = address === 'None' ? [] : ports.filter(({ protocol = 'TCP' }) => protocol === 'TCP');
  return tcp.map(({ port, served = port }) => ({ service, address, port: served }));
}
