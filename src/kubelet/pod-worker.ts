import { inBackground, tellDefect } from '../defects.ts';
import {
  type Instant,
  isSameJson,
  isTerminalPhase,
  type PodStatus,
  type StoredPod,
  type TerminalPhase,
} from '../api/index.ts';
import type { Alarm, Clock } from '../clock.ts';
import {
  type Effect,
  type EventDraft,
  type FoundInstance,
  isFinished,
  mergeStatus,
  NEW_POD,
  type NodeEviction,
  type Observation,
  observe,
  type PlannedProbe,
  podActivity,
  type PodActivity,
  type PodFacts,
  podGraceSeconds,
  podStatus,
  type Restoration,
  type Step,
  sync,
  type SyncConfig,
} from '../lifecycle/index.ts';
import { Inbox } from './inbox.ts';

/** Carries out the effects of a plan and reports the results. One for each Pod. */
export interface EffectRunner {
  /** Resumes the work of a former agent: its sandbox and these instances exist. */
  resume(pod: StoredPod, instances: readonly FoundInstance[]): void;
  perform(pod: StoredPod, effect: Exclude<Effect, { type: 'event' | 'finish' }>): void;
  /** Called after every step with the facts for the probes. */
  follow(pod: StoredPod, facts: PodFacts): void;
  /** The planned probes. */
  readonly probes: readonly PlannedProbe[];
  /** Stops everything: the Pod has finished. */
  close(): void;
  /** Kills everything, whatever state it is in. Settles when nothing is left. Never rejects. */
  abandon(pod: StoredPod): Promise<unknown>;
}

/** Takes the results of effects. */
export interface EffectReport {
  observed(seen: Observation): void;
  event(pod: StoredPod, draft: EventDraft): void;
  /** Takes the defect of a step that the Pod waits for. */
  failed(defect: unknown): void;
}

/** Takes the results of a worker. */
export interface PodReport {
  /**
   * Stores the status of the Pod. Returns the stored Pod, in which other clients may have changed the spec or
   * conditions.
   */
  saveStatus(status: PodStatus): StoredPod;
  /** Called after the worker has taken the answer of `saveStatus`. */
  saved(): void;
  /** Records events in this order. */
  events(pod: StoredPod, drafts: readonly EventDraft[]): void;
  /** Called when everything of the Pod has ended. */
  finished(): void;
  /** Called when everything of the Pod was killed because of a defect. */
  broken(defect: unknown): void;
}

/** The way in which a run is ended. */
export interface HowToEnd {
  /** Kill everything now. */
  readonly force: boolean;
  /** Undefined: the Pod's own grace period. */
  readonly graceSeconds?: number;
  /** Also cut a running postStart hook short. Otherwise the worker waits for it. */
  readonly breaksOffHook?: boolean;
}

/**
 * The end of a Pod whose object was removed by force: the shortest grace period, one second for the preStop hook and
 * two for the stop signal. Source: pod_workers.go calculateEffectiveGracePeriod.
 */
export const BY_FORCE: HowToEnd = { force: false, graceSeconds: 1, breaksOffHook: true };

export interface PodWorkerOptions {
  readonly pod: StoredPod;
  readonly clock: Clock;
  /** The settings of a sync. Called again after each change of the object. */
  readonly config: (pod: StoredPod) => SyncConfig;
  readonly hostIP: string;
  /** The facts of a former agent's Pod. Undefined: the Pod is new. */
  readonly restoration?: Restoration | undefined;
  readonly report: PodReport;
  readonly effects: (report: EffectReport) => EffectRunner;
}

/**
 * The loop of one Pod: an observation is applied, the status is published, a plan is made and carried out.
 * Level-triggered and serial: each observation has a status and a plan of its own, so no state is skipped, and a
 * repeated or late observation changes nothing. Only the same observation of several containers at the same moment (all
 * started, all exited or all gone) shares a step.
 */
