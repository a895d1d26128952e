import { EventRecorder } from '../agent/event-recorder.ts';
import { DEFAULT_NAMESPACE, type KubeObject, type StoredEvent, type StoredKubeObject } from '../api/objects.ts';
import { resourceTypeOf } from '../api/resource-types.ts';
import type { Clock } from '../clock.ts';
import { fieldHasNoEffect } from '../lifecycle/texts/events.ts';
import { idleFields } from '../manifest/support/idle-fields.ts';
import type { Store } from '../store/store.ts';

/** Where the fields of an object that have no effect are told. */
export interface IdleFieldsTold {
  readonly store: Store;
  readonly clock: Clock;
  readonly nodeName: string;
  /** Gets a sentence for each. */
  readonly warn: (text: string) => void;
}

/**
 * Tells which fields of an object that is kept on record have no effect: one event each, as for Pods, whose agent does
 * it. What the store says of the object already is not recorded again.
 */
export function tellIdleFields(object: KubeObject, { store, clock, nodeName, warn }: IdleFieldsTold): void {
  const fields = idleFields(object);
  if (fields.length === 0) return;
  const { namespace = DEFAULT_NAMESPACE, name = '' } = object.metadata;
  const stored = store.get<StoredKubeObject>(resourceTypeOf(object).plural, namespace, name);
  if (stored === undefined) return;
  const recorder = new EventRecorder({ store, clock, nodeName, onEvent: () => undefined });
  const known = new Set(
    store
      .list<StoredEvent>('events', { namespace })
      .filter(({ involvedObject }) => involvedObject.uid === stored.metadata.uid)
      .map(({ message }) => message),
  );
  for (const field of fields) {
    const event = fieldHasNoEffect(field);
    warn(`${object.kind.toLowerCase()}/${name}: ${event.message}`);
    if (!known.has(event.message)) recorder.recordOwn(stored, event);
  }
}
