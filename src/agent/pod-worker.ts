import { isSameJson } from '../api/json.ts';
import { isTerminalPhase, type StoredPod, type TerminalPhase } from '../api/objects.ts';
import type { Instant } from '../api/time.ts';
import type { Alarm, Clock } from '../clock.ts';
import type { SyncConfig } from '../lifecycle/plan/draft.ts';
import type { PodStatus } from '../api/generated/types.ts';
import { type PlannedProbe, type PodActivity, podActivity } from '../lifecycle/activity.ts';
import type { Effect, EventDraft, Step } from '../lifecycle/effects.ts';
import { NEW_POD, type PodFacts } from '../lifecycle/facts.ts';
import { batchMs, changesContainersOnly, leavesUnpublishedState } from '../lifecycle/status/batch.ts';
import { mergeStatus } from '../lifecycle/status/merge-status.ts';
import type { Observation } from '../lifecycle/observation.ts';
import { observe } from '../lifecycle/observe.ts';
import { podStatus } from '../lifecycle/pod-status.ts';
import { podGraceSeconds } from '../lifecycle/plan/stop.ts';
import type { FoundInstance, Restoration } from '../lifecycle/restored-facts.ts';
import { sync } from '../lifecycle/sync.ts';
import { type Heard, Inbox } from './inbox.ts';

/** Carries out what the plan asks for and tells what came of it. One per Pod. */
export interface EffectRunner {
  /** Goes on with what a former agent has begun: the environment is there, and these instances were started. */
  resume(pod: StoredPod, instances: readonly FoundInstance[]): void;
  perform(pod: StoredPod, effect: Exclude<Effect, { type: 'event' | 'finish' }>): void;
  /** Called after every step: what the probes must know. */
  follow(pod: StoredPod, facts: PodFacts): void;
  /** The probes that go on at the moment. */
  readonly probes: readonly PlannedProbe[];
  /** The Pod is finished: let go of everything. */
  close(): void;
}

/** Where the worker writes what it finds. */
export interface PodReport {
  /** Stores the status of the Pod; answers the Pod as it now stands in the store. */
  status(pod: StoredPod): StoredPod;
  /** In this order. */
  events(pod: StoredPod, drafts: readonly EventDraft[]): void;
  finished(pod: StoredPod): void;
}

/** How a run is to be ended. */
export interface HowToEnd {
  /** Kill everything now. */
  readonly force: boolean;
  /** Undefined: the Pod's own. */
  readonly graceSeconds?: number;
  /** Also a postStart hook that runs, which is waited for otherwise. */
  readonly breaksOffHook?: boolean;
}

export interface PodWorkerOptions {
  readonly pod: StoredPod;
  readonly clock: Clock;
  /** What a sync must know besides the Pod; asked again whenever the object has changed. */
  readonly config: (pod: StoredPod) => SyncConfig;
  readonly hostIP: string;
  /** What is known of the Pod already; undefined: it is new. */
  readonly restoration?: Restoration | undefined;
  readonly report: PodReport;
  /** Made with the function by which it tells the worker what happened. */
  readonly effects: (tell: (seen: Observation) => void) => EffectRunner;
}

/**
 * The loop of one Pod: something happens, it is observed, the status is published, the plan is made, the plan is
 * carried out. Level-triggered and serial: observations are taken one at a time, each with a status and a plan of its
 * own, so that no state is skipped; a doubled or late observation changes nothing. Only what is heard of several
 * containers in the same moment, all started, all exited or all gone, is one step: no container skips a state by that.
 * In a Pod of many containers, changes of different ones are published together for a while, and a short run with its
 * end: status/batch.ts.
 */
export class PodWorker {
  #pod: StoredPod;
  /** As it is in the store: what this agent wrote last, or what somebody else has made of that. */
  #storedStatus: PodStatus;
  #facts: PodFacts;
  readonly #clock: Clock;
  readonly #configFor: (pod: StoredPod) => SyncConfig;
  #config: SyncConfig;
  readonly #hostIP: string;
  readonly #report: PodReport;
  readonly #effects: EffectRunner;
  readonly #inbox = new Inbox((seen) => this.#handle(seen));
  #alarm: Alarm | undefined;
  /** What has not been published yet, because more may come along. */
  #waiting: PodStatus | undefined;
  #publishAlarm: Alarm | undefined;
  #publishedMs = -Infinity;

