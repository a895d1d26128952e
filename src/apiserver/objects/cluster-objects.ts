import { namespacedResources, type StoredKubeObject } from '../../api/index.ts';
import { quotaStatus, SYSTEM_PRIORITIES, withBudgetStatus } from '../../manifest/index.ts';
import { bootTime, defaultAccounts, defaultNamespaces, defaultObject, withStored } from '../base/default-objects.ts';
import { objectsOfBudgets } from '../deletion/evict-pod.ts';
import type { ObjectReader, Resource, Scope } from '../../store/index.ts';
import { isDeclared } from '../../settings/index.ts';
import { nodeFields } from './node-object.ts';

/** The place and the time for the node object. */
interface Here {
  readonly stateDir: string;
  readonly nowMs: number;
}

/**
 * The store plus the objects that every cluster has: the namespace `default`, all namespaces in use, the priority
 * classes of the system, and this machine as a node. Quotas have what is used of them, and
 * PodDisruptionBudgets what they permit.
 */
export function withClusterObjects(store: ObjectReader, here: Here): ObjectReader {
  const made = (resource: Resource, scope?: Scope): StoredKubeObject[] | undefined => {
    const namespaces = (): StoredKubeObject[] => withStored(store, 'namespaces', defaultNamespaces(store, here.nowMs));
    if (resource === 'namespaces') return namespaces();
    if (resource === 'serviceaccounts')
      return withStored(store, resource, defaultAccounts(namespaces())).filter(isIn(scope));
    if (resource === 'priorityclasses') return withStored(store, resource, systemPriorityClasses(here.nowMs));
    if (resource === 'resourcequotas')
      return store.list<StoredKubeObject>(resource, scope).map((quota) => withUsage(store, quota));
    if (resource === 'poddisruptionbudgets')
      return store
        .list<StoredKubeObject>(resource, scope)
        .map((budget) => withBudgetStatus(budget, objectsOfBudgets(store, budget.metadata.namespace)));
    return resource === 'nodes' ? allNodes(store, here) : undefined;
  };
  return {
    get: (resource, namespace, name) => {
      const own = made(resource, { namespace, name });
      return (own ? own.find(({ metadata }) => metadata.name === name) : store.get(resource, namespace, name)) as never;
    },
    list: (resource, scope) => (made(resource, scope) ?? store.list(resource, scope)) as never,
  };
}

function isIn({ namespace }: Scope = {}): (object: StoredKubeObject) => boolean {
  return ({ metadata }) => namespace === undefined || metadata.namespace === namespace;
}

/** A quota with what the objects of its namespace use of it now. */
function withUsage(store: ObjectReader, quota: StoredKubeObject): StoredKubeObject {
  const { namespace } = quota.metadata;
  const objects = namespacedResources().flatMap((resource) => store.list(resource, { namespace }));
  return { ...quota, status: quotaStatus(quota, objects) };
}

const SYSTEM_DESCRIPTIONS: Readonly<Record<string, string>> = {
  'system-cluster-critical':
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  'system-node-critical': 'Used for system critical pods that must not be moved from their current node.',
};

/** The PriorityClasses of the system. Source: pkg/apis/scheduling/v1/helpers.go. */
export function systemPriorityClasses(nowMs: number): StoredKubeObject[] {
  return [...SYSTEM_PRIORITIES].map(([name, value]) => ({
    ...defaultObject('PriorityClass', name, bootTime(nowMs), {
      value,
      description: SYSTEM_DESCRIPTIONS[name],
      preemptionPolicy: 'PreemptLowerPriority',
    }),
    apiVersion: 'scheduling.k8s.io/v1',
  }));
}

/** This machine, unless declared nodes take its place, and all stored Nodes. */
function allNodes(store: ObjectReader, here: Here): StoredKubeObject[] {
  const own = machineNode(store, here);
  const stored = store.list<StoredKubeObject>('nodes').filter(({ metadata }) => metadata.name !== own.metadata.name);
  return stored.some(isDeclared) ? stored : [own, ...stored];
}

function machineNode(store: ObjectReader, here: Here): StoredKubeObject {
  const since = bootTime(here.nowMs);
  const { name, uid, annotations, ...fields } = nodeFields(store, { ...here, since });
  const object = defaultObject('Node', name, since, fields);
  const recorded = { ...(uid !== undefined && { uid }), ...(annotations !== undefined && { annotations }) };
  return { ...object, metadata: { ...object.metadata, ...recorded } };
}
