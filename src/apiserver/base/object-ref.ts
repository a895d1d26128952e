import {
  DEFAULT_NAMESPACE,
  didYouMean,
  noSuchObject,
  type PodrunError,
  qualifiedPlural,
  type ResourceType,
  storageOf,
  type StoredKubeObject,
} from '../../api/index.ts';
import type { ObjectReader } from '../../store/index.ts';

/** An object that the user named. It need not exist. */
export interface ObjectRef {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  /** The manifest that names the object. */
  readonly file?: string;
}

export function getObject(store: ObjectReader, { type, namespace, name }: ObjectRef): StoredKubeObject | undefined {
  const object = store.get<StoredKubeObject>(storageOf(type), namespace, name);
  return object && inPlace(type, object);
}

/** An object as it is shown: one of a custom kind may belong to no namespace, which the store does not know. */
export function inPlace({ isNamespaced }: ResourceType, object: StoredKubeObject): StoredKubeObject {
  if (isNamespaced || object.metadata.namespace === undefined) return object;
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata: metadata as StoredKubeObject['metadata'] };
}

/** The API server's error about an object that does not exist. */
export function missingObjectError(store: ObjectReader, ref: ObjectRef, doing?: string): PodrunError {
  const prefix =
    doing === undefined || ref.file === undefined ? '' : `error when ${doing} ${JSON.stringify(ref.file)}: `;
  if (!isNamespaceKnown(store, ref)) {
    return noSuchObject(`${prefix}namespaces`, ref.namespace, didYouMean(ref.namespace, usedNamespaces(store)));
  }
  return noSuchObject(`${prefix}${qualifiedPlural(ref.type)}`, ref.name, similarName(store, storageOf(ref.type), ref));
}

/** A sentence about an object with a similar name. Undefined: there is none. */
export function similarName(
  store: ObjectReader,
  resource: string,
  { namespace, name }: Pick<ObjectRef, 'namespace' | 'name'>,
): string | undefined {
  // A Pod cannot have such a name: it names a recorded run, but the verb needs a live Pod.
  if (resource === 'pods' && /@\d+$|^uid:/.test(name)) {
    return `${name} names a recorded run. Use it with get, describe, logs, events, probes, timeline, advise and diff.`;
  }
  return didYouMean(
    name,
    store.list<StoredKubeObject>(resource, { namespace }).map(({ metadata }) => metadata.name),
  );
}

/** The API server's error about a Pod that does not exist. */
export function podNotFound(store: ObjectReader, namespace: string, name: string): PodrunError {
  return noSuchObject('pods', name, similarName(store, 'pods', { namespace, name }));
}

function usedNamespaces(store: ObjectReader): string[] {
  return [DEFAULT_NAMESPACE, ...store.list<StoredKubeObject>('pods', {}).map(({ metadata }) => metadata.namespace)];
}

/** True for a namespace that was created, or that has an object. */
function isNamespaceKnown(store: ObjectReader, { type, namespace }: ObjectRef): boolean {
  if (namespace === DEFAULT_NAMESPACE) return true;
  if (store.get('namespaces', DEFAULT_NAMESPACE, namespace) !== undefined) return true;
  return ['pods', storageOf(type)].some((resource) => store.list(resource, { namespace }).length > 0);
}