  constructor({ pod, clock, config, hostIP, restoration, report, effects }: PodWorkerOptions) {
    this.#pod = pod;
    this.#facts = restoration?.facts ?? NEW_POD;
    this.#storedStatus = pod.status;
    this.#clock = clock;
    this.#configFor = config;
    this.#config = config(pod);
    this.#hostIP = hostIP;
    this.#report = report;
    this.#effects = effects((seen) => this.#inbox.put(seen));
    if (restoration?.facts.sandbox === 'ready') this.#effects.resume(pod, restoration.adopted);
  }

  /** The Pod as this agent knows it. */
  get pod(): StoredPod {
    return this.#pod;
  }

  /** The status as the store has it, as far as is known. */
  get storedStatus(): PodStatus {
    return this.#storedStatus;
  }

  /** What it is about to do. */
  get activity(): PodActivity {
    return podActivity(this.#pod, this.#facts, this.#effects.probes);
  }

  get isFinished(): boolean {
    return this.#facts.finished;
  }

  start(): void {
    this.#lookOrTerminate();
  }

  /**
   * A deletion that was under way when an agent was restarted has all of its grace period again.
   * Source: pkg/kubelet/pod_workers.go calculateEffectiveGracePeriod.
   */
  #lookOrTerminate(): void {
    if (this.#pod.metadata.deletionTimestamp === undefined) return this.#inbox.put('look');
    const graceSeconds = podGraceSeconds(this.#pod, undefined);
    this.#inbox.put({ type: 'terminate', cause: 'deleted', graceSeconds, force: false });
  }

  /** Somebody changed the object: its spec, its metadata, or a condition that is not kubelet's. */
  objectChanged(pod: StoredPod): void {
    if (this.#facts.finished || pod.metadata.uid !== this.#pod.metadata.uid) return;
    this.#storedStatus = pod.status;
    // Of the status, the rest is the agent's own: what was made of that in the store does not count, and is put right.
    this.#pod = { ...pod, status: mergeStatus(pod.status, this.#pod.status) };
    this.#config = this.#configFor(pod);
    this.#lookOrTerminate();
  }

  /** Ends the run without deleting the Pod: with its own grace period or this one, or by killing everything now. */
  terminate({ force, graceSeconds: wanted, breaksOffHook = false }: HowToEnd): void {
    if (this.#facts.finished) return;
    const graceSeconds = podGraceSeconds(this.#pod, force ? 0 : wanted);
    this.#inbox.put({ type: 'terminate', cause: 'ended', graceSeconds, force, breaksOffHook });
  }

  #handle(seen: Heard): void {
    if (this.#facts.finished) return;
    const now = this.#clock.now();
    const observed = seen === 'look' ? undefined : this.#observeAll(seen, now);
    if (observed !== undefined && seen !== 'look' && seen.some(endsPostStart)) return this.#goOn(observed, now);
    if (observed !== undefined) this.#take(observed);
    if (this.#facts.finished) return;
    const plan = sync(this.#pod, this.#facts, this.#config, now);
    const isNew = plan.facts !== this.#facts || plan.effects.length > 0;
    // What was observed has been published: where nothing follows from it, there is nothing more to tell.
    if (seen === 'look' || isNew) this.#take(plan);
    this.#setAlarm(plan.wakeAtMs);
  }

  /**
   * The sync that ran a postStart hook publishes nothing when the hook is over: the next one looks at the deadline
   * first.
   * Source: pkg/kubelet/kubelet.go SyncPod.
   */
  #goOn(observed: Step, now: Instant): void {
    const plan = sync(this.#pod, observed.facts, this.#config, now);
    this.#take({ facts: plan.facts, effects: [...observed.effects, ...plan.effects] });
    this.#setAlarm(plan.wakeAtMs);
  }

  #observeAll(all: readonly Observation[], now: Instant): Step {
    const effects: Effect[] = [];
    let facts = this.#facts;
    for (const seen of all) {
      const step = observe(this.#pod, facts, seen, now);
      facts = step.facts;
      effects.push(...step.effects);
    }
    return { facts, effects };
  }

  /** Publishes a step, then has its effects carried out: readers learn of a state before anything follows from it. */
  #take(step: Step): void {
    this.#facts = step.facts;
    const events = step.effects.flatMap((effect) => (effect.type === 'event' ? [effect.event] : []));
    if (events.length > 0) this.#report.events(this.#pod, events);
    this.#publish();
    this.#effects.follow(this.#pod, this.#facts);
    for (const effect of step.effects) {
      if (effect.type === 'finish') this.#finish();
      else if (effect.type !== 'event') this.#effects.perform(this.#pod, effect);
    }
  }

  #publish(): void {
    for (;;) {
      const now = this.#clock.now();
      const status = podStatus(this.#pod, this.#facts, this.#hostIP, now);
      const first = this.#waiting !== undefined && leavesUnpublishedState(this.#storedStatus, this.#waiting, status);
      const next = first ? this.#waiting : status;
      if (next === undefined || isSameJson(next, this.#storedStatus)) return this.#waitFor(undefined);
      if (!first && this.#mayWait(next, now.monotonicMs)) return this.#waitFor(next);
      this.#waitFor(undefined);
      this.#publishedMs = now.monotonicMs;
      this.#pod = this.#withSameSpec(this.#report.status({ ...this.#pod, status: next }));
      this.#storedStatus = this.#pod.status;
      // Somebody else's condition may have come along, and Ready may depend on it.
      if (!first && isSameJson(next, this.#storedStatus)) return;
      const { phase } = this.#storedStatus;
      if (isTerminalPhase(phase) && !isTerminalPhase(next.phase)) this.#endAs(phase);
    }
  }

  #mayWait(status: PodStatus, nowMs: number): boolean {
    if (this.#facts.finished || nowMs >= this.#publishedMs + batchMs(this.#pod.spec)) return false;
    return changesContainersOnly(this.#storedStatus, status);
  }

  #waitFor(status: PodStatus | undefined): void {
    this.#waiting = status;
    if (status === undefined) {
      this.#publishAlarm?.cancel();
      this.#publishAlarm = undefined;
    } else {
      const dueMs = this.#publishedMs + batchMs(this.#pod.spec);
      this.#publishAlarm ??= this.#clock.wakeAt(dueMs, () => this.#inbox.put('look'));
    }
  }

  /** Of a spec that has not changed, the objects stay the same: what was computed from them holds. */
  #withSameSpec(pod: StoredPod): StoredPod {
    const { metadata, spec } = this.#pod;
    return pod.metadata.generation === metadata.generation ? { ...pod, spec } : pod;
  }

  /** Somebody else has written that the Pod has ended: down with it. Source: pkg/kubelet/pod_workers.go UpdatePod. */
  #endAs(phase: TerminalPhase): void {
    const request = { type: 'terminate', cause: 'ended', force: false, phase } as const;
    const graceSeconds = podGraceSeconds(this.#pod, undefined);
    this.#facts = observe(this.#pod, this.#facts, { ...request, graceSeconds }, this.#clock.now()).facts;
    this.#inbox.put('look');
  }

  #finish(): void {
    this.#alarm?.cancel();
    this.#publishAlarm?.cancel();
    this.#effects.close();
    this.#report.finished(this.#pod);
  }

  #setAlarm(atMs: number | undefined): void {
    this.#alarm?.cancel();
    this.#alarm = atMs === undefined ? undefined : this.#clock.wakeAt(atMs, () => this.#inbox.put('look'));
  }
}

function endsPostStart(seen: Observation): boolean {
  return seen.type === 'hookReturned' && seen.hook === 'postStart';
}
