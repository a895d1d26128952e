import type { FindAuthor } from '../../apiserver/index.ts';
import { controllerOf, resolvedUid, type StoredPod } from '../../api/index.ts';
import { keptGoalOf, type RunGoal, runGoalState } from '../../controllers/index.ts';
import {
  type ForeignDeletion,
  type GoalRules,
  includesReady,
  type Lapse,
  lapseAtEnd,
  lapseOf,
  type Root,
  rootEnd,
  servingPods,
  type Unservable,
} from '../../lifecycle/index.ts';

/** The failures that are known when COMMAND has ended. */
export interface CommandFaults {
  /** The first lapse of a Pod while COMMAND ran. */
  readonly lapse: Lapse | undefined;
  /** Other roots that had reached the goal, and have failed since or are not Ready any more. */
  readonly missing: readonly Root[];
  /** The deletions by neither controllers nor COMMAND. */
  readonly deleted: readonly ForeignDeletion[];
  /** Services and Ingresses whose address another program has. */
  readonly unservable: readonly Unservable[];
}

/** The run beside which a COMMAND runs. */
export interface WatchedRun {
  readonly goal: RunGoal;
  readonly rules: Pick<GoalRules, 'allowRestarts'>;
  /** The roots in their current state. */
  readonly roots: () => readonly Root[];
  /** See `CommandFaults`. Default: none. */
  readonly unservable?: () => readonly Unservable[];
  /** Finds the authors of deletions, but for COMMAND and controllers. */
  readonly authors: () => FindAuthor;
}

/**
 * Judges a run while COMMAND runs, and at the end of it, by one rule for `apply` and `serve --once`: what has reached
 * the goal has to keep it, no Job and no Pod may fail, and neither may be deleted, but by COMMAND.
 */
export class CommandWatch {
  readonly #run: WatchedRun;
  /** The roots that have reached the goal, by uid. */
  readonly #reached = new Set<string>();
  /** Their Pods by uid, as they were when the goal was reached. */
  readonly #before = new Map<string, StoredPod>();
  /** The roots and their Pods that COMMAND ran beside, by uid. */
  readonly #seen = new Map<string, Pick<ForeignDeletion, 'root' | 'object'>>();
  #lapse: Lapse | undefined;

  constructor(run: WatchedRun) {
    this.#run = run;
  }

  /** Has to be called when COMMAND begins, and after each change. */
  look(): void {
    const { goal, rules, roots } = this.#run;
    const all = roots();
    this.#see(all);
    this.#lapse ??= this.#find(all, (wanted, before, now) => lapseOf(wanted, before, now, rules.allowRestarts));
    for (const root of all) {
      if (runGoalState(goal, root) !== 'met') continue;
      this.#reached.add(root.object.metadata.uid);
      for (const pod of servingPods([root])) {
        const uid = resolvedUid(pod);
        if (!this.#before.has(uid)) this.#before.set(uid, pod);
      }
    }
  }

  /** The verdict when COMMAND has ended. */
  end(): CommandFaults {
    this.look();
    const all = this.#run.roots();
    const lapse = this.#lapse ?? this.#find(all, lapseAtEnd);
    const isBlamed = ({ pods }: Root): boolean => pods.some(({ metadata: { uid } }) => uid === lapse?.pod.metadata.uid);
    const missing = all.filter((root) => !isBlamed(root) && this.#isMissing(root));
    return { lapse, missing, deleted: this.#deleted(), unservable: this.#run.unservable?.() ?? [] };
  }

  #see(roots: readonly Root[]): void {
    for (const root of roots) {
      for (const object of new Set([...(isLeaving(root) ? [] : [root.object]), ...root.pods])) {
        const { uid, deletionTimestamp } = object.metadata;
        if (deletionTimestamp === undefined) this.#seen.set(uid, { root, object });
      }
    }
  }

  /**
   * The deletions with an author: a Pod of a workload that is removed has none, and is just missing. The author is on
   * record before the object goes, of which this process may hear after the end of COMMAND.
   */
  #deleted(): ForeignDeletion[] {
    const authorOf = this.#run.authors();
    return [...this.#seen.values()].flatMap((seen) => {
      const author = authorOf(seen.object);
      return author === undefined ? [] : [{ ...seen, author }];
    });
  }

  #isMissing(root: Root): boolean {
    const { goal } = this.#run;
    if (runGoalState(goal, root) === 'met') return false;
    if (isFailedJob(root)) return true;
    if (isLeaving(root)) return false;
    const { object } = root;
    const mustStayReady = this.#reached.has(object.metadata.uid) && includesReady(keptGoalOf(goal, object));
    // A controller may replace what has failed.
    return mustStayReady || (rootEnd(root) === 'failed' && controllerOf(object) === undefined);
  }

  #find(roots: readonly Root[], lapsed: typeof lapseAtEnd): Lapse | undefined {
    for (const root of roots) {
      const wanted = keptGoalOf(this.#run.goal, root.object);
      for (const now of servingPods([root])) {
        const before = this.#before.get(resolvedUid(now));
        const lapse = before && lapsed(wanted, before, now);
        if (lapse !== undefined) return lapse;
      }
    }
    return undefined;
  }
}

/** True also for a Job that was deleted after its failure, by itself or by a client. */
function isFailedJob({ object }: Root): boolean {
  return object.kind === 'Job' && rootEnd({ object, isGone: false }) === 'failed';
}

/** True for a root that was deleted, or is being deleted: COMMAND may have done that. */
function isLeaving({ isGone, object }: Root): boolean {
  return isGone || object.metadata.deletionTimestamp !== undefined;
}
