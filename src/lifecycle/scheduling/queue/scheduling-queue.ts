import type { StoredPod } from '../../../api/index.ts';
import { priorityOf } from '../../node/priority.ts';
import { schedulingKey } from './alike.ts';
import { backOffMs, LONGEST_REST_MS } from './back-off.ts';
import type { ClusterEvent } from './cluster-event.ts';
import type { HintFacts } from './hint.ts';
import { mayHelp } from './hints.ts';
import { SortedList } from './sorted-list.ts';

/** The place of a Pod that waits for a node. `tried`: an attempt is under way. */
export type QueuePlace = 'active' | 'backoff' | 'unschedulable' | 'tried';

/** Why a Pod was not placed. */
export interface SchedulingRejection {
  /** The plugins that have rejected it, whose hints say what may help. None: nothing in particular may. */
  readonly plugins: readonly string[];
  /** The scheduler's words. */
  readonly message: string;
}

interface QueuedPod {
  pod: StoredPod;
  readonly priority: number;
  /** The order of entry. */
  readonly order: number;
  place: QueuePlace;
  /** The number of failed attempts. */
  attempts: number;
  /** The end of the back-off. */
  readyMs: number;
  /** The Pods that were rejected alike. Undefined: the Pod was not tried yet. */
  group: Group | undefined;
}

/** Pods that are the same to the scheduler and were rejected for the same reasons. */
interface Group {
  readonly key: string;
  readonly rejection: SchedulingRejection;
  /** By order of entry, also the member that goes ahead. */
  readonly members: SortedList<QueuedPod>;
  /** The member that is tried for all: the next one follows once it was placed, or rejected for other reasons. */
  ahead: QueuedPod | undefined;
  /** The time of the last failed attempt. */
  failedMs: number;
}

/**
 * The Pods that wait for a node, and which of them is tried next: one at a time, by priority, then by entry. A Pod that
 * was rejected rests until something has changed that may help it. Then it ends its back-off first, unless no other Pod
 * is to be tried. Of thousands of Pods that are the same and were rejected alike, one goes ahead: while it is rejected,
 * the rest would be as well. Times are milliseconds of the caller's clock. Source: pkg/scheduler/backend/queue.
 */
export class SchedulingQueue {
  readonly #facts: HintFacts;
  /** By uid. */
  readonly #entries = new Map<string, QueuedPod>();
  readonly #groups = new Map<string, Group>();
  readonly #active = new SortedList<QueuedPod>(byPriority);
  readonly #backOff = new SortedList<QueuedPod>(byEndOfBackOff);
  /** Pods in back-off that no plugin has rejected: these are not taken early. */
  readonly #patient = new SortedList<QueuedPod>(byEndOfBackOff);
  #tried: QueuedPod | undefined;
  /** The changes during the attempt that is under way. */
  #meanwhile: ClusterEvent[] = [];
  #entered = 0;

  constructor(facts: HintFacts) {
    this.#facts = facts;
  }

  /** The number of Pods. */
  get size(): number {
    return this.#entries.size;
  }

  placeOf(uid: string): QueuePlace | undefined {
    return this.#entries.get(uid)?.place;
  }

  /** The number of Pods that had entered before this one. */
  orderOf(uid: string): number | undefined {
    return this.#entries.get(uid)?.order;
  }

  /** Adds a new Pod. One with scheduling gates rests until they are gone. */
  add(pod: StoredPod): void {
    const entry: QueuedPod = {
      pod,
      priority: priorityOf(pod),
      order: this.#entered++,
      place: 'unschedulable',
      attempts: 0,
      readyMs: 0,
      group: undefined,
    };
    this.#entries.set(pod.metadata.uid, entry);
    if (!isGated(pod)) this.#activate(entry);
  }

  /** Removes a Pod that has got a node, or is gone. */
  remove(uid: string, nowMs: number): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    this.#entries.delete(uid);
    if (this.#tried === entry) this.#tried = undefined;
    this.#leaveGroup(entry, nowMs);
  }

