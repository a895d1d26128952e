import { PodrunError } from '../api/errors.ts';
import { DEFAULT_NAMESPACE, type StoredKubeObject } from '../api/objects.ts';
import { qualifiedPlural, type ResourceType } from '../api/resource-types.ts';
import { didYouMean } from '../api/similar.ts';
import type { ObjectReader } from '../store/store.ts';

/** One object that the user named; it need not exist. */
export interface ObjectRef {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  /** The manifest that names it. */
  readonly file?: string;
}

export function getObject(store: ObjectReader, { type, namespace, name }: ObjectRef): StoredKubeObject | undefined {
  return store.get<StoredKubeObject>(type.plural, namespace, name);
}

/** What the API server says of a name that nobody has. */
export function notFound(store: ObjectReader, ref: ObjectRef, doing?: string): PodrunError {
  const prefix =
    doing === undefined || ref.file === undefined ? '' : `error when ${doing} ${JSON.stringify(ref.file)}: `;
  if (!isNamespaceKnown(store, ref)) {
    const text = `Error from server (NotFound): ${prefix}namespaces "${ref.namespace}" not found`;
    return new PodrunError(text, { hint: didYouMean(ref.namespace, usedNamespaces(store)) });
  }
  const what = `${qualifiedPlural(ref.type)} "${ref.name}"`;
  return new PodrunError(`Error from server (NotFound): ${prefix}${what} not found`, {
    hint: similarName(store, ref.type.plural, ref),
  });
}

/** A sentence about an object whose name is nearly the same; undefined: there is none. */
export function similarName(
  store: ObjectReader,
  resource: string,
  { namespace, name }: Pick<ObjectRef, 'namespace' | 'name'>,
): string | undefined {
  // No Pod can have such a name. It is that of a run, and something is wanted that only a Pod of now can do.
  if (resource === 'pods' && /@\d+$|^uid:/.test(name)) {
    return `${name} names a run on record: get, describe, logs, events, probes, timeline, advise and diff show those.`;
  }
  return didYouMean(
    name,
    store.list<StoredKubeObject>(resource, { namespace }).map(({ metadata }) => metadata.name),
  );
}

/** What the API server says of the name of a Pod that nobody has. */
export function podNotFound(store: ObjectReader, namespace: string, name: string): PodrunError {
  return new PodrunError(`Error from server (NotFound): pods ${JSON.stringify(name)} not found`, {
    hint: similarName(store, 'pods', { namespace, name }),
  });
}

function usedNamespaces(store: ObjectReader): string[] {
  return [DEFAULT_NAMESPACE, ...store.list<StoredKubeObject>('pods', {}).map(({ metadata }) => metadata.namespace)];
}

/** A namespace exists when it was made, and also when there is something in it. */
function isNamespaceKnown(store: ObjectReader, { type, namespace }: ObjectRef): boolean {
  if (namespace === DEFAULT_NAMESPACE) return true;
  if (store.get('namespaces', DEFAULT_NAMESPACE, namespace) !== undefined) return true;
  return ['pods', type.plural].some((resource) => store.list(resource, { namespace }).length > 0);
}
