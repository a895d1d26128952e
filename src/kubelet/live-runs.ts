import { isTerminalPhase, type StoredPod } from '../api/objects.ts';
import { isLaterReplica } from '../controllers/stateful-set/set-pods.ts';
import { priorityOf } from '../lifecycle/node/priority.ts';
import { resourcesKey } from '../lifecycle/node/resources-key.ts';
import type { PodRun } from './pod-run.ts';
import type { HowToEnd } from './pod-worker.ts';

/** The runs of an agent that are not over: the order in which the node takes them, and in which they end. */
export class LiveRuns {
  readonly #runs = new Set<PodRun>();
  /** Replicas of StatefulSets that end after a later one. */
  readonly #lastToEnd = new Map<PodRun, HowToEnd>();
  /** The resources that other Pods held when the run last did not fit. */
  readonly #unschedulable = new Map<PodRun, string>();
  /** The Pods on the node, kept while #schedule goes through the runs. */
  #placed: readonly StoredPod[] | undefined;

  add(run: PodRun): void {
    this.#runs.add(run);
  }

  /** Forgets a run that is over. Its resources go to waiting Pods. */
  remove(run: PodRun): void {
    this.#runs.delete(run);
    this.#unschedulable.delete(run);
    this.#lastToEnd.delete(run);
    this.#endNextReplicas();
    this.#schedule();
  }

  get isEmpty(): boolean {
    return this.#runs.size === 0;
  }

  /** The Pods that hold resources of the node. */
  placedBeside(run: PodRun | undefined): readonly StoredPod[] {
    if (this.#placed !== undefined) return this.#placed;
    const others = [...this.#runs].filter((other) => other !== run).map((other) => other.pod);
    return others.filter(({ spec, status }) => spec.nodeName !== undefined && !isTerminalPhase(status.phase));
  }

  /** Schedules the waiting Pods again: the node has changed. */
  nodeChanged(): void {
    this.#unschedulable.clear();
    this.#schedule();
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
    return [...this.#runs].some((other) => isLaterReplica(other.pod, pod));
  }

  /**
   * Offers free resources to the waiting Pods. Skips Pods that did not fit beside the same resources: thousands may
   * wait.
   */
  #schedule(): void {
    let held = this.#heldResources();
    const byPriority = (one: PodRun, other: PodRun): number => priorityOf(other.pod) - priorityOf(one.pod);
    for (const run of [...this.#runs].toSorted(byPriority)) {
      if (run.state !== 'waiting' || this.#unschedulable.get(run) === held) continue;
      run.begin();
      if (run.state === 'waiting') this.#unschedulable.set(run, held);
      else held = this.#heldResources();
    }
    this.#placed = undefined;
  }

  #heldResources(): string {
    this.#placed = undefined;
    this.#placed = this.placedBeside(undefined);
    return resourcesKey(this.#placed);
  }
}
