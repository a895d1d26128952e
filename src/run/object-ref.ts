import { PodrunError } from '../api/errors.ts';
import { DEFAULT_NAMESPACE, type StoredKubeObject } from '../api/objects.ts';
import { qualifiedPlural, type ResourceType } from '../api/resource-types.ts';
import type { Store } from '../store/store.ts';

/** One object that the user named; it need not exist. */
export interface ObjectRef {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  /** The manifest that names it. */
  readonly file?: string;
}

export function getObject(store: Store, { type, namespace, name }: ObjectRef): StoredKubeObject | undefined {
  return store.get<StoredKubeObject>(type.plural, namespace, name);
}

/** What the API server says of a name that nobody has. */
export function notFound(store: Store, ref: ObjectRef, doing?: string): PodrunError {
  const prefix =
    doing === undefined || ref.file === undefined ? '' : `error when ${doing} ${JSON.stringify(ref.file)}: `;
  const what = isNamespaceKnown(store, ref)
    ? `${qualifiedPlural(ref.type)} "${ref.name}"`
    : `namespaces "${ref.namespace}"`;
  return new PodrunError(`Error from server (NotFound): ${prefix}${what} not found`);
}

/** A namespace exists when it was made, and also when there is something in it. */
function isNamespaceKnown(store: Store, { type, namespace }: ObjectRef): boolean {
  if (namespace === DEFAULT_NAMESPACE) return true;
  if (store.get('namespaces', DEFAULT_NAMESPACE, namespace) !== undefined) return true;
  return ['pods', type.plural].some((resource) => store.list(resource, { namespace }).length > 0);
}
