import { controllerOf, isTerminalPhase, type StoredPod } from '../api/index.ts';
import { type Clock, inTurn } from '../clock.ts';
import { isLaterReplica } from '../controllers/index.ts';
import { priorityOf, resourcesKey } from '../lifecycle/index.ts';
import type { PodRun } from './pod-run.ts';
import type { HowToEnd } from './pod-worker.ts';

/** The runs of an agent that are not over: the order in which the node takes them, and in which they end. */
export class LiveRuns {
  readonly #runs = new Set<PodRun>();
  /** The runs of Pods that are bound to a node: few, beside thousands that may wait. */
  readonly #bound = new Set<PodRun>();
  /** The runs of Pods that wait until preempted Pods have gone. */
  readonly #nominated = new Set<PodRun>();
  /** Replicas of StatefulSets that end after a later one. */
  readonly #lastToEnd = new Map<PodRun, HowToEnd>();
  /** The resources that other Pods held when the run last did not fit. */
  readonly #unschedulable = new Map<PodRun, string>();
  readonly #clock: Clock;
  /** The number of times that other agents may have freed resources. */
  readonly #freedByOthers: () => number;
  /** The runs that free resources are being offered to. */
  #offered: readonly PodRun[] = [];

  constructor(clock: Clock, freedByOthers: () => number = () => 0) {
    this.#clock = clock;
    this.#freedByOthers = freedByOthers;
  }

  add(run: PodRun): void {
    this.#runs.add(run);
    if (run.pod.spec.nodeName !== undefined) this.#bound.add(run);
    else if (run.pod.status.nominatedNodeName !== undefined) this.#nominated.add(run);
  }

  /** Notes that a run waits for preempted Pods. */
  nominate(run: PodRun): void {
    this.#nominated.add(run);
  }

  /** Notes that a node has taken a Pod. */
  placed(run: PodRun): void {
    this.#bound.add(run);
    this.#nominated.delete(run);
  }

  /** Begins a run. One that waits is not begun again beside the same resources. */
  begin(run: PodRun): void {
    const held = this.#keyBeside(run);
    run.begin();
    if (run.state !== 'waiting') return;
    this.#unschedulable.set(run, held);
    // It waits for no preempted Pod any more: its room is free again.
    if (run.pod.status.nominatedNodeName === undefined && this.#nominated.delete(run)) this.schedule();
  }

  /** Forgets a run that is over. Its resources go to waiting Pods. */
  remove(run: PodRun): void {
    const hasFreed = [this.#bound.delete(run), this.#nominated.delete(run)].includes(true);
    this.#runs.delete(run);
    this.#unschedulable.delete(run);
    this.#lastToEnd.delete(run);
    this.#endNextReplicas();
    if (hasFreed) this.schedule();
  }

  get isEmpty(): boolean {
    return this.#runs.size === 0;
  }

  /** The Pods that hold resources of the node. */
  placedBeside(run: PodRun | undefined): readonly StoredPod[] {
    const others = [...this.#bound].filter((other) => other !== run).map((other) => other.pod);
    return others.filter(({ status }) => !isTerminalPhase(status.phase));
  }

  /** The Pods that wait until preempted Pods have gone. */
  nominatedBeside(run: PodRun): readonly StoredPod[] {
    return [...this.#nominated].filter((other) => other !== run).map(({ pod }) => pod);
  }

  /** Schedules the waiting Pods again: the node has changed. */
  nodeChanged(): void {
    this.#unschedulable.clear();
    this.schedule();
  }

  /** Ends all runs. The replicas of a StatefulSet end one after the other, the last one first. */
  terminate(how: HowToEnd): void {
    for (const run of this.#runs) {
      if (!how.force && this.#hasLaterReplica(run)) this.#lastToEnd.set(run, how);
      else run.terminate(how);
    }
  }

  #endNextReplicas(): void {
    for (const [run, how] of this.#lastToEnd) {
      if (this.#hasLaterReplica(run)) continue;
      this.#lastToEnd.delete(run);
      run.terminate(how);
    }
  }

  #hasLaterReplica({ pod }: PodRun): boolean {
    if (controllerOf(pod)?.kind !== 'StatefulSet') return false;
    return [...this.#runs].some((other) => isLaterReplica(other.pod, pod));
  }

  /**
   * Offers free resources to the waiting Pods. Skips Pods that did not fit beside the same resources: thousands may
   * wait.
   */
  schedule(): void {
    const byPriority = (one: PodRun, other: PodRun): number => priorityOf(other.pod) - priorityOf(one.pod);
    const offered = [...this.#runs].filter(({ state }) => state === 'waiting').toSorted(byPriority);
    this.#offered = offered;
    for (const run of offered) {
      inTurn(this.#clock, () => {
        // A later pass offers them again.
        if (this.#offered === offered && run.state === 'waiting') this.#offer(run);
      });
    }
  }

  #offer(run: PodRun): void {
    if (this.#unschedulable.get(run) !== this.#keyBeside(run)) this.begin(run);
  }

  #keyBeside(run: PodRun): string {
    const held = [...this.placedBeside(run), ...this.nominatedBeside(run)];
    return `${this.#freedByOthers()} ${resourcesKey(run.pod, held)}`;
  }
}
