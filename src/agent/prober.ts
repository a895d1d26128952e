import {
  PROBE_TYPES,
  type ProbedContainer,
  type ProbedPod,
  type ProbeType,
  probeOf,
} from '../lifecycle/probes/probe.ts';
import type { PlannedProbe } from '../lifecycle/activity.ts';
import type { ProbeOutcome } from '../lifecycle/probes/probe-outcome.ts';
import { type ProbeFacts, type ProbeNews, type ProberDeps, ProbeTimer } from './probe/timer.ts';

export type { ProbedContainer, ProbeNews, ProbeOutcome, ProberDeps, ProbeType };

/** What the prober must know of a Pod at this moment. */
export interface ProberView extends ProbedPod {
  readonly containers: readonly ProbedContainer[];
}

/**
 * The probes of one Pod. It is told what the Pod looks like at every change, and probes on its own in between.
 * Source: pkg/kubelet/prober/prober_manager.go.
 */
export class Prober {
  readonly #deps: ProberDeps;
  readonly #timers = new Map<string, ProbeTimer>();
  #closed = false;

  constructor(deps: ProberDeps) {
    this.#deps = deps;
  }

  /** Level-triggered: being told the same twice changes nothing. */
  update(view: ProberView): void {
    for (const seen of view.containers) {
      for (const type of PROBE_TYPES) {
        const probe = probeOf(seen.container, type);
        if (probe !== undefined && !this.#closed) this.#updateOne(type, { pod: view, seen, probe });
      }
    }
  }

  /** The probes that go on at the moment. */
  get plans(): PlannedProbe[] {
    return [...this.#timers.values()].flatMap((timer) => timer.plan ?? []);
  }

  /** Stops probing for good; probes that are under way are aborted. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers.values()) timer.close();
    this.#timers.clear();
  }

  #updateOne(type: ProbeType, facts: ProbeFacts): void {
    const key = `${type} ${facts.seen.container.name}`;
    let timer = this.#timers.get(key);
    if (timer === undefined) {
      // A Pod that goes down gets no new timers; those it has go on as long as they have something to do.
      if (facts.pod.terminating || facts.pod.finished) return;
      timer = new ProbeTimer(this.#deps, type, facts);
      this.#timers.set(key, timer);
    } else if (timer.knows(facts)) return;
    if (timer.update(facts) !== 'exit') return;
    timer.close();
    this.#timers.delete(key);
  }
}
