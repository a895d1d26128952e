import {
  formatTime,
  type Instant,
  type StoredEvent,
  type StoredKubeObject,
  type StoredPod,
  type WatchEvent,
} from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { EventCorrelator, type EventDraft, type SchedulingEvent } from '../../lifecycle/index.ts';
import type { Store } from '../../store/index.ts';

export interface EventRecorderOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** The node of a kubelet and of the scheduler. Events of a bound Pod name its own. A controller has none. */
  readonly nodeName?: string;
  /** The component that reports. Default: the kubelet. */
  readonly controller?: string;
  /** Called for every event that was written, new or counted. */
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
}

/** The object that an event is about. */
type EventSubject = Pick<StoredKubeObject, 'apiVersion' | 'kind' | 'metadata'>;

/** The source and the time of an event. */
interface EventOrigin {
  readonly component: string;
  readonly now: Instant;
  /** The part of the object that the event is about. */
  readonly fieldPath?: string | undefined;
}

/** Events that wait, and the time at which they happened. */
interface HeldEvents {
  readonly about: EventSubject;
  readonly drafts: readonly EventDraft[];
  readonly now: Instant;
}

/** Further events are lost. Source: client-go tools/record, maxQueuedEvents. */
const HELD_MAX = 1000;

/** Writes the Events of one object, mostly a Pod, into the store. Counts events that repeat. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #component: string;
  readonly #correlator = new EventCorrelator();
  readonly #events = new Map<string, StoredEvent>();
  /** The keys of the events that were counted, since `delayCounts`. Undefined: they are written at once. */
  #counted: Set<string> | undefined;
  /** The messages of notices that are recorded once. */
  readonly #notices = new Set<string>();
  #isObjectGone = false;
  /** Events that wait until the API can be reached. Undefined: it can. */
  #held: HeldEvents[] | undefined;
  #lastNanos = 0n;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#component = options.controller ?? 'kubelet';
  }

  /** Stops storing events: the object is gone, perhaps with the whole store. onEvent still gets them. */
  stopStoring(): void {
    this.#isObjectGone = true;
  }

  /** Keeps the events of the component until `send`: it cannot reach the API. */
  hold(): void {
    this.#held ??= [];
  }

  /** Records the events that were kept, at the times at which they happened. */
  send(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const { about, drafts, now } of held) this.#record(about, drafts, now);
  }

  /** Returns the notices that it did not return before. */
  unrecorded(notices: readonly EventDraft[]): EventDraft[] {
    const fresh = notices.filter(({ message }) => !this.#notices.has(message));
    for (const { message } of fresh) this.#notices.add(message);
    return fresh;
  }

  /**
   * Records events of the component or of podrun about the object or its containers. Writes the new ones together: the
   * start of a Pod of fifty containers makes 150 events.
   */
  record(about: EventSubject, drafts: readonly EventDraft[]): void {
    const now = this.#options.clock.now();
    if (this.#held === undefined) this.#record(about, drafts, now);
    else if (this.#held.length < HELD_MAX) this.#held.push({ about, drafts, now });
  }

  #record(about: EventSubject, drafts: readonly EventDraft[], now: Instant): void {
    const fresh = new Map<string, StoredEvent>();
    for (const draft of drafts) {
      const fieldPath =
        draft.container === undefined ? undefined : containerFieldPath(about as StoredPod, draft.container);
      if (draft.component === 'podrun') {
        this.#write(fresh);
        this.#recordAlone(about, draft, { component: 'podrun', now, fieldPath });
        continue;
      }
      const { key, message } = this.#correlator.correlate(draft, now.monotonicMs);
      if (fresh.has(key)) this.#write(fresh);
      const known = this.#events.get(key);
      if (known === undefined) {
        const origin = { component: this.#component, now, fieldPath };
        fresh.set(key, this.#coreEvent(about, { ...draft, message }, origin));
      } else {
        this.#write(fresh);
        this.#count(key, { ...known, message }, now);
      }
    }
    this.#write(fresh);
  }

  /** Writes new events by their keys, and empties the map. */
  #write(fresh: Map<string, StoredEvent>): void {
    if (fresh.size === 0) return;
    const keys = [...fresh.keys()];
    const all = [...fresh.values()];
    const stored = this.#isObjectGone ? all : this.#options.store.createAll('events', all);
    fresh.clear();
    for (const [index, object] of stored.entries()) {
      this.#events.set(keys[index] ?? '', object);
      this.#options.onEvent({ type: 'ADDED', object });
    }
  }

  #count(key: string, event: StoredEvent, now: Instant): void {
    this.#events.set(key, { ...event, count: (event.count ?? 1) + 1, lastTimestamp: formatTime(now.wallMs) });
    if (this.#counted === undefined) this.#writeCounted(key);
    else this.#counted.add(key);
  }

  /** Begins to write events that repeat only once, at `writeCounts`. */
  delayCounts(): void {
    this.#counted ??= new Set();
  }

  /** Writes the events that have repeated since `delayCounts`. */
  writeCounts(): void {
    const keys = this.#counted ?? [];
    this.#counted = undefined;
    for (const key of keys) this.#writeCounted(key);
  }

  #writeCounted(key: string): void {
    const counted = this.#events.get(key);
    if (counted === undefined) return;
    const object = this.#isObjectGone ? counted : this.#options.store.update('events', counted);
    this.#events.set(key, object);
    this.#options.onEvent({ type: 'MODIFIED', object });
  }

  /** Records an event of podrun itself about any object. Such an event is never combined with another one. */
  recordOwn(about: EventSubject, draft: EventDraft, fieldPath?: string): void {
    this.recordAs('podrun', about, draft, fieldPath);
  }

  /**
   * Records an event of podrun whose text has a number that grows, in place of the one before.
   * @param key the same for the same event
   */
  recordTotal(about: EventSubject, draft: EventDraft, key: string, count: number): void {
    const now = this.#options.clock.now();
    const known = this.#events.get(key);
    if (known === undefined) {
      const first = { ...this.#coreEvent(about, draft, { component: 'podrun', now }), count };
      const object = this.#options.store.create('events', first);
      this.#events.set(key, object);
      return this.#options.onEvent({ type: 'ADDED', object });
    }
    this.#events.set(key, { ...known, message: draft.message, count, lastTimestamp: formatTime(now.wallMs) });
    this.#writeCounted(key);
  }

  /** Records an event of another cluster component. Such an event is never combined with another one. */
  recordAs(component: EventOrigin['component'], about: EventSubject, draft: EventDraft, fieldPath?: string): void {
    this.#recordAlone(about, draft, { component, now: this.#options.clock.now(), fieldPath });
  }

  #recordAlone(about: EventSubject, draft: EventDraft, origin: EventOrigin): void {
    const event = this.#coreEvent(about, draft, origin);
    this.#options.onEvent({
      type: 'ADDED',
      object: this.#isObjectGone ? event : this.#options.store.create('events', event),
    });
  }

  /** Records an event of the scheduler, in the newer form of the API. Source: pkg/scheduler/schedule_one.go. */
  recordScheduling(pod: StoredPod, draft: SchedulingEvent): void {
    const now = this.#options.clock.now();
    const object = this.#options.store.create<StoredEvent>('events', {
      ...this.#base(pod, draft, now),
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: formatTime(now.wallMs),
      action: draft.action,
      reportingComponent: 'default-scheduler',
      reportingInstance: `default-scheduler-${this.#options.nodeName}`,
    });
    this.#options.onEvent({ type: 'ADDED', object });
  }

  #coreEvent(about: EventSubject, draft: EventDraft, { component, now, fieldPath }: EventOrigin): StoredEvent {
    const at = formatTime(now.wallMs);
    const base = this.#base(about, draft, now);
    const host = this.#hostOf(about);
    return {
      ...base,
      ...(fieldPath === undefined ? {} : { involvedObject: { ...base.involvedObject, fieldPath } }),
      source: host === undefined ? { component } : { component, host },
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
      eventTime: null,
      reportingComponent: component,
      reportingInstance: host ?? '',
    };
  }

  /** The node whose kubelet reports: the node of a bound Pod. */
  #hostOf(about: EventSubject): string | undefined {
    const { nodeName } = this.#options;
    return nodeName && ((about as Partial<StoredPod>).spec?.nodeName || nodeName);
  }

  #base({ apiVersion, kind, metadata }: EventSubject, draft: EventDraft, now: Instant): StoredEvent {
    const { name, namespace, uid, resourceVersion } = metadata;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: `${name}.${this.#uniqueHex(now)}`,
        namespace,
        uid: '',
        resourceVersion: '',
        creationTimestamp: formatTime(now.wallMs),
      },
      involvedObject: { kind, namespace, name, ...(uid && { uid }), apiVersion, resourceVersion },
      reason: draft.reason,
      message: draft.message,
      type: draft.type,
    };
  }

  /** The time in nanoseconds as 16 hex digits, as client-go names events. No two events get the same one. */
  #uniqueHex(now: Instant): string {
    const nanos = BigInt(Math.round(now.wallMs * 1000)) * 1000n;
    this.#lastNanos = nanos > this.#lastNanos ? nanos : this.#lastNanos + 1n;
    return this.#lastNanos.toString(16).padStart(16, '0');
  }
}

/** The path of a container in the Pod's spec. Source: pkg/kubelet/container/ref.go. */
function containerFieldPath(pod: StoredPod, name: string): string {
  const list = pod.spec.initContainers?.some((container) => container.name === name)
    ? 'initContainers'
    : pod.spec.ephemeralContainers?.some((container) => container.name === name)
      ? 'ephemeralContainers'
      : 'containers';
  return `spec.${list}{${name}}`;
}
