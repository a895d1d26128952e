import { EventRecorder } from './event-recorder.ts';
import {
  DEFAULT_NAMESPACE,
  type KubeObject,
  resourceTypeOf,
  type StoredEvent,
  type StoredKubeObject,
} from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { fieldHasNoEffect } from '../../lifecycle/index.ts';
import { groupIgnoredFields } from '../../manifest/index.ts';
import type { Store } from '../../store/index.ts';

/** The store for the Events about fields without effect, and the listener for warnings. */
export interface FieldEventContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly nodeName: string;
  /** Receives a sentence for each field. */
  readonly warn: (text: string) => void;
}

/**
 * Warns of fields of a stored object that have no effect, and records an Event for each, as the agent does for Pods. An
 * Event that is recorded already is not recorded again.
 */
export function recordFieldsWithoutEffect(
  object: KubeObject,
  { store, clock, nodeName, warn }: FieldEventContext,
): void {
  const fields = groupIgnoredFields(object);
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
