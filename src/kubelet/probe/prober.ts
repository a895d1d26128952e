import {
  type PlannedProbe,
  PROBE_TYPES,
  type ProbedContainer,
  type ProbedPod,
  probeOf,
  type ProbeOutcome,
  type ProbeType,
} from '../../lifecycle/index.ts';
import { type ProbeFacts, type ProbeNews, type ProberDeps, ProbeTimer } from './timer.ts';

export type { ProbedContainer, ProbeNews, ProbeOutcome, ProberDeps, ProbeType };

/** The facts of a Pod that the prober needs. */
export interface ProberView extends ProbedPod {
  readonly containers: readonly ProbedContainer[];
}

/**
 * The probes of one Pod. `update` tells the prober of each change; in between it probes on its own.
 * Source: pkg/kubelet/prober/prober_manager.go.
 */
export class Prober {
  readonly #deps: ProberDeps;
  readonly #timers = new Map<string, ProbeTimer>();
  #closed = false;

  constructor(deps: ProberDeps) {
    this.#deps = deps;
  }

  /** Updates the timers. Level-triggered: the same view twice changes nothing. */
  update(view: ProberView): void {
    for (const seen of view.containers) {
      for (const type of PROBE_TYPES) {
        const probe = probeOf(seen.container, type);
        if (probe !== undefined && !this.#closed) this.#updateOne(type, { pod: view, seen, probe });
      }
    }
  }

  get plans(): PlannedProbe[] {
    return [...this.#timers.values()].flatMap((timer) => timer.plan ?? []);
  }

  /** Stops probing for good, and aborts running probes. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers.values()) timer.close();
    this.#timers.clear();
  }

  #updateOne(type: ProbeType, facts: ProbeFacts): void {
    const key = `${type} ${facts.seen.container.name}`;
    let timer = this.#timers.get(key);
    if (timer === undefined) {
      // A terminating Pod gets no new timers. Its present timers continue while they are needed.
      if (facts.pod.stage !== 'running') return;
      timer = new ProbeTimer(this.#deps, type, facts);
      this.#timers.set(key, timer);
    } else if (timer.knows(facts)) return;
    if (timer.update(facts) !== 'exit') return;
    timer.close();
    this.#timers.delete(key);
  }
}
