import { uptime } from 'node:os';
import { DEFAULT_NAMESPACE, type StoredKubeObject } from '../../api/objects.ts';
import { namespacedResources } from '../../api/resource-types.ts';
import { formatTime } from '../../api/time.ts';
import { withBudgetStatus } from '../../manifest/admission/disruption-budget.ts';
import { SYSTEM_PRIORITIES } from '../../manifest/admission/pod-defaults.ts';
import { quotaStatus } from '../../manifest/admission/quota.ts';
import { aroundBudgets } from '../../objects/evict-pod.ts';
import type { ObjectReader, Resource, Scope } from '../../store/store.ts';
import { nodeFields } from './node-object.ts';

/** The place and the time for the node object. */
interface Here {
  readonly stateDir: string;
  readonly nowMs: number;
}

/**
 * The store plus the objects that every cluster has: the namespace `default`, all namespaces in use, the priority
 * classes of the system, and this machine as the node. Quotas have what is used of them, and
 * PodDisruptionBudgets what they permit.
 */
export function withClusterObjects(store: ObjectReader, here: Here): ObjectReader {
  const made = (resource: Resource, scope?: Scope): StoredKubeObject[] | undefined => {
    if (resource === 'namespaces') return withStored(store, resource, namespaces(store, here));
    if (resource === 'serviceaccounts') return withStored(store, resource, serviceAccounts(store, here), scope);
    if (resource === 'priorityclasses') return withStored(store, resource, priorityClasses(here));
    if (resource === 'resourcequotas')
      return store.list<StoredKubeObject>(resource, scope).map((quota) => withUsage(store, quota));
    if (resource === 'poddisruptionbudgets')
      return store
        .list<StoredKubeObject>(resource, scope)
        .map((budget) => withBudgetStatus(budget, aroundBudgets(store, budget.metadata.namespace)));
    return resource === 'nodes' ? [node(store, here)] : undefined;
  };
  return {
    get: (resource, namespace, name) => {
      const own = made(resource, { namespace, name });
      return (own ? own.find(({ metadata }) => metadata.name === name) : store.get(resource, namespace, name)) as never;
    },
    list: (resource, scope) => (made(resource, scope) ?? store.list(resource, scope)) as never,
  };
}

/** A quota with what the objects of its namespace use of it now. */
function withUsage(store: ObjectReader, quota: StoredKubeObject): StoredKubeObject {
  const { namespace } = quota.metadata;
  const objects = namespacedResources().flatMap((resource) => store.list(resource, { namespace }));
  return { ...quota, status: quotaStatus(quota, objects) };
}

/** The stored objects of a resource, and those of the others that are not stored, by name. */
function withStored(
  store: ObjectReader,
  resource: Resource,
  others: readonly StoredKubeObject[],
  { namespace }: Scope = {},
): StoredKubeObject[] {
  const keyOf = ({ metadata }: StoredKubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;
  const stored = store.list<StoredKubeObject>(resource, {});
  const keys = new Set(stored.map(keyOf));
  return [...stored, ...others.filter((object) => !keys.has(keyOf(object)))]
    .filter(({ metadata }) => namespace === undefined || [undefined, namespace].includes(metadata.namespace))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** The ServiceAccount that each namespace has. Source: pkg/controller/serviceaccount/serviceaccounts_controller.go. */
function serviceAccounts(store: ObjectReader, here: Here): StoredKubeObject[] {
  return withStored(store, 'namespaces', namespaces(store, here)).map(({ metadata }) => {
    const account = clusterObject('ServiceAccount', 'default', metadata.creationTimestamp, {});
    return { ...account, metadata: { ...account.metadata, namespace: metadata.name } };
  });
}

/** The namespaces that have objects, and `default`. */
function namespaces(store: ObjectReader, { nowMs }: Here): StoredKubeObject[] {
  const created = new Map<string, string>();
  for (const resource of namespacedResources())
    for (const { metadata } of store.list<StoredKubeObject>(resource, {})) {
      const { namespace, creationTimestamp } = metadata;
      const known = created.get(namespace);
      if (known === undefined || creationTimestamp < known) created.set(namespace, creationTimestamp);
    }
  if (!created.has(DEFAULT_NAMESPACE)) created.set(DEFAULT_NAMESPACE, bootTime(nowMs));
  return [...created].map(([name, since]) => namespace(name, since));
}

const SYSTEM_DESCRIPTIONS: Readonly<Record<string, string>> = {
  'system-cluster-critical':
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  'system-node-critical': 'Used for system critical pods that must not be moved from their current node.',
};

function priorityClasses({ nowMs }: Here): StoredKubeObject[] {
  return [...SYSTEM_PRIORITIES].map(([name, value]) => ({
    ...clusterObject('PriorityClass', name, bootTime(nowMs), {
      value,
      description: SYSTEM_DESCRIPTIONS[name],
      preemptionPolicy: 'PreemptLowerPriority',
    }),
    apiVersion: 'scheduling.k8s.io/v1',
  }));
}

function namespace(name: string, creationTimestamp: string): StoredKubeObject {
  return clusterObject('Namespace', name, creationTimestamp, {
    labels: { 'kubernetes.io/metadata.name': name },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
}

function node(store: ObjectReader, here: Here): StoredKubeObject {
  const since = bootTime(here.nowMs);
  const { name, ...fields } = nodeFields(store, { ...here, since });
  return clusterObject('Node', name, since, fields);
}

/** @param fields all but `apiVersion`, `kind` and `metadata`; and labels */
function clusterObject(
  kind: string,
  name: string,
  creationTimestamp: string,
  { labels, ...fields }: { readonly labels?: Readonly<Record<string, string>>; readonly [field: string]: unknown },
): StoredKubeObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name, creationTimestamp, ...(labels && { labels }) },
    ...fields,
  } as unknown as StoredKubeObject;
}

/** The boot time in whole seconds, as the API server writes times. */
function bootTime(nowMs: number): string {
  return formatTime(Math.floor((nowMs - uptime() * 1000) / 1000) * 1000);
}
