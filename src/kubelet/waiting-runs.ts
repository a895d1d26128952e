import { type Alarm, type Clock, inTurn, isTurnSpent } from '../clock.ts';
import { type ClusterEvent, type HintFacts, SchedulingQueue } from '../lifecycle/index.ts';
import type { PodRun } from './pod-run.ts';

/** The runs of Pods that wait for a node, in the queue of the scheduler. Thousands may wait. */
export class WaitingRuns {
  readonly #clock: Clock;
  readonly #queue: SchedulingQueue;
  readonly #attempt: (run: PodRun) => void;
  /** By uid. */
  readonly #runs = new Map<string, PodRun>();
  #isTrying = false;
  /** Rings when a Pod is to be tried although nothing has happened. */
  #alarm: { readonly atMs: number; readonly alarm: Alarm } | undefined;

  /** @param attempt tries to place a Pod. One that is not placed is still waiting then, and says why */
  constructor(clock: Clock, facts: HintFacts, attempt: (run: PodRun) => void) {
    this.#clock = clock;
    this.#queue = new SchedulingQueue(facts);
    this.#attempt = attempt;
  }

  get isEmpty(): boolean {
    return this.#runs.size === 0;
  }

  /** Tries to place a new Pod, after all Pods that come before it. */
  add(run: PodRun): void {
    this.#runs.set(run.pod.metadata.uid, run);
    this.#queue.add(run.pod);
    // A Pod with scheduling gates is not tried. It says so once.
    if (this.#queue.placeOf(run.pod.metadata.uid) === 'unschedulable') this.#attempt(run);
    this.#tryNext();
  }

  /** Forgets a Pod that has a node, or that is over. */
  remove({ pod }: PodRun): void {
    if (!this.#runs.delete(pod.metadata.uid)) return;
    this.#queue.remove(pod.metadata.uid, this.#nowMs);
    this.#tryNext();
  }

  /** Looks at a Pod that another writer has changed. */
  update({ pod }: PodRun): void {
    this.#queue.update(pod, this.#nowMs);
    this.#tryNext();
  }

  /** Tries the Pods that a change may help. */
  heard(event: ClusterEvent): void {
    if (this.isEmpty) return;
    this.#queue.heard(event, this.#nowMs);
    this.#tryNext();
  }

  /** The number of Pods that came before this one. */
  orderOf(uid: string): number | undefined {
    return this.#queue.orderOf(uid);
  }

  close(): void {
    this.#alarm?.alarm.cancel();
    this.#runs.clear();
  }

  /** Tries one Pod after the other, when the event loop has time for it. */
  #tryNext(): void {
    if (this.#isTrying || this.isEmpty) return;
    this.#isTrying = true;
    inTurn(this.#clock, () => {
      let isOver: boolean;
      do isOver = !this.#tryOne();
      while (!isOver && !isTurnSpent(this.#clock));
      this.#isTrying = false;
      if (isOver) this.#setAlarm();
      else this.#tryNext();
    });
  }

  /** Tries the next Pod. Returns false when there is none. */
  #tryOne(): boolean {
    const pod = this.#queue.pop(this.#nowMs);
    const run = pod && this.#runs.get(pod.metadata.uid);
    if (run === undefined) return false;
    this.#attempt(run);
    const { rejection } = run.scheduling;
    if (run.state === 'waiting' && rejection !== undefined) {
      this.#queue.failed(run.pod, rejection, this.#nowMs);
    } else this.remove(run);
    return true;
  }

  #setAlarm(): void {
    const atMs = this.#queue.nextMs;
    if (this.#alarm?.atMs === atMs) return;
    this.#alarm?.alarm.cancel();
    this.#alarm = undefined;
    if (atMs === undefined) return;
    const alarm = this.#clock.wakeAt(atMs, () => {
      this.#alarm = undefined;
      this.#queue.endRests(this.#nowMs);
      this.#tryNext();
    });
    this.#alarm = { atMs, alarm };
  }

  get #nowMs(): number {
    return this.#clock.now().monotonicMs;
  }
}
