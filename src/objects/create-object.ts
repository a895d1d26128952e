import type { KubeObject, StoredKubeObject } from '../api/objects.ts';
import { resourceTypeOf } from '../api/resource-types.ts';
import { asCreated } from '../manifest/default/created.ts';
import type { Store } from '../store/store.ts';
import { newUid } from '../store/unique-id.ts';

/**
 * Stores a new object as the API server does: with the selector of a Job, with the first status.
 * @param object defaulted, valid and prepared as a new object: see prepareForCreate
 * @throws {PodrunError} when an object with this name exists
 */
export function createObject(store: Store, object: KubeObject): StoredKubeObject {
  return store.create(resourceTypeOf(object).plural, asCreated(object, newUid)) as StoredKubeObject;
}
