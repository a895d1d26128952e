import { type KubeObject, resourceTypeOf } from '../api/index.ts';
import type { FileStore } from './file-store.ts';
import type { StoredObject } from './base/metadata.ts';

/** Records the manifest of a new object, for the comparison of the next `apply`. */
export function rememberCreated(store: FileStore, created: StoredObject, written: KubeObject): void {
  store.rememberApplied(resourceTypeOf(written).plural, created, withoutServerFields(written));
}

/** The manifest without the fields that the server writes: it may come from `get -o yaml`. */
export function withoutServerFields({ status: _status, ...written }: KubeObject): KubeObject {
  const {
    uid: _uid,
    resourceVersion: _resourceVersion,
    generation: _generation,
    creationTimestamp: _creationTimestamp,
    deletionTimestamp: _deletionTimestamp,
    deletionGracePeriodSeconds: _deletionGracePeriodSeconds,
    selfLink: _selfLink,
    managedFields: _managedFields,
    ...metadata
  } = written.metadata;
  return { ...written, apiVersion: written.apiVersion, kind: written.kind, metadata };
}
