import { isTerminalPhase, type StoredPod } from '../api/index.ts';
import type { Clock } from '../clock.ts';
import {
  place,
  type Placement,
  type SchedulerFacts,
  type SchedulingEvent,
  type SchedulingRejection,
  type VolumeChoice,
} from '../lifecycle/index.ts';
import type { PodRunAgent } from './pod-run-agent.ts';

type Waits = Extract<Placement, { type: 'waits' }>;

/** The Pod that is scheduled, as its scheduling sees it. */
export interface ScheduledPod {
  readonly pod: StoredPod;
  /** Binds claims of the Pod to volumes, and the Pod to a node, in the store. */
  bind(nodeName: string, volumes: readonly VolumeChoice[]): void;
  /** Records an event of the scheduler. */
  tellDecision(event: SchedulingEvent): void;
  /** Publishes that the Pod waits. */
  tellWait(wait: Waits): void;
}

interface SchedulingOptions {
  readonly clock: Clock;
  readonly facts: () => SchedulerFacts;
  readonly preempt: PodRunAgent<unknown>['preempt'];
  readonly pod: ScheduledPod;
}

/** The attempts to place one Pod. */
export class PodScheduling {
  readonly #options: SchedulingOptions;
  /** The reason why the last attempt has not placed the Pod. Undefined: there was none, or it was placed. */
  rejection: SchedulingRejection | undefined;

  constructor(options: SchedulingOptions) {
    this.#options = options;
  }

  /** Binds the Pod when the scheduler finds room for it. The kubelet then decides, beside the same Pods. */
  attempt(): Placement {
    const { pod, clock } = this.#options;
    this.rejection = undefined;
    const facts = { ...this.#options.facts(), now: clock.now() };
    const placement = place(pod.pod, facts);
    if (placement.type !== 'binds') return placement;
    pod.bind(placement.nodeName, placement.volumes);
    pod.tellDecision(placement.event);
    return place(pod.pod, facts);
  }

  /** Publishes that the Pod waits. The Pods of lower priority that make room for it go first. */
  leavePending(placement: Waits): void {
    const { pod, preempt } = this.#options;
    const { preempts } = placement;
    this.rejection = placement.rejection;
    if (preempts === undefined) pod.tellWait(placement);
    else preempt(preempts, pod.pod, () => pod.tellWait(placement));
  }
}

/** True for a Pod whose next step is the scheduler's. */
export function isUnplaced({ metadata, spec, status }: StoredPod): boolean {
  return spec.nodeName === undefined && metadata.deletionTimestamp === undefined && !isTerminalPhase(status.phase);
}
