import { compareText } from '../../api/go/go-text.ts';
import type { KubeObject, StoredEvent, StoredMeta, WatchEvent } from '../../api/objects.ts';
import type { Clock } from '../../clock.ts';
import { ifPresent } from '../disk/disk-errors.ts';
import { podPaths } from '../layout.ts';
import { LineCursor } from '../feed/line-cursor.ts';
import { keysIn, keyText } from './listing.ts';
import { changedMetadata, checkPrecondition, isSamePart, keyOf, newMetadata, type StoredObject } from '../metadata.ts';
import type { PlainRecords } from './plain-records.ts';
import type { StorageParts } from '../storage.ts';
import type { ObjectKey, Scope, Storable } from '../store.ts';
import { alreadyExists, notInStore } from '../store-errors.ts';
import {
  appendTransition,
  isAboutEvent,
  parseTransition,
  transitionLine,
  transitionLines,
} from '../feed/transition-log.ts';

/**
 * The Events. An Event about a Pod is a line of the Pod's transition log and is removed with it: the latest line with a
 * name is the Event. An Event about anything else, or about a removed Pod, is a plain record.
 */
export class EventRecords {
  readonly #parts: StorageParts;
  readonly #plain: PlainRecords;
  /** The logs of Pods whose Events this process writes: to count an Event must not read the whole log again. */
  readonly #logs = new Map<string, EventLog>();

  constructor(parts: StorageParts, plain: PlainRecords) {
    this.#parts = parts;
    this.#plain = plain;
  }

