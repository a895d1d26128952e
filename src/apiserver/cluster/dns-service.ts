import {
  hasCode,
  type KubeObject,
  SERVICE_NAME_LABEL,
  type StoredKubeObject,
  type StoredService,
} from '../../api/index.ts';
import { inBackground } from '../../defects.ts';
import { CLUSTER_DNS, DNS_PORT, DNS_SERVICE, isDnsService } from '../../network/index.ts';
import type { Subscription } from '../../store/index.ts';
import type { ServerContext } from '../base/context.ts';
import { allocated } from '../services/allocate.ts';
import { reported } from './reported.ts';

const { namespace, name } = DNS_SERVICE;
/** The labels of the Service that kubeadm makes. Source: cmd/kubeadm/app/phases/addons/dns/manifests.go. */
const LABELS = { 'k8s-app': name, 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' };
const PORTS = [
  { name: 'dns', port: DNS_PORT, protocol: 'UDP' },
  { name: 'dns-tcp', port: DNS_PORT, protocol: 'TCP' },
];

const SERVICE: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace, labels: LABELS },
  spec: {
    clusterIP: CLUSTER_DNS,
    internalTrafficPolicy: 'Cluster',
    ports: PORTS.map((port) => ({ ...port, targetPort: port.port })),
    sessionAffinity: 'None',
    type: 'ClusterIP',
  },
  status: { loadBalancer: {} },
};

/**
 * Shows podrun's DNS server as the Service that programs look for, while it responds at the address of that Service.
 * A deleted one comes back with the next start; one of the user stays. It has no selector: no Pod is behind it.
 */
export function showDns(context: ServerContext): Subscription {
  const { node, report } = context;
  let isClosed = false;
  const show = (address: string | undefined): void => {
    if (isClosed) return;
    reported(context, `service/${name}`, () => (address === CLUSTER_DNS ? create(context) : remove(context)));
  };
  const onTrouble = (error: Error): void => {
    if (!isClosed) report(`Pods do not reach the DNS server: ${error.message}`);
  };
  inBackground(node?.clusterDns().then(show, onTrouble));
  return {
    close: () => {
      isClosed = true;
      reported(context, `service/${name}`, () => remove(context));
    },
  };
}

function create(context: ServerContext): void {
  const { store } = context;
  if (store.get('services', namespace, name) !== undefined) return;
  const object = allocated(store, SERVICE);
  // A Service of an older state folder has the address.
  if (!isDnsService((object as unknown as StoredService).spec)) return;
  const { uid } = (store.create('services', object) as StoredKubeObject).metadata;
  const owner = { apiVersion: 'v1', kind: 'Service', name, uid };
  const about = { name, namespace, ownerReferences: [owner] };
  put(context, 'endpoints', {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { ...about, labels: { ...LABELS, 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: CLUSTER_DNS }], ports: PORTS }],
  });
  put(context, 'endpointslices', {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...about, labels: { ...LABELS, [SERVICE_NAME_LABEL]: name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [CLUSTER_DNS], conditions: { ready: true, serving: true, terminating: false } }],
    ports: PORTS,
  });
}

/** An object of the same name is one of the user: it stays. */
function put({ store }: ServerContext, resource: string, object: KubeObject): void {
  try {
    store.create(resource, object);
  } catch (error) {
    if (!hasCode(error, 'AlreadyExists')) throw error;
  }
}

function remove({ store }: ServerContext): void {
  const service = store.get<StoredService>('services', namespace, name);
  if (!isDnsService(service?.spec)) return;
  const { uid = '' } = service?.metadata ?? {};
  for (const resource of ['endpointslices', 'endpoints', 'services']) {
    const { metadata } = store.get<StoredKubeObject>(resource, namespace, name) ?? {};
    const isOwn = metadata?.uid === uid || (metadata?.ownerReferences ?? []).some((owner) => owner.uid === uid);
    if (isOwn) store.delete(resource, namespace, name);
  }
}
