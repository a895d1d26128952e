import { caught, tellDefect } from '../../defects.ts';
import type { StoredPod } from '../../api/index.ts';
import type { PodActivity, Root, RunRecord } from '../../lifecycle/index.ts';
import { ApplyRun, type RunEnds } from './apply-run.ts';

/** The way to end a run. */
export interface HowToEndRun {
  /** True: kills everything now. */
  readonly force: boolean;
  /** Replaces the Pods' own grace periods. */
  readonly graceSeconds?: number;
}

/** Hears of the changes of a run. */
export interface RunFollower {
  /** Called after changes, and when a Pod is over: the condition of a wait may hold now. */
  readonly changed: () => void;
  /** Called with a defect of a controller: its workload may never end. */
  readonly broke?: (defect: unknown) => void;
}

/** A run that has begun: Pods and workloads on this machine, or on a cluster. */
export abstract class StartedRun {
  /** The applied Pods and workloads in their last state. */
  abstract readonly roots: readonly Root[];
  /** The same after the end. */
  abstract readonly endedRoots: readonly Root[];
  /** All Pods of the run, including Pods that controllers created. */
  abstract readonly allPods: readonly StoredPod[];
  /** complete: all states, events and output of the Pods were recorded. */
  abstract readonly record: RunRecord;
  /** False while connections to Services do not reach the endpoints of the last change. */
  abstract readonly areServicesCurrent: boolean;
  /** True when all Pods and workloads have ended, and no more can come. */
  abstract readonly isOver: boolean;
  readonly #followers = new Set<RunFollower>();
  /** True while the followers are about to look again. */
  #isLookPlanned = false;

  /** The next steps of the agent for a Pod, by the uid of the Pod. Undefined: nothing is planned, or known. */
  abstract activityOf(uid: string): PodActivity | undefined;

  /** True for a Pod that waits for room which Pods of other processes have: they may end. */
  abstract waitsForOthers(uid: string): boolean;

  /** Begins to end all Pods. The objects stay on record. */
  abstract terminate(how: HowToEndRun): void;

  /** Releases everything after the end. */
  abstract close(): Promise<void>;

  /** Waits until the run is decided, and ends its Pods then. */
  until(goal: RunEnds): ApplyRun {
    const wait = new ApplyRun(this, goal);
    this.follow({ changed: () => wait.check(), broke: (defect) => wait.broken(defect) });
    return wait;
  }

  /** Resolves when the run is over. */
  whenOver(): Promise<void> {
    return new Promise((resolve) => {
      const following = this.follow({
        changed: () => {
          if (!this.isOver) return;
          following.close();
          resolve();
        },
      });
      if (this.isOver) resolve();
    });
  }

  /** Ends all Pods, and releases everything after the last of them. */
  async end(how: HowToEndRun): Promise<void> {
    this.terminate(how);
    await this.whenOver();
    await this.close();
  }

  /** Reports changes to the follower from now on. */
  follow(follower: RunFollower): { close(): void } {
    this.#followers.add(follower);
    return { close: () => this.#followers.delete(follower) };
  }

  /** Lets the followers look again, once for all changes of a step: each of them looks at all Pods. */
  changed(): void {
    if (this.#isLookPlanned) return;
    this.#isLookPlanned = true;
    queueMicrotask(
      caught(() => {
        this.#isLookPlanned = false;
        for (const follower of this.#followers) follower.changed();
      }),
    );
  }

  protected broke(defect: unknown): void {
    const listeners = [...this.#followers].flatMap(({ broke }) => broke ?? []);
    if (listeners.length === 0) tellDefect(defect);
    for (const listener of listeners) listener(defect);
  }
}
