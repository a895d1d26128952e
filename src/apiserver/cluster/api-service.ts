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
import type { ApiPlace } from '../../network/index.ts';
import { allocated } from '../services/allocate.ts';
import type { FileStore } from '../../store/index.ts';

const metadata = { name: API_SERVER, namespace: DEFAULT_NAMESPACE };
const PORT = 'https';

/**
 * The Service `kubernetes`, which leads Pods to the server.
 * Source: pkg/controlplane/controller/kubernetesservice/controller.go; pkg/controlplane/reconcilers.
 */
export class ApiService {
  readonly #store: FileStore;

  constructor(store: FileStore) {
    this.#store = store;
  }

  /** Stores the Service. Undefined: the user has one of this name, which leads to another server. */
  open(): StoredService | undefined {
    const stored = this.#store.get<StoredKubeObject>('services', DEFAULT_NAMESPACE, API_SERVER);
    if (stored !== undefined && stored.metadata.labels?.[OWN_LABEL] !== API_SERVER) return undefined;
    return this.#keep('services', allocated(this.#store, SERVICE)) as unknown as StoredService;
  }

  /** Leads its connections to a place in the network of Pods. */
  leadTo({ address, port }: ApiPlace): void {
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
    const stored = this.#store.get<StoredKubeObject>('services', DEFAULT_NAMESPACE, API_SERVER);
    if (stored?.metadata.labels?.[OWN_LABEL] !== API_SERVER) return;
    for (const resource of ['endpointslices', 'endpoints', 'services'])
      this.#store.delete(resource, DEFAULT_NAMESPACE, API_SERVER);
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

function isSameButMetadata(one: KubeObject, other: KubeObject): boolean {
  return isSameJson({ ...one, metadata }, { ...other, metadata });
}

const SERVICE: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...metadata, labels: { component: 'apiserver', [OWN_LABEL]: API_SERVER } },
  spec: {
    internalTrafficPolicy: 'Cluster',
    ports: [{ name: PORT, port: 443, protocol: 'TCP', targetPort: 6443 }],
    sessionAffinity: 'None',
    type: 'ClusterIP',
  },
  status: { loadBalancer: {} },
};