export class PodWorker implements EffectReport {
  #pod: StoredPod;
  /** The status in the store: this agent's last write, with later changes of other clients. */
  #storedStatus: PodStatus;
  #facts: PodFacts;
  readonly #clock: Clock;
  readonly #configFor: (pod: StoredPod) => SyncConfig;
  #config: SyncConfig;
  readonly #hostIP: string;
  readonly #report: PodReport;
  readonly #effects: EffectRunner;
  readonly #inbox: Inbox;
  #alarm: Alarm | undefined;
  /** The defect because of which the Pod ends. */
  #defect: unknown;

  constructor({ pod, clock, config, hostIP, restoration, report, effects }: PodWorkerOptions) {
    this.#pod = pod;
    this.#facts = restoration?.facts ?? NEW_POD;
    this.#storedStatus = pod.status;
    this.#clock = clock;
    this.#inbox = new Inbox(clock, (seen) => this.#handleOrFail(seen));
    this.#configFor = config;
    this.#config = config(pod);
    this.#hostIP = hostIP;
    this.#report = report;
    this.#effects = effects(this);
    if (restoration?.facts.sandbox === 'ready') this.#effects.resume(pod, restoration.adopted);
  }

  /** The Pod as this agent knows it. */
  get pod(): StoredPod {
    return this.#pod;
  }

