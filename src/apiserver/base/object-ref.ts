import {
  DEFAULT_NAMESPACE,
  didYouMean,
  noSuchObject,
  type PodrunError,
  qualifiedPlural,
  type ResourceType,
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
  return store.get<StoredKubeObject>(type.plural, namespace, name);
}

/** The API server's error about an object that does not exist. */
export function missingObjectError(store: ObjectReader, ref: ObjectRef, doing?: string): PodrunError {
  const prefix =
    doing === undefined || ref.file === undefined ? '' : `error when ${doing} ${JSON.stringify(ref.file)}: `;
  if (!isNamespaceKnown(store, ref)) {
    return noSuchObject(`${prefix}namespaces`, ref.namespace, didYouMean(ref.namespace, usedNamespaces(store)));
  }
  return noSuchObject(`${prefix}${qualifiedPlural(ref.type)}`, ref.name, similarName(store, ref.type.plural, ref));
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
  return ['pods', type.plural].some((resource) => store.list(resource, { namespace }).length > 0);
}
