import { DEFAULT_NAMESPACE, PodrunError, qualifiedKind, resourceTypeOf, type StoredKubeObject } from '../api/index.ts';
import { type FileStore, rememberCreated } from '../store/index.ts';
import type { ManifestObject } from '../manifest/index.ts';
import { configureObject } from './configure-object.ts';
import { createObject } from './objects/create-object.ts';

/**
 * Stores an object as its manifest says, and returns kubectl's line: `configmap/x created`, `configured` or
 * `unchanged`.
 * @param made the word for a new object
 * @throws {PodrunError} when the rules for updates forbid the change
 */
export function storeRecord(
  store: FileStore,
  record: ManifestObject,
  warn: (text: string) => void,
  made = 'created',
): string {
  const { object } = record;
  const subject = `${qualifiedKind(resourceTypeOf(object))}/${object.metadata.name}`;
  if (recordOf(store, record) === undefined && isCreated(store, record)) return `${subject} ${made}`;
  return `${subject} ${configureObject(store, record, { isDryRun: false, warn })}`;
}

/** Returns false when another podrun has created the object first. */
function isCreated(store: FileStore, record: ManifestObject): boolean {
  const { object, written, merge } = record;
  try {
    const created = createObject(store, object);
    // A server-side apply removes what its manager has left out, and needs no last manifest.
    if (merge === undefined) rememberCreated(store, created, written);
    return true;
  } catch (error) {
    if (!(error instanceof PodrunError) || recordOf(store, record) === undefined) throw error;
    return false;
  }
}

/** The stored object of this name. */
export function recordOf(store: FileStore, { object }: ManifestObject): StoredKubeObject | undefined {
  const { namespace = DEFAULT_NAMESPACE, name = '' } = object.metadata;
  return store.get<StoredKubeObject>(resourceTypeOf(object).plural, namespace, name);
}
