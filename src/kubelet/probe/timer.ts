import { inBackground } from '../../defects.ts';
import type { Container, Probe } from '../../api/index.ts';
import type { Alarm, Clock } from '../../clock.ts';
import {
  awaitsReadiness,
  countOutcome,
  countsAsSuccess,
  type EventDraft,
  type FinishedProbe,
  NEW_PROBE_WORKER,
  nextProbeStep,
  outcomeEvent,
  type PlannedProbe,
  probeAttempt,
  type ProbeAttempt,
  type ProbedContainer,
  probeDecision,
  type ProbedPod,
  probeNumbers,
  type ProbeOutcome,
  type ProbeStep,
  type ProbeType,
  type ProbeVerdict,
  type ProbeWorker,
  tickMs,
} from '../../lifecycle/index.ts';
import { ProbeAbort } from './input.ts';

/** The number of attempts of a probe that returns an error, before the next tick. */
const TRIES_MAX = 3;

/** A result that is new for this instance: its threshold was reached. */
export interface ProbeNews {
  readonly container: string;
  readonly instanceId: string;
  readonly type: ProbeType;
  readonly success: boolean;
}

export interface ProberDeps {
  readonly clock: Clock;
  /** Runs a probe once. Never rejects. The outcome is ignored after the abort. */
  readonly probe: (container: Container, type: ProbeType, probe: Probe, abort: ProbeAbort) => Promise<ProbeOutcome>;
  /** Called with a new result. May call `update`. */
  readonly onResult: (news: ProbeNews) => void;
  readonly onEvent: (event: EventDraft) => void;
  /** Called after each run of a probe, for the journal. */
  readonly onAttempt: (attempt: ProbeAttempt) => void;
  /** Called with the error of a probe that could not be run: the timer stops. */
  readonly onDefect: (defect: unknown) => void;
}

/** The facts of the last update. */
export interface ProbeFacts {
  readonly pod: ProbedPod;
  readonly seen: ProbedContainer;
  readonly probe: Probe;
}

/**
 * Runs one probe of one container when it is due: at the ticks of a period that begins with the timer, and at once when
 * the status waits for the result. lifecycle/probes decides; this class has the alarm and the running probe.
 */
export class ProbeTimer {
  readonly #deps: ProberDeps;
  readonly #type: ProbeType;
  #facts: ProbeFacts;
  #worker: ProbeWorker = NEW_PROBE_WORKER;
  #step: ProbeStep = { type: 'wait' };
  /** The time of the first tick. */
  #originMs: number;
  /** The next tick is the first one after this. A tick during a long probe is made up for once. */
  #afterMs: number;
  #awaited = false;
  #triggered = false;
  #alarm: Alarm | undefined;
  #dueMs: number | undefined;
  #underWay: ProbeAbort | undefined;

  constructor(deps: ProberDeps, type: ProbeType, facts: ProbeFacts) {
    this.#deps = deps;
    this.#type = type;
    this.#facts = facts;
    this.#originMs = this.#nowMs();
    this.#afterMs = this.#originMs;
  }

  /** True when nothing has changed for this container since the last update. */
  knows({ pod, seen, probe }: ProbeFacts): boolean {
    const known = this.#facts;
    return probe === known.probe && pod.stage === known.pod.stage && isSame(seen, known.seen);
  }

