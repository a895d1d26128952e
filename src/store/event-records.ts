import { existsSync } from 'node:fs';
import type { StoredEvent, StoredMeta } from '../api/objects.ts';
import { errorCode } from './disk-errors.ts';
import { podPaths } from './layout.ts';
import { keysIn, type ObjectKey } from './listing.ts';
import { changedMetadata, keyOf, newMetadata, type StoredObject } from './metadata.ts';
import type { PlainRecords } from './plain-records.ts';
import type { StorageParts } from './storage.ts';
import type { Scope, Storable } from './store.ts';
import { alreadyExists, notFound } from './store-errors.ts';
import { appendTransition, isAboutEvent, parseTransition, transitionLine, transitionLines } from './transition-log.ts';

/**
 * Events. Those about a Pod are lines of its transition log and go with it: the latest line of a name is the Event.
 * Those about anything else, or about a Pod that is gone, are plain records.
 */
export class EventRecords {
  readonly #parts: StorageParts;
  readonly #plain: PlainRecords;
  /** Events by name, for each Pod whose Events this process writes: counting one up must not read the whole log. */
  readonly #known = new Map<string, Map<string, StoredMeta>>();

  constructor(parts: StorageParts, plain: PlainRecords) {
    this.#parts = parts;
    this.#plain = plain;
  }

  /** Reads the logs of all Pods in the scope. */
  list(scope: Scope): StoredObject[] {
    const pods = keysIn(this.#parts.root, 'pods', { namespace: scope.namespace });
    const logged = pods.flatMap((pod) => [...this.#eventsOf(pod).values()]);
    const wanted = logged.filter(({ metadata }) => scope.name === undefined || metadata.name === scope.name);
    return [...wanted, ...this.#plain.list('events', scope)].toSorted(byNamespaceAndName);
  }

  create(object: Storable): StoredObject {
    const pod = podOf(object);
    const known = pod && this.#knownOf(pod);
    if (pod === undefined || known === undefined) return this.#plain.create('events', object);
    const { clock, versions } = this.#parts;
    const created = { ...object, metadata: newMetadata(object.metadata, clock, versions) };
    if (known.has(created.metadata.name)) throw alreadyExists('events', created.metadata.name);
    if (!this.#append(pod, 'ADDED', created)) return this.#plain.create('events', object);
    known.set(created.metadata.name, created.metadata);
    return created;
  }

  update(object: Storable): StoredObject {
    const pod = podOf(object);
    const known = pod && this.#knownOf(pod);
    const { name } = keyOf(object);
    const stored = known?.get(name);
    if (pod === undefined || stored === undefined) return this.#plain.update('events', object);
    const changed = { ...object, metadata: changedMetadata('events', object.metadata, stored, this.#parts.versions) };
    if (!this.#append(pod, 'MODIFIED', changed)) throw notFound('events', name);
    known?.set(name, changed.metadata);
    return changed;
  }

  delete(namespace: string, name: string): StoredObject | undefined {
    const [stored] = this.list({ namespace, name });
    const pod = stored && podOf(stored);
    if (stored === undefined || pod === undefined || this.#knownOf(pod)?.delete(name) !== true) {
      return this.#plain.delete('events', namespace, name);
    }
    const resourceVersion = this.#parts.versions.next(stored.metadata.resourceVersion);
    const deleted = { ...stored, metadata: { ...stored.metadata, resourceVersion } };
    return this.#append(pod, 'DELETED', deleted) ? deleted : undefined;
  }

  /** The Pod was removed or replaced, and its log with it. */
  forget(pod: ObjectKey): void {
    this.#known.delete(`${pod.namespace}/${pod.name}`);
  }

  /** Undefined when there is no such Pod. */
  #knownOf(pod: ObjectKey): Map<string, StoredMeta> | undefined {
    const key = `${pod.namespace}/${pod.name}`;
    const present = this.#known.get(key);
    if (present !== undefined) return present;
    if (!existsSync(this.#logOf(pod))) return undefined;
    const known = new Map([...this.#eventsOf(pod)].map(([name, { metadata }]) => [name, metadata]));
    this.#known.set(key, known);
    return known;
  }

  #append(pod: ObjectKey, type: 'ADDED' | 'MODIFIED' | 'DELETED', event: StoredObject): boolean {
    try {
      appendTransition(this.#logOf(pod), transitionLine(type, event));
      return true;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      this.forget(pod);
      return false;
    }
  }

  #eventsOf(pod: ObjectKey): Map<string, StoredEvent> {
    const events = new Map<string, StoredEvent>();
    for (const line of transitionLines(this.#logOf(pod))) {
      const transition = isAboutEvent(line) ? parseTransition(line) : undefined;
      if (transition === undefined) continue;
      const event = transition.object as StoredEvent & typeof transition.object;
      if (transition.type === 'DELETED') events.delete(event.metadata.name);
      else events.set(event.metadata.name, event);
    }
    return events;
  }

  #logOf(pod: ObjectKey): string {
    return podPaths(this.#parts.root, pod.namespace, pod.name).transitions;
  }
}

/** The Pod that an Event is about; undefined for Events about other things. */
export function podOf(object: Storable): ObjectKey | undefined {
  const { involvedObject } = object as Partial<StoredEvent>;
  if (involvedObject?.kind !== 'Pod' || !involvedObject.name) return undefined;
  return { namespace: involvedObject.namespace ?? keyOf(object).namespace, name: involvedObject.name };
}

function byNamespaceAndName({ metadata: a }: StoredObject, { metadata: b }: StoredObject): number {
  return compare(a.namespace, b.namespace) || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