  /** Reads the logs of all Pods in the scope, or of the Pod that the Events shall be about. */
  list(scope: Scope): StoredObject[] {
    const pods = keysIn(this.#parts.root, 'pods', { namespace: scope.namespace, name: scope.aboutPod });
    const logged = pods.flatMap((pod) => [...this.#eventsOf(pod).values()]);
    const wanted = logged.filter(({ metadata }) => scope.name === undefined || metadata.name === scope.name);
    return [...wanted, ...this.#plain.list('events', scope)].toSorted(byNamespaceAndName);
  }

  /** @param objects one Event, or several about one Pod */
  create(objects: readonly Storable[]): StoredObject[] {
    const pod = objects[0] && podOf(objects[0]);
    const log = pod && this.#logOf(pod);
    if (log !== undefined) {
      const { clock, versions } = this.#parts;
      const created = objects.map((object) => ({ ...object, metadata: newMetadata(object.metadata, clock, versions) }));
      const present = log.find(created.map(({ metadata }) => metadata.name));
      if (present !== undefined) throw alreadyExists('events', present.name);
      if (log.append('ADDED', created)) return created;
    }
    return objects.map((object) => this.#plain.create('events', object));
  }

  update(object: Storable): StoredObject {
    const pod = podOf(object);
    const log = pod && this.#logOf(pod);
    const stored = log?.find([keyOf(object).name]);
    if (log === undefined || stored === undefined) return this.#plain.update('events', object);
    const changed = { ...object, metadata: changedMetadata('events', object.metadata, stored, this.#parts.versions) };
    if (log.append('MODIFIED', [changed])) return changed;
    return this.#plain.update('events', object);
  }

  /** Changes an Event without a lock: each Event has only one recorder, which writes it. */
  change(key: ObjectKey, change: (stored: StoredObject) => StoredObject): StoredObject {
    const [stored] = this.list(key);
    if (stored === undefined) throw notInStore('events', key.name);
    const changed = change(stored);
    checkPrecondition('events', changed.metadata, stored.metadata);
    return isSamePart('object', changed, stored) ? stored : this.update(changed);
  }

  delete(namespace: string, name: string): StoredObject | undefined {
    const plain = this.#plain.delete('events', namespace, name);
    if (plain !== undefined) return plain;
    const [stored] = this.list({ namespace, name });
    const pod = stored && podOf(stored);
    const log = pod && this.#logOf(pod);
    if (stored === undefined || log?.find([name]) === undefined) return undefined;
    const resourceVersion = this.#parts.versions.next(stored.metadata.resourceVersion);
    const deleted = { ...stored, metadata: { ...stored.metadata, resourceVersion } };
    return log.append('DELETED', [deleted]) ? deleted : undefined;
  }

  /** Closes the log of a Pod that was removed or replaced. */
  forget(pod: ObjectKey): void {
    this.#logs.get(keyText(pod))?.close();
    this.#logs.delete(keyText(pod));
  }

  /** The log for Events about a Pod. Undefined when there is no such Pod. */
  #logOf(pod: ObjectKey): EventLog | undefined {
    const present = this.#logs.get(keyText(pod));
    if (present?.isCurrent() === true) return present;
    this.forget(pod);
    const log = EventLog.open(podPaths(this.#parts.root, pod.namespace, pod.name).transitions, this.#parts.clock);
    if (log !== undefined) this.#logs.set(keyText(pod), log);
    return log;
  }

  #eventsOf(pod: ObjectKey): Map<string, StoredEvent> {
    const events = new Map<string, StoredEvent>();
    const log = podPaths(this.#parts.root, pod.namespace, pod.name).transitions;
    for (const line of transitionLines(log)) takeEvent(line, (name, event) => put(events, name, event));
    return events;
  }
}

/** The metadata of the Events in a log: all that the next Event to write needs. */
class EventLog {
  readonly #path: string;
  readonly #cursor: LineCursor;
  readonly #clock: Clock;
  readonly #known = new Map<string, StoredMeta>();

  private constructor(path: string, cursor: LineCursor, clock: Clock) {
    this.#path = path;
    this.#cursor = cursor;
    this.#clock = clock;
  }

  static open(path: string, clock: Clock): EventLog | undefined {
    const cursor = LineCursor.open(path, 'start');
    return cursor === undefined ? undefined : new EventLog(path, cursor, clock);
  }

  isCurrent(): boolean {
    return this.#cursor.isCurrent();
  }

  /** Reads the new lines, then returns the metadata of the first Event with one of these names. */
  find(names: readonly string[]): StoredMeta | undefined {
    for (let lines = this.#cursor.next(); lines.length > 0; lines = this.#cursor.next()) {
      for (const line of lines) takeEvent(line, (name, event) => put(this.#known, name, event?.metadata));
    }
    const name = names.find((candidate) => this.#known.has(candidate));
    return name === undefined ? undefined : this.#known.get(name);
  }

  /** Returns false when the Pod has just been removed together with its log. */
  append(type: WatchEvent['type'], events: readonly StoredObject[]): boolean {
    const appended = ifPresent(() => {
      const { wallMs } = this.#clock.now();
      appendTransition(this.#path, events.map((event) => transitionLine(type, event, wallMs)).join(''));
      return true;
    });
    return appended === true;
  }

  close(): void {
    this.#cursor.close();
  }
}

/** Calls back for a line about an Event, with the Event or with undefined for a deleted one. */
function takeEvent(line: Buffer, take: (name: string, event: StoredEvent | undefined) => void): void {
  const transition = isAboutEvent(line) ? parseTransition(line) : undefined;
  if (transition === undefined) return;
  const event = transition.object as StoredEvent & KubeObject;
  take(event.metadata.name, transition.type === 'DELETED' ? undefined : event);
}

function put<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

/** True when these Events are about one Pod and have different names: then one write can store them all. */
export function areAboutOnePod(events: readonly Storable[]): boolean {
  const pods = events.map(podOf);
  const isOne = new Set(pods.map((pod) => (pod === undefined ? '' : keyText(pod)))).size === 1;
  return isOne && pods[0] !== undefined && new Set(events.map((event) => keyOf(event).name)).size === events.length;
}

/** The Pod that an Event is about. Undefined for an Event about anything else. */
export function podOf(object: Storable): ObjectKey | undefined {
  const { involvedObject } = object as Partial<StoredEvent>;
  if (involvedObject?.kind !== 'Pod' || !involvedObject.name) return undefined;
  return { namespace: involvedObject.namespace ?? keyOf(object).namespace, name: involvedObject.name };
}

function byNamespaceAndName({ metadata: a }: StoredObject, { metadata: b }: StoredObject): number {
  return compareText(a.namespace, b.namespace) || compareText(a.name, b.name);
}