  /** The next step of the Pod. */
  get activity(): PodActivity {
    return podActivity(this.#pod, this.#facts, this.#effects.probes);
  }

  start(): void {
    this.#lookOrTerminate();
  }

  /**
   * Starts the loop. A deletion that was under way at the end of a former agent gets its full grace period again.
   * Source: pkg/kubelet/pod_workers.go calculateEffectiveGracePeriod.
   */
  #lookOrTerminate(): void {
    if (this.#pod.metadata.deletionTimestamp === undefined) return this.#inbox.put('look');
    const graceSeconds = podGraceSeconds(this.#pod, undefined);
    this.#inbox.put({ type: 'terminate', cause: 'deleted', graceSeconds, force: false });
  }

  observed(seen: Observation): void {
    this.#inbox.putInTurn(seen);
  }

  event(pod: StoredPod, draft: EventDraft): void {
    this.#report.events(pod, [draft]);
  }

  /** Takes a change by another writer: of the spec, the metadata, or a condition that the kubelet does not own. */
  objectChanged(pod: StoredPod): void {
    if (isFinished(this.#facts) || pod.metadata.uid !== this.#pod.metadata.uid) return;
    this.#storedStatus = pod.status;
    // The agent owns the rest of the status: its next write overwrites the changes of other clients.
    this.#pod = { ...pod, status: mergeStatus(pod.status, this.#pod.status) };
    this.#config = this.#configFor(pod);
    this.#lookOrTerminate();
  }

  /**
   * Ends the run without deleting the Pod. `graceSeconds` replaces the Pod's own grace period; `force` kills everything
   * now.
   */
  terminate({ force, graceSeconds: wanted, breaksOffHook = false }: HowToEnd): void {
    if (isFinished(this.#facts)) return;
    const graceSeconds = podGraceSeconds(this.#pod, force ? 0 : wanted);
    this.#inbox.put({ type: 'terminate', cause: 'ended', graceSeconds, force, breaksOffHook });
  }

  /** Evicts the Pod because its node lacks memory or disk space. */
  evict(eviction: NodeEviction): void {
    this.#inbox.put({ type: 'evicted', eviction });
  }

  /**
   * Restarts containers in place, at once.
   * @param isByUser true: a user asks for it; default: the files that they run have changed
   */
  restart(containers: readonly string[], isByUser?: boolean): void {
    this.#inbox.put({ type: 'restart', containers, isByUser });
  }

  /**
   * Ends the Pod because of a defect in a step that it waits for: it would wait for ever. The defect is reported once.
   * Everything is killed, and nothing more is observed or planned, since that may be what has failed.
   */
  failed(defect: unknown): void {
    if (defect === this.#defect) return;
    tellDefect(defect);
    if (isFinished(this.#facts)) return;
    this.#defect = defect;
    this.#facts = { ...this.#facts, sandbox: 'finished' };
    this.#alarm?.cancel();
    inBackground(this.#effects.abandon(this.#pod).then(() => this.#report.broken(defect)));
  }

  /** Kills everything, as the crash of its node does. Nothing is reported. Resolves when all of it is gone. */
  async crash(): Promise<void> {
    if (isFinished(this.#facts)) return;
    this.#facts = { ...this.#facts, sandbox: 'finished' };
    this.#alarm?.cancel();
    await this.#effects.abandon(this.#pod);
  }

  #handleOrFail(seen: readonly Observation[]): void {
    try {
      this.#handle(seen);
    } catch (error) {
      this.failed(error);
    }
  }

  /** @param seen the observations of one step; none: the Pod is planned again */
  #handle(seen: readonly Observation[]): void {
    if (isFinished(this.#facts)) return;
    const now = this.#clock.now();
    const observed = this.#observeAll(seen, now);
    if (seen.some(endsPostStart)) return this.#planAfterPostStart(observed, now);
    if (seen.length > 0) this.#take(observed);
    if (isFinished(this.#facts)) return;
    const plan = sync(this.#pod, this.#facts, this.#config, now);
    const isNew = plan.facts !== this.#facts || plan.effects.length > 0;
    // The observations are published already: a plan without effects has nothing new.
    if (seen.length === 0 || isNew) this.#take(plan);
    this.#setAlarm(plan.wakeAtMs);
  }

  /**
   * Plans in the same step as the end of a postStart hook. The sync that ran the hook publishes nothing: the next one
   * checks the deadline first.
   * Source: pkg/kubelet/kubelet.go SyncPod.
   */
  #planAfterPostStart(observed: Step, now: Instant): void {
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

  /** Publishes a step, then carries out its effects: readers see a state before its consequences. */
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

  /** Stores the status. The answer may hold a new condition of another writer, on which Ready may depend. */
  #publish(): void {
    for (;;) {
      const status = podStatus(this.#pod, this.#facts, this.#hostIP, this.#clock.now());
      if (isSameJson(status, this.#storedStatus)) return;
      this.#pod = this.#withSameSpec(this.#report.saveStatus(status));
      this.#storedStatus = this.#pod.status;
      this.#report.saved();
      if (isSameJson(status, this.#storedStatus)) return;
      const { phase } = this.#storedStatus;
      if (isTerminalPhase(phase) && !isTerminalPhase(status.phase)) this.#endAs(phase);
    }
  }

  /** Keeps the spec object while its generation is the same, so that values cached by spec stay valid. */
  #withSameSpec(pod: StoredPod): StoredPod {
    const { metadata, spec } = this.#pod;
    return pod.metadata.generation === metadata.generation ? { ...pod, spec } : pod;
  }

  /** Ends the Pod because another writer has set a terminal phase. Source: pkg/kubelet/pod_workers.go UpdatePod. */
  #endAs(phase: TerminalPhase): void {
    const request = { type: 'terminate', cause: 'ended', force: false, phase } as const;
    const graceSeconds = podGraceSeconds(this.#pod, undefined);
    this.#facts = observe(this.#pod, this.#facts, { ...request, graceSeconds }, this.#clock.now()).facts;
    this.#inbox.put('look');
  }

  #finish(): void {
    this.#alarm?.cancel();
    this.#effects.close();
    this.#report.finished();
  }

  #setAlarm(atMs: number | undefined): void {
    this.#alarm?.cancel();
    this.#alarm = atMs === undefined ? undefined : this.#clock.wakeAt(atMs, () => this.#inbox.putInTurn('look'));
  }
}

function endsPostStart(seen: Observation): boolean {
  return seen.type === 'hookReturned' && seen.hook === 'postStart';
}
