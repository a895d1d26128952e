import type { StoredPod } from '../api/index.ts';
import type { Alarm, Clock } from '../clock.ts';
import { isLookedAt, podGoal, rootGoalState } from '../controllers/index.ts';
import {
  type GoalProgress,
  type GoalRules,
  type GoalState,
  goalText,
  type GoalWatch,
  includesReady,
  NOT_REACHED,
  type PodGoal,
  type Root,
  servingPods,
  watchGoal,
} from '../lifecycle/index.ts';

/** A goal to wait for. */
export interface AwaitedGoal {
  /** The goal in the user's notation. */
  readonly text: string;
  /** The goal as it counts for Pods. Undefined when a function of the user decides. */
  readonly ofPods: PodGoal | undefined;
  /** False for a root that cannot reach the goal because of its kind: a wait passes over it. */
  readonly isAbout: (root: Root) => boolean;
  readonly stateOf: (root: Root) => GoalState;
}

/** A goal that podrun knows. Keeps the state of each Pod: of a thousand, one has changed since the last look. */
export function awaitedGoal(goal: PodGoal): AwaitedGoal {
  const states = new WeakMap<StoredPod, GoalState>();
  return {
    text: goalText(goal),
    ofPods: podGoal(goal),
    isAbout: ({ object }) => isLookedAt(goal, object.kind),
    stateOf: (root) => {
      if (root.object.kind !== 'Pod') return rootGoalState(goal, root);
      const state = states.get(root.object) ?? rootGoalState(goal, root);
      states.set(root.object, state);
      return state;
    },
  };
}

export interface GoalWaitOptions {
  readonly clock: Clock;
  readonly goal: AwaitedGoal;
  readonly rules: GoalRules;
  /** The roots in their current state. */
  readonly roots: () => readonly Root[];
  /** Lines about Services that lead to Pods of these roots and have no ready endpoint. Default: none. */
  readonly unserved?: ((roots: readonly Root[]) => readonly string[]) | undefined;
  /**
   * Called when it is time to look again: the roots may have stayed at the goal for long enough. Default: the caller
   * looks again at the time of `settling`.
   */
  readonly onDue?: () => void;
}

/** Follows roots on their way to a goal. `look` has to be called after each change. */
export class GoalWait {
  readonly #options: GoalWaitOptions;
  #watch: GoalWatch = NOT_REACHED;
  #alarm: Alarm | undefined;

  constructor(options: GoalWaitOptions) {
    this.#options = options;
  }

  /** The roots that the goal is about. */
  get subjects(): readonly Root[] {
    return this.#options.roots().filter(this.#options.goal.isAbout);
  }

  /** The Pods by uid, as they were when the goal was reached. Undefined: not reached. */
  get reached(): GoalWatch['reached'] {
    return this.#watch.reached;
  }

  /** Lines about Services without a ready endpoint, for which goals that include Ready wait. */
  get unserved(): readonly string[] {
    const { goal, unserved } = this.#options;
    return goal.ofPods !== undefined && includesReady(goal.ofPods) ? (unserved?.(this.subjects) ?? []) : [];
  }

  /** `met` only when all Services of the roots are served, too. `pending` without any root: static Pods may come. */
  look(): GoalProgress<Root> {
    const { clock, goal, rules, onDue } = this.#options;
    const { subjects } = this;
    if (subjects.length === 0) return { type: 'pending' };
    const { watch, progress } = watchGoal(this.#watch, {
      goal: goal.ofPods,
      rules,
      subjects,
      pods: servingPods(subjects),
      now: clock.now(),
      stateOf: goal.stateOf,
    });
    this.#watch = watch;
    this.#alarm?.cancel();
    if (progress.type === 'settling' && onDue !== undefined) this.#alarm = clock.wakeAt(progress.untilMs, onDue);
    return progress.type === 'met' && this.unserved.length > 0 ? { type: 'pending' } : progress;
  }

  close(): void {
    this.#alarm?.cancel();
  }
}