  /** Takes a new state of a Pod that waits. */
  update(pod: StoredPod, nowMs: number): void {
    const entry = this.#entries.get(pod.metadata.uid);
    if (entry === undefined) return;
    const { pod: before, group } = entry;
    entry.pod = pod;
    const event = { kind: 'Pod', before, after: pod } as const;
    if (this.#tried === entry) this.#meanwhile.push(event);
    else if (isGated(before)) {
      if (!isGated(pod)) this.#activate(entry);
    } else if (group !== undefined && schedulingKey(pod) !== schedulingKey(before)) {
      const isMoving = entry.place !== 'unschedulable' || mayHelp(pod, group.rejection.plugins, event, this.#facts);
      // It is not the same as the rest of its group any more.
      this.#leaveGroup(entry, nowMs);
      const own = this.#joinGroup(entry, group.rejection, group.failedMs);
      if (isMoving) this.#sendAhead(own, nowMs);
    }
  }

  /** Moves the Pods on that a change may help. */
  heard(event: ClusterEvent, nowMs: number): void {
    if (this.#tried !== undefined) this.#meanwhile.push(event);
    for (const group of this.#groups.values()) {
      const { ahead, members, rejection } = group;
      const pod = members.first?.pod;
      if (ahead !== undefined || pod === undefined) continue;
      if (mayHelp(pod, rejection.plugins, event, this.#facts)) this.#sendAhead(group, nowMs);
    }
  }

  /** Takes the Pod that is tried next. It is in the queue until it is removed, or reported as failed. */
  pop(nowMs: number): StoredPod | undefined {
    for (const list of [this.#backOff, this.#patient]) {
      while (list.first !== undefined && list.first.readyMs <= nowMs) this.#activate(list.first);
    }
    const entry = this.#active.first ?? this.#backOff.first;
    if (entry === undefined) return undefined;
    this.#leaveLists(entry);
    entry.place = 'tried';
    this.#tried = entry;
    this.#meanwhile = [];
    return entry.pod;
  }

  /** Puts a Pod back that was tried and not placed. */
  failed(pod: StoredPod, rejection: SchedulingRejection, nowMs: number): void {
    const entry = this.#entries.get(pod.metadata.uid);
    if (entry === undefined) return;
    this.#leaveLists(entry);
    this.#tried = undefined;
    entry.pod = pod;
    entry.place = 'unschedulable';
    entry.attempts += 1;
    entry.readyMs = nowMs + backOffMs(entry.attempts);
    let { group } = entry;
    if (group?.key === groupKey(pod, rejection)) Object.assign(group, { ahead: undefined, failedMs: nowMs });
    else {
      this.#leaveGroup(entry, nowMs);
      group = this.#joinGroup(entry, rejection, nowMs);
    }
    const { plugins } = rejection;
    const isHelped = this.#meanwhile.some((event) => mayHelp(pod, plugins, event, this.#facts));
    if (plugins.length === 0 || isHelped) this.#sendAhead(group, nowMs);
  }

  /** Moves the Pods on that have rested for long. */
  endRests(nowMs: number): void {
    for (const group of this.#groups.values()) {
      if (group.ahead === undefined && group.failedMs + LONGEST_REST_MS <= nowMs) this.#sendAhead(group, nowMs);
    }
  }

  /** The time at which a Pod is to be tried although nothing happens. Undefined: there is none. */
  get nextMs(): number | undefined {
    const resting = [...this.#groups.values()].filter(({ ahead }) => ahead === undefined);
    const times = resting.map(({ failedMs }) => failedMs + LONGEST_REST_MS);
    const moving = this.#active.first ?? this.#backOff.first ?? this.#patient.first;
    const next = Math.min(moving?.readyMs ?? Infinity, ...times);
    return next === Infinity ? undefined : next;
  }

  /** Sends the first Pod of a group on, unless one is ahead. */
  #sendAhead(group: Group, nowMs: number): void {
    const entry = group.members.first;
    if (group.ahead !== undefined || entry === undefined) return;
    group.ahead = entry;
    if (entry.readyMs <= nowMs) return this.#activate(entry);
    entry.place = 'backoff';
    (group.rejection.plugins.length === 0 ? this.#patient : this.#backOff).insert(entry);
  }

  #activate(entry: QueuedPod): void {
    this.#leaveLists(entry);
    entry.place = 'active';
    this.#active.insert(entry);
  }

  #leaveLists(entry: QueuedPod): void {
    for (const list of [this.#active, this.#backOff, this.#patient]) list.remove(entry);
  }

  #joinGroup(entry: QueuedPod, rejection: SchedulingRejection, failedMs: number): Group {
    const key = groupKey(entry.pod, rejection);
    const group = this.#groups.get(key) ?? {
      key,
      rejection,
      members: new SortedList<QueuedPod>(byPriority),
      ahead: undefined,
      failedMs,
    };
    this.#groups.set(key, group);
    group.members.insert(entry);
    entry.group = group;
    entry.place = 'unschedulable';
    return group;
  }

  /** Takes a Pod out of its group and out of all lists. The next one of the group follows it. */
  #leaveGroup(entry: QueuedPod, nowMs: number): void {
    this.#leaveLists(entry);
    const { group } = entry;
    if (group === undefined) return;
    entry.group = undefined;
    group.members.remove(entry);
    if (group.members.first === undefined) this.#groups.delete(group.key);
    if (group.ahead !== entry) return;
    group.ahead = undefined;
    this.#sendAhead(group, nowMs);
  }
}

function isGated({ spec }: StoredPod): boolean {
  return (spec.schedulingGates ?? []).length > 0;
}

function groupKey(pod: StoredPod, { plugins, message }: SchedulingRejection): string {
  return JSON.stringify([plugins, message, schedulingKey(pod)]);
}

/** Source: pkg/scheduler/framework/plugins/queuesort/priority_sort.go. */
function byPriority(one: QueuedPod, other: QueuedPod): number {
  return other.priority - one.priority || one.order - other.order;
}

function byEndOfBackOff(one: QueuedPod, other: QueuedPod): number {
  return one.readyMs - other.readyMs || byPriority(one, other);
}
