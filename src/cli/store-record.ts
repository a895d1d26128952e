import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../api/objects.ts';
import { resourceTypeOf } from '../api/resource-types.ts';
import type { Store } from '../store/store.ts';

/** Keeps an object on record that is not run, and says what that meant, as kubectl does: `configmap/x created`. */
export function storeRecord(store: Store, object: KubeObject): string {
  const resource = resourceTypeOf(object).plural;
  const { namespace = 'default', name = '' } = object.metadata;
  const subject = `${object.kind.toLowerCase()}/${name}`;
  const before = store.get(resource, namespace, name);
  if (before === undefined) {
    store.create(resource, object);
    return `${subject} created`;
  }
  // Of an object without a namespace the store says `default`.
  const { uid, resourceVersion, creationTimestamp, generation, namespace: stored } = before.metadata;
  const kept = { ...object.metadata, namespace: stored, uid, resourceVersion, creationTimestamp, generation };
  const after = { ...object, metadata: kept };
  if (isDeepStrictEqual(withoutUndefined(before), withoutUndefined(after))) return `${subject} unchanged`;
  store.update(resource, after);
  return `${subject} configured`;
}

function withoutUndefined(object: KubeObject): unknown {
  return JSON.parse(JSON.stringify(object));
}
