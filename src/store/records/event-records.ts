import { compareText, type WatchEvent } from '../../api/index.ts';
import { podPaths } from '../base/layout.ts';
import type { PodLog, OpenPodLogs } from '../disk/pod-log.ts';
import { keysIn, keyText } from '../disk/listing.ts';
import {
  changedMetadata,
  checkPrecondition,
  isSamePart,
  keyOf,
  newMetadata,
  type StoredObject,
  podOf,
} from '../base/metadata.ts';
import type { PlainRecords } from './plain-records.ts';
import type { StorageParts } from './storage.ts';
import type { ObjectKey, Scope, Storable } from '../base/store.ts';
import { alreadyExists, notInStore } from '../base/store-errors.ts';
import { isAboutEvent, parseTransition, transitionLines } from '../disk/transition-log.ts';

/**
 * The Events. An Event about a Pod is a line of the Pod's transition log: the latest line with a name is the Event. An
 * Event about anything else, or about a removed Pod, is a plain record.
 */
export class EventRecords {
  readonly #parts: StorageParts;
  readonly #plain: PlainRecords;
  readonly #logs: OpenPodLogs;

  constructor(parts: StorageParts, plain: PlainRecords, logs: OpenPodLogs) {
    this.#parts = parts;
    this.#plain = plain;
    this.#logs = logs;
  }

  /**
   * Reads the logs of all Pods in the scope, or of the Pod that the Events shall be about, and then the plain records:
   * an Event of a Pod that is just being removed is in both.
   */
  list(scope: Scope): StoredObject[] {
    const pods = keysIn(this.#parts.root, 'pods', { namespace: scope.namespace, name: scope.aboutPod });
    const logged = pods.flatMap((pod) => this.#eventsOf(pod));
    const wanted = logged.filter(({ metadata }) => scope.name === undefined || metadata.name === scope.name);
    const loggedKeys = new Set(wanted.map(({ metadata }) => keyText(metadata)));
    const plain = this.#plain.list('events', scope).filter(({ metadata }) => !loggedKeys.has(keyText(metadata)));
    return [...wanted, ...plain].toSorted(byNamespaceAndName);
  }

  /** The Events outside of Pods that were not written since a time, milliseconds since 1970. Reads none of them. */
  unchangedSince(wallMs: number): ObjectKey[] {
    const { records } = this.#parts;
    return records.keysIn('events', {}).filter((key) => Number(records.versionOf('events', key)) / 1000 < wallMs);
  }

  /** @param objects one Event, or several about one Pod */
  create(objects: readonly Storable[]): StoredObject[] {
    const pod = objects[0] && podOf(objects[0]);
    const logged = this.#inLog(pod, (log) => {
      const { clock, versions } = this.#parts;
      const created = objects.map((object) => ({ ...object, metadata: newMetadata(object.metadata, clock, versions) }));
      const present = created.find(({ metadata }) => log.event(metadata.name) !== undefined);
      if (present !== undefined) throw alreadyExists('events', present.metadata.name);
      return ['ADDED', created];
    });
    return logged ?? objects.map((object) => this.#plain.create('events', object));
  }

  update(object: Storable): StoredObject {
    const logged = this.#inLog(podOf(object), (log) => {
      const stored = log.event(keyOf(object).name);
      if (stored === undefined) return undefined;
      const metadata = changedMetadata('events', object.metadata, stored, this.#parts.versions);
      return ['MODIFIED', [{ ...object, metadata }]];
    });
    return logged?.[0] ?? this.#plain.update('events', object);
  }

  /** Changes an Event. Nothing is written between the reading and the writing: each Event has only one recorder. */
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
    if (stored === undefined) return undefined;
    const logged = this.#inLog(podOf(stored), (log) => {
      if (log.event(name) === undefined) return undefined;
      const resourceVersion = this.#parts.versions.next(stored.metadata.resourceVersion);
      return ['DELETED', [{ ...stored, metadata: { ...stored.metadata, resourceVersion } }]];
    });
    return logged?.[0];
  }

  /**
   * Appends changes of Events to the log of their Pod.
   * @param change returns the changes; undefined: they concern no Event in this log
   * @returns undefined when nothing was appended, also because there is no such Pod
   */
  #inLog(
    pod: ObjectKey | undefined,
    change: (log: PodLog) => readonly [WatchEvent['type'], readonly StoredObject[]] | undefined,
  ): StoredObject[] | undefined {
    // The lock would make folders again while another process removes the state folder.
    if (pod === undefined || !this.#logs.mayHave(pod)) return undefined;
    const append = (log: PodLog | undefined): StoredObject[] | undefined => {
      const [type, events] = (log && change(log)) ?? [];
      if (log === undefined || type === undefined || events === undefined) return undefined;
      log.append(
        events.map((event) => [type, event]),
        this.#parts.clock.now().wallMs,
      );
      return [...events];
    };
    return this.#logs.lock(pod, append);
  }

  #eventsOf({ namespace, name }: ObjectKey): StoredObject[] {
    return eventsIn(podPaths(this.#parts.root, namespace, name).transitions);
  }
}

/** The Events in a transition log. */
export function eventsIn(log: string): StoredObject[] {
  const events = new Map<string, StoredObject>();
  for (const line of transitionLines(log)) {
    const transition = isAboutEvent(line) ? parseTransition(line) : undefined;
    if (transition === undefined) continue;
    const event = transition.object as StoredObject;
    if (transition.type === 'DELETED') events.delete(event.metadata.name);
    else events.set(event.metadata.name, event);
  }
  return [...events.values()];
}

/** True when these Events are about one Pod and have different names: then one write can store them all. */
export function areAboutOnePod(events: readonly Storable[]): boolean {
  const pods = events.map(podOf);
  const isOne = new Set(pods.map((pod) => (pod === undefined ? '' : keyText(pod)))).size === 1;
  return isOne && pods[0] !== undefined && new Set(events.map((event) => keyOf(event).name)).size === events.length;
}

function byNamespaceAndName({ metadata: a }: StoredObject, { metadata: b }: StoredObject): number {
  return compareText(a.namespace, b.namespace) || compareText(a.name, b.name);
}
