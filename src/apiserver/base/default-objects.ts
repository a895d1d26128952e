import { uptime } from 'node:os';
import { readNode, registeredNode } from '../../settings/index.ts';
import { DEFAULT_NAMESPACE, formatTime, hasCode, namespacedResources, type StoredKubeObject } from '../../api/index.ts';
import type { ObjectReader, Resource, Store } from '../../store/index.ts';
import { getObject, type ObjectRef } from './object-ref.ts';
import { loneOf } from './lone-store.ts';

/**
 * The objects that every cluster has: the namespace `default` and all namespaces in use, each with its ServiceAccount.
 * Readers get them as if they were stored. podrun stores one when a client changes it.
 */

/** The namespaces that have objects, and `default`. */
export function defaultNamespaces(store: ObjectReader, nowMs: number): StoredKubeObject[] {
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

function namespace(name: string, creationTimestamp: string): StoredKubeObject {
  return defaultObject('Namespace', name, creationTimestamp, {
    labels: { 'kubernetes.io/metadata.name': name },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
}

/** The ServiceAccount that each namespace has. Source: pkg/controller/serviceaccount/serviceaccounts_controller.go. */
export function defaultAccounts(namespaces: readonly StoredKubeObject[]): StoredKubeObject[] {
  return namespaces.map(({ metadata }) => {
    const account = defaultObject('ServiceAccount', 'default', metadata.creationTimestamp, {});
    return { ...account, metadata: { ...account.metadata, namespace: metadata.name } };
  });
}

/** @param fields all but `apiVersion`, `kind` and `metadata`; and labels */
export function defaultObject(
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
export function bootTime(nowMs: number): string {
  return formatTime(Math.floor((nowMs - uptime() * 1000) / 1000) * 1000);
}

/** The stored objects of a resource, and the default objects that are not stored. */
export function withStored(
  store: ObjectReader,
  resource: Resource,
  others: readonly StoredKubeObject[],
): StoredKubeObject[] {
  const keyOf = ({ metadata }: StoredKubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;
  const stored = store.list<StoredKubeObject>(resource, {});
  const keys = new Set(stored.map(keyOf));
  return [...stored, ...others.filter((object) => !keys.has(keyOf(object)))].toSorted((a, b) =>
    keyOf(a) < keyOf(b) ? -1 : 1,
  );
}

/**
 * An object that is to be changed or deleted. One that every cluster has is stored first.
 * @throws {PodrunError} when the store cannot be written to
 */
export function objectToChange(store: Store, ref: ObjectRef): StoredKubeObject | undefined {
  const stored = getObject(store, ref);
  if (stored !== undefined || loneOf(store) !== undefined) return stored;
  const { type, namespace, name } = ref;
  if (type.kind === 'Node') return nodeToChange(store, name);
  const object = defaultsOf(store, type.plural, namespace).find(({ metadata }) => metadata.name === name);
  if (object === undefined) return undefined;
  try {
    return store.create<StoredKubeObject>(type.plural, object);
  } catch (error) {
    if (hasCode(error, 'AlreadyExists')) return getObject(store, ref);
    throw error;
  }
}

function nodeToChange(store: Store, name: string): StoredKubeObject | undefined {
  const node = readNode({ storageDir: '/' });
  return node.name === name ? registeredNode(store, node) : undefined;
}

function defaultsOf(store: Store, resource: Resource, namespace: string): StoredKubeObject[] {
  if (resource !== 'namespaces' && resource !== 'serviceaccounts') return [];
  const namespaces = withStored(store, 'namespaces', defaultNamespaces(store, store.clock.now().wallMs));
  if (resource === 'namespaces') return namespaces;
  return defaultAccounts(namespaces.filter(({ metadata }) => metadata.name === namespace));
}
