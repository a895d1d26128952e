import { controllerOf, isTerminalPhase, type StoredPod } from '../api/index.ts';
import type { Clock } from '../clock.ts';
import { isLaterReplica } from '../controllers/index.ts';
import { type ClusterEvent, type HintFacts, nodeChanges, type SchedulingNode } from '../lifecycle/index.ts';
import type { PodRun } from './pod-run.ts';
import type { HowToEnd } from './pod-worker.ts';
import { WaitingRuns } from './waiting-runs.ts';

/** The runs of an agent that are not over: the order in which nodes take them, and in which they end. */
export class LiveRuns {
  readonly #runs = new Set<PodRun>();
  /** The runs of Pods that are bound to a node, and these Pods as the scheduler last heard of them. */
  readonly #bound = new Map<PodRun, StoredPod>();
  /** The runs of Pods that wait until preempted Pods have gone, and the node that they wait for. */
  readonly #nominated = new Map<PodRun, string>();
  /** Replicas of StatefulSets that end after a later one. */
  readonly #lastToEnd = new Map<PodRun, HowToEnd>();
  readonly #waiting: WaitingRuns;
  /** The nodes as the scheduler last heard of them. */
  #nodes: readonly SchedulingNode[] = [];

  constructor(clock: Clock, facts: HintFacts) {
    this.#waiting = new WaitingRuns(clock, facts, (run) => this.#attempt(run));
  }

  add(run: PodRun): void {
    const { spec, status } = run.pod;
    this.#runs.add(run);
    if (spec.nodeName !== undefined) this.#bound.set(run, run.pod);
    else if (status.nominatedNodeName !== undefined) this.#nominated.set(run, status.nominatedNodeName);
  }

  /** Notes that a run waits for preempted Pods of a node. */
  nominate(run: PodRun, nodeName: string): void {
    this.#nominated.set(run, nodeName);
  }

  /** Notes that a node has taken a Pod. */
  placed(run: PodRun): void {
    this.#bound.set(run, run.pod);
    this.#nominated.delete(run);
    this.#waiting.remove(run);
    this.heard({ kind: 'Pod', after: run.pod });
  }

  /** Begins a run: at once with a node, and else when the scheduler has found one. */
  begin(run: PodRun): void {
    if (run.pod.spec.nodeName === undefined) this.#waiting.add(run);
    else run.begin();
  }

  #attempt(run: PodRun): void {
    run.begin();
    if (run.state === 'waiting') this.#lookAtNomination(run);
  }

  /** A run that waits for no preempted Pods any more leaves their room to other Pods. */
  #lookAtNomination(run: PodRun): void {
    const nodeName = this.#nominated.get(run);
    if (nodeName === undefined || run.pod.status.nominatedNodeName !== undefined) return;
    this.#nominated.delete(run);
    this.#freeNomination(run, nodeName);
  }

  #freeNomination({ pod }: PodRun, nominatedNodeName: string): void {
    this.heard({ kind: 'Pod', before: { ...pod, status: { ...pod.status, nominatedNodeName } } });
  }

  /** Notes that a Pod has changed. Waiting Pods may fit now: this Pod, or Pods beside it. */
  changed(run: PodRun): void {
    const before = this.#bound.get(run);
    if (before !== undefined) {
      this.#bound.set(run, run.pod);
      this.heard({ kind: 'Pod', before, after: run.pod });
    } else {
      this.#lookAtNomination(run);
      this.#waiting.update(run);
    }
  }

  /** Tries waiting Pods again that a change may help. */
  heard(event: ClusterEvent): void {
    this.#waiting.heard(event);
  }

  /** Forgets a run that is over. Its resources go to waiting Pods. */
  remove(run: PodRun): void {
    const before = this.#bound.get(run);
    const nominatedNodeName = this.#nominated.get(run);
    this.#runs.delete(run);
    this.#bound.delete(run);
    this.#nominated.delete(run);
    this.#lastToEnd.delete(run);
    this.#waiting.remove(run);
    this.#endNextReplicas();
    if (before !== undefined) this.heard({ kind: 'Pod', before });
    else if (nominatedNodeName !== undefined) this.#freeNomination(run, nominatedNodeName);
  }

  get isEmpty(): boolean {
    return this.#runs.size === 0;
  }

  /** The Pods that hold resources of the node. */
  placedBeside(run: PodRun | undefined): readonly StoredPod[] {
    const others = [...this.#bound.keys()].filter((other) => other !== run).map((other) => other.pod);
    return others.filter(({ status }) => !isTerminalPhase(status.phase));
  }

  /** The Pods that wait until preempted Pods have gone. */
  nominatedBeside(run: PodRun | undefined): readonly StoredPod[] {
    return [...this.#nominated.keys()].filter((other) => other !== run).map(({ pod }) => pod);
  }

  /** Takes the nodes as they are now. */
  setNodes(nodes: readonly SchedulingNode[]): void {
    const before = this.#nodes;
    this.#nodes = nodes;
    if (!this.#waiting.isEmpty) for (const change of nodeChanges(before, nodes)) this.heard(change);
    // The node that a Pod names may have come.
    for (const run of this.#bound.keys()) if (run.state === 'waiting') run.begin();
  }

  /** The number of Pods that came to the scheduler before a Pod that waits. */
  orderOf({ pod }: PodRun): number | undefined {
    return this.#waiting.orderOf(pod.metadata.uid);
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

  close(): void {
    this.#waiting.close();
  }
}
