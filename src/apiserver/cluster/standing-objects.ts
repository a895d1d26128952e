import { DEFAULT_NAMESPACE, NODE_LEASES, type StoredKubeObject } from '../../api/index.ts';
import { hasDeclaredNodes, readNode, registeredNode, reportAddress } from '../../settings/index.ts';
import { bootTime } from '../base/default-objects.ts';
import { systemPriorityClasses } from '../objects/cluster-objects.ts';
import { nodeFields } from '../objects/node-object.ts';
import type { Clock } from '../../clock.ts';
import type { FileStore, Subscription } from '../../store/index.ts';
import type { ServerContext } from '../base/context.ts';
import type { NodeClient } from '../base/node-client.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { createAsServer, createOnce } from './create-once.ts';
import { makeDefaultFlows } from './default-flows.ts';
import { keepServiceAddresses } from './keep-service-addresses.ts';
import { keepTokenSecrets } from './keep-token-secrets.ts';
import { reported } from './reported.ts';
import { loneOf } from '../base/lone-store.ts';

/** The namespaces that every cluster has. */
const NAMESPACES = [DEFAULT_NAMESPACE, 'kube-system', 'kube-public', NODE_LEASES];

const ROOT_CA = 'kube-root-ca.crt';
/** Source: pkg/controller/certificates/rootcacertpublisher/publisher.go. */
const ROOT_CA_NOTE = {
  'kubernetes.io/description':
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the ' +
    'internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes ' +
    'clusters.',
};

/** The node as clients see it: the record of it, and what this machine is. */
export function nodeShape(store: FileStore, clock: Clock): (stored: StoredKubeObject) => StoredKubeObject {
  const own = readNode({ storageDir: store.root }).name;
  return (stored) => {
    if (loneOf(store) !== undefined || stored.metadata.name !== own) return stored;
    const nowMs = clock.now().wallMs;
    const since = stored.metadata.creationTimestamp || bootTime(nowMs);
    const { labels, spec, status } = nodeFields(store, { stateDir: store.root, nowMs, since });
    return { ...stored, metadata: { ...stored.metadata, labels }, spec, status };
  };
}

/**
 * Makes the node known, with the address at which Pods reach it. Called before its objects are read. An API server
 * without a kubelet has no node.
 */
export function registerNode(store: FileStore, client: NodeClient | undefined): void {
  if (loneOf(store) !== undefined || client?.runsPods === false) return;
  if (hasDeclaredNodes(store)) return;
  const node = readNode({ storageDir: store.root });
  registeredNode(store, node);
  if (client !== undefined) reportAddress(store, node.name, client.address);
}

/**
 * Keeps the objects that every cluster has: namespaces, and in each of them a ServiceAccount and the certificate of the
 * CA, and tokens in Secrets; the range of the addresses of Services, and these. Deleted or changed ones come back.
 * Makes the PriorityClasses of the system, the PriorityLevelConfigurations and the FlowSchemas at the start.
 */
export function keepStandingObjects(context: ServerContext): Subscription {
  const lone = loneOf(context.store);
  for (const name of new Set([...NAMESPACES, ...(lone === undefined ? usedNamespaces(context) : [])]))
    ensureNamespace(context, name);
  for (const object of systemPriorityClasses(context.clock.now().wallMs)) ensurePriorityClass(context, object);
  makeDefaultFlows(context);
  const subscriptions = [keepServiceAddresses(context), ...(lone === undefined ? keepContents(context) : [])];
  return { close: () => subscriptions.forEach((subscription) => subscription.close()) };
}

/** Objects of the command line may be in namespaces that were not created. Events outlive what they are about. */
function usedNamespaces(context: ServerContext): string[] {
  const kinds = kindsInNamespaces(context);
  return kinds.flatMap(({ storage }) => context.objects.list(storage).map(({ metadata }) => metadata.namespace));
}

/** Keeps what controllers put into each namespace. */
function keepContents(context: ServerContext): Subscription[] {
  const { objects } = context;
  const ensureAgain = (ensure: () => void): void => reported(context, 'the objects of every cluster', ensure);
  for (const { metadata } of objects.list('namespaces')) ensureContents(context, metadata.name);
  return [
    keepTokenSecrets(context),
    ...kindsInNamespaces(context).map(({ storage }) =>
      objects.subscribe(storage, ({ type, object }) => {
        if (type === 'ADDED') ensureAgain(() => ensureNamespace(context, object.metadata.namespace));
      }),
    ),
    objects.subscribe('namespaces', ({ type, object }) => {
      if (type !== 'DELETED') ensureAgain(() => ensureContents(context, object.metadata.name));
    }),
    objects.subscribe('serviceaccounts', ({ type, object }) => {
      if (type === 'DELETED' && object.metadata.name === 'default')
        ensureAgain(() => ensureContents(context, object.metadata.namespace));
    }),
    objects.subscribe('configmaps', ({ type, object }) => {
      if (object.metadata.name === ROOT_CA && type !== 'ADDED')
        ensureAgain(() => ensureContents(context, object.metadata.namespace));
    }),
  ];
}

function kindsInNamespaces({ resources }: ServerContext): ServedResource[] {
  return resources.all.filter(({ storage, isNamespaced }) => isNamespaced && storage !== '' && storage !== 'events');
}

function ensureNamespace(context: ServerContext, name: string): void {
  if (context.objects.get('namespaces', undefined, name) !== undefined) return;
  createOnce(context, 'namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
}

function ensurePriorityClass(context: ServerContext, object: StoredKubeObject): void {
  if (context.objects.get('priorityclasses', undefined, object.metadata.name) !== undefined) return;
  const { metadata, ...fields } = object;
  createAsServer(context, 'priorityclasses', { ...fields, metadata: { ...metadata, generation: 1 } });
}

function ensureContents(context: ServerContext, namespace: string): void {
  const { objects, store, config } = context;
  if (objects.get('namespaces', undefined, namespace)?.metadata.deletionTimestamp !== undefined) return;
  if (objects.get('namespaces', undefined, namespace) === undefined) return;
  if (objects.get('serviceaccounts', namespace, 'default') === undefined)
    createOnce(context, 'serviceaccounts', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace },
    });
  const data = { 'ca.crt': config.caCertificate };
  const present = objects.get('configmaps', namespace, ROOT_CA);
  if (present === undefined)
    createOnce(context, 'configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: ROOT_CA, namespace, annotations: ROOT_CA_NOTE },
      data,
    });
  else if ((present['data'] as typeof data | undefined)?.['ca.crt'] !== data['ca.crt'])
    store.change('configmaps', { namespace, name: ROOT_CA }, 'object', (stored) => ({ ...stored, data }));
}
