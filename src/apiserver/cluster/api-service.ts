import { API_SERVER, OWN_LABEL } from '../services/service-facts.ts';
import {
  DEFAULT_NAMESPACE,
  hasCode,
  isSameJson,
  type KubeObject,
  SERVICE_NAME_LABEL,
  type StoredKubeObject,
  type StoredService,
} from '../../api/index.ts';
import { type ApiPlace, firstServiceAddress } from '../../network/index.ts';
import { allocated } from '../services/allocate.ts';
import type { FileStore, Subscription } from '../../store/index.ts';
import { loneOf } from '../base/lone-store.ts';

const metadata = { name: API_SERVER, namespace: DEFAULT_NAMESPACE };
const PORT = 'https';
/** The resources of which one object leads to the server, in the order of their removal. */
const PARTS = ['endpointslices', 'endpoints', 'services'] as const;

/**
 * The Service `kubernetes`, which leads Pods to the server.
 * Source: pkg/controlplane/controller/kubernetesservice/controller.go; pkg/controlplane/reconcilers.
 */
export class ApiService {
  readonly #store: FileStore;
  /** Undefined: it does not lead anywhere yet. */
  #place: ApiPlace | undefined;
  #isClosed = false;

  constructor(store: FileStore) {
    this.#store = store;
  }

  /** Stores the Service. Undefined: the user has one of this name, which leads to another server. */
  open(): StoredService | undefined {
    const stored = this.#store.get<StoredKubeObject>('services', DEFAULT_NAMESPACE, API_SERVER);
    if (stored !== undefined && stored.metadata.labels?.[OWN_LABEL] !== API_SERVER) return undefined;
    const lone = loneOf(this.#store);
    const service = lone === undefined ? allocated(this.#store, SERVICE) : atFirstAddress(lone.serviceRange);
    return this.#keep('services', service) as unknown as StoredService;
  }

  /** Leads its connections to a place in the network of Pods. */
  leadTo(place: ApiPlace): void {
    this.#place = place;
    this.#lead(place);
  }

  /**
   * Puts back at once what a client deletes: the API server does so within ten seconds.
   * @param took called with the new Service
   * @param onTrouble called when the store cannot be written to
   */
  follow(took: (service: StoredService) => void, onTrouble: (error: Error) => void): Subscription {
    const restore = (): void => {
      if (this.#isClosed) return;
      const service = this.open();
      if (service === undefined) return;
      if (this.#place !== undefined) this.#lead(this.#place);
      took(service);
    };
    const watches = PARTS.map((resource) =>
      this.#store.watch<StoredKubeObject>(resource, { namespace: DEFAULT_NAMESPACE }, ({ type, object }) => {
        if (type !== 'DELETED' || object.metadata.name !== API_SERVER) return;
        try {
          restore();
        } catch (error) {
          onTrouble(error as Error);
        }
      }),
    );
    return { close: () => watches.forEach((watch) => watch.close()) };
  }

  #lead({ address, port }: ApiPlace): void {
    const ports = [{ name: PORT, port, protocol: 'TCP' }];
    this.#keep('endpoints', {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      subsets: [{ addresses: [{ ip: address }], ports }],
    });
    this.#keep('endpointslices', {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { [SERVICE_NAME_LABEL]: API_SERVER } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
      ports,
    });
  }

  /** Nothing leads to the server any more. The Service of a user stays. */
  close(): void {
    this.#isClosed = true;
    const stored = this.#store.get<StoredKubeObject>('services', DEFAULT_NAMESPACE, API_SERVER);
    if (stored?.metadata.labels?.[OWN_LABEL] !== API_SERVER) return;
    for (const resource of PARTS) this.#store.delete(resource, DEFAULT_NAMESPACE, API_SERVER);
  }

  /** Stores an object. Replaces the object of a server that was killed, if it is another one. */
  #keep(resource: string, object: KubeObject): StoredKubeObject {
    const stored = this.#store.get<StoredKubeObject>(resource, DEFAULT_NAMESPACE, API_SERVER);
    if (stored !== undefined && isSameButMetadata(stored, object)) return stored;
    if (stored !== undefined) this.#store.delete(resource, DEFAULT_NAMESPACE, API_SERVER);
    try {
      return this.#store.create(resource, object) as StoredKubeObject;
    } catch (error) {
      const other = this.#store.get<StoredKubeObject>(resource, DEFAULT_NAMESPACE, API_SERVER);
      if (!hasCode(error, 'AlreadyExists') || other === undefined) throw error;
      return other;
    }
  }
}

/** The Service with the first address of a range, as an API server takes it. Nothing serves it there. */
function atFirstAddress(range: string): KubeObject {
  const clusterIP = firstServiceAddress(range);
  const families = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
  return { ...SERVICE, spec: { ...SPEC, clusterIP, clusterIPs: [clusterIP], ...families } };
}

function isSameButMetadata(one: KubeObject, other: KubeObject): boolean {
  return isSameJson({ ...one, metadata }, { ...other, metadata });
}

const SPEC = {
  internalTrafficPolicy: 'Cluster',
  ports: [{ name: PORT, port: 443, protocol: 'TCP', targetPort: 6443 }],
  sessionAffinity: 'None',
  type: 'ClusterIP',
};

const SERVICE: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...metadata, labels: { component: 'apiserver', [OWN_LABEL]: API_SERVER } },
  spec: SPEC,
  status: { loadBalancer: {} },
};