  /** Updates the timer. Returns `exit` when the timer is not needed any more. */
  update(facts: ProbeFacts): ProbeStep['type'] {
    this.#facts = facts;
    const before = this.#worker;
    const wasProbing = this.#step.type === 'probe';
    const { worker, step, publish } = nextProbeStep(before, this.#type, facts.pod, facts.seen);
    this.#worker = worker;
    this.#step = step;
    const isNewInstance = worker.instanceId !== before.instanceId;
    if (isNewInstance || step.type !== 'probe') this.#abort();
    if (isNewInstance || !wasProbing) this.#afterMs = this.#nowMs();
    const awaited = awaitsReadiness(this.#type, facts.seen);
    if (awaited && (isNewInstance || !this.#awaited)) this.#triggered = true;
    this.#awaited = awaited;
    this.#arm();
    this.#publish(publish);
    return step.type;
  }

  /** The time of the next run, and the counted results. Undefined: no probe is due at the moment. */
  get plan(): PlannedProbe | undefined {
    if (this.#step.type !== 'probe') return undefined;
    const { seen, probe } = this.#facts;
    const { lastOutcome, run } = this.#worker;
    const { successThreshold, failureThreshold } = probeNumbers(probe);
    const dueMs = this.#underWay === undefined ? this.#dueMs : undefined;
    return {
      container: seen.container.name,
      type: this.#type,
      dueMs,
      lastOutcome,
      run,
      successThreshold,
      failureThreshold,
    };
  }

  /** Stops for good, and aborts a running probe. */
  close(): void {
    this.#step = { type: 'exit' };
    this.#abort();
    this.#alarm?.cancel();
  }

  #nowMs(): number {
    return this.#deps.clock.now().monotonicMs;
  }

  /** Sets the alarm for the next probe, or starts the probe if it is due. */
  #arm(): void {
    this.#alarm?.cancel();
    if (this.#underWay !== undefined || this.#step.type !== 'probe') return;
    const { notBeforeMs } = this.#step;
    if (this.#triggered) {
      this.#triggered = false;
      this.#originMs = this.#nowMs();
      this.#afterMs = this.#originMs;
      if (notBeforeMs <= this.#originMs) {
        this.#start();
        return;
      }
    }
    const ticks = { originMs: this.#originMs, periodMs: probeNumbers(this.#facts.probe).periodSeconds * 1000 };
    this.#dueMs = tickMs(ticks, this.#afterMs, notBeforeMs);
    this.#alarm = this.#deps.clock.wakeAt(this.#dueMs, () => this.#start());
  }

  #start(): void {
    const underWay = new ProbeAbort();
    this.#underWay = underWay;
    this.#afterMs = this.#nowMs();
    inBackground(this.#probe(underWay).catch(this.#deps.onDefect));
  }

  async #probe(underWay: ProbeAbort): Promise<void> {
    for (let tries = 1; ; tries++) {
      const finished = await this.#probeOnce(underWay);
      // The probe was aborted: its outcome belongs to an earlier instance or step.
      if (this.#underWay !== underWay) return this.#note(finished, { ...this.#worker, decision: 'abandoned' });
      if (finished.outcome.result !== 'error' || tries === TRIES_MAX) return this.#finish(finished);
      this.#note(finished, { ...this.#worker, decision: 'retry' });
    }
  }

  async #probeOnce(abort: ProbeAbort): Promise<FinishedProbe> {
    const { seen, probe } = this.#facts;
    const began = this.#deps.clock.now();
    const outcome = await this.#deps.probe(seen.container, this.#type, probe, abort);
    return { type: this.#type, probe, seen, began, durationMs: this.#nowMs() - began.monotonicMs, outcome };
  }

  #finish(finished: FinishedProbe): void {
    this.#underWay = undefined;
    const { pod, seen, probe } = this.#facts;
    const { outcome } = finished;
    const success = countsAsSuccess(outcome);
    let publish: boolean | undefined;
    let verdict: ProbeVerdict;
    if (success === undefined) verdict = { ...this.#worker, decision: 'notCounted' };
    else {
      const counted = countOutcome(this.#worker, this.#type, probe, success);
      ({ worker: this.#worker, publish } = counted);
      const { lastOutcome } = this.#worker;
      verdict = { lastOutcome, run: counted.run, decision: probeDecision(this.#type, publish, seen) };
      this.#step = nextProbeStep(this.#worker, this.#type, pod, seen).step;
    }
    this.#arm();
    this.#note(finished, verdict);
    const event = outcomeEvent(seen.container.name, this.#type, outcome);
    if (event !== undefined) this.#deps.onEvent(event);
    this.#publish(publish);
  }

  #note(finished: FinishedProbe, verdict: ProbeVerdict): void {
    this.#deps.onAttempt(probeAttempt(finished, verdict));
  }

  /** Publishes a result. Must come last: the listener may call `update` at once. */
  #publish(success: boolean | undefined): void {
    const { instanceId } = this.#worker;
    if (success === undefined || instanceId === undefined) return;
    this.#deps.onResult({ container: this.#facts.seen.container.name, instanceId, type: this.#type, success });
  }

  #abort(): void {
    this.#underWay?.abort();
    this.#underWay = undefined;
  }
}

function isSame(one: ProbedContainer, other: ProbedContainer): boolean {
  return (Object.keys(one) as (keyof ProbedContainer)[]).every((key) => one[key] === other[key]);
}
