import { PodrunError, resolvedUid, resourceTypeOf, type StoredEvent, type StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { FileStore, ObjectReader } from '../../store/index.ts';

/** Source: pkg/controlplane/apiserver/options/options.go, EventTTL. */
const HOUR_MS = 3_600_000;

/**
 * Removes the Events about objects that are gone, an hour after their last change, and Events about the node, which
 * outlives them all. Events about other objects stay with them: they explain what has happened.
 * @throws {PodrunError} when the store cannot be written to
 */
export function removeExpiredEvents(store: FileStore, clock: Clock): void {
  const old = store.eventsUnchangedSince(clock.now().wallMs - HOUR_MS);
  for (const namespace of new Set(old.map((key) => key.namespace))) {
    const names = new Set(old.map(({ name }) => name));
    for (const event of store.list<StoredEvent>('events', { namespace })) {
      const { name } = event.metadata;
      if (names.has(name) && (event.involvedObject.kind === 'Node' || isAboutGone(store, event)))
        store.delete('events', namespace, name);
    }
  }
}

/** True for an Event about an object that is gone, or that another one of the same name has replaced. */
export function isAboutGone(store: ObjectReader, { metadata, involvedObject }: StoredEvent): boolean {
  const { apiVersion = 'v1', kind = '', name = '', namespace = metadata.namespace, uid } = involvedObject;
  // The node always exists.
  if (kind === 'Node') return false;
  const object = objectNamed(store, resourceTypeOf({ apiVersion, kind }).plural, namespace, name);
  if (object === undefined) return true;
  const present = kind === 'Pod' ? resolvedUid(object as unknown as StoredPod) : object.metadata.uid;
  return uid !== undefined && uid !== '' && uid !== present;
}

/** Undefined also for what no object can be called: the Event of a client may name anything. */
function objectNamed(
  store: ObjectReader,
  plural: string,
  namespace: string,
  name: string,
): ReturnType<ObjectReader['get']> {
  try {
    return store.get(plural, namespace, name);
  } catch (error) {
    if (!(error instanceof PodrunError) || error.code !== 'BadRequest') throw error;
    return undefined;
  }
}
