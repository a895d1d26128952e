import { fromServer, type PodrunError } from '../../api/errors.ts';
import { goQuote } from '../../api/go/go-quote.ts';
import { DEFAULT_NAMESPACE, type StoredKubeObject } from '../../api/objects.ts';
import { namespacedResources, resourceTypeOf } from '../../api/resource-types.ts';
import type { ObjectReader } from '../../store/store.ts';
import type { ObjectRef } from '../object-ref.ts';

export function isNamespace({ type }: ObjectRef): boolean {
  return type.plural === 'namespaces';
}

/** The API server's error about the deletion of the namespace `default`. Undefined: the object may be deleted. */
export function namespaceProblem(ref: ObjectRef): PodrunError | undefined {
  const { name } = ref;
  if (!isNamespace(ref) || name !== DEFAULT_NAMESPACE) return undefined;
  return fromServer('Forbidden', `namespaces ${goQuote(name)} is forbidden: this namespace may not be deleted`);
}

/**
 * The objects of a namespace, which go with it. None for another object.
 * Source: pkg/controller/namespace/deletion/namespaced_resources_deleter.go.
 */
export function contentsOf(store: ObjectReader, ref: ObjectRef): ObjectRef[] {
  if (!isNamespace(ref)) return [];
  const namespace = ref.name;
  const objects = namespacedResources().flatMap((resource) => store.list<StoredKubeObject>(resource, { namespace }));
  return objects.map((object) => ({ type: resourceTypeOf(object), namespace, name: object.metadata.name }));
}
