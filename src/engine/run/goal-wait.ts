import type { StoredPod } from '../../api/index.ts';
import type { Alarm, Clock } from '../../clock.ts';
import {
  goalsOf,
  keptGoal,
  type RunGoal,
  runGoalState,
  runGoalText,
  type UnknownCondition,
  unknownCondition,
  wantedOf,
} from '../../controllers/index.ts';
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
  type Unservable,
  watchGoal,
} from '../../lifecycle/index.ts';

/** A goal to wait for. */
export interface AwaitedGoal {
  /** The goal in the user's notation. */
  readonly text: string;
  /** The part of it that a root lacks. Default: all of it. */
  readonly textFor?: (root: Root) => string;
  /** The goal as it counts for Pods. Undefined when a function of the user decides. */
  readonly ofPods: PodGoal | undefined;
  /** False for a root that cannot reach the goal because of its kind: a wait passes over it. */
  readonly isAbout: (root: Root) => boolean;
  readonly stateOf: (root: Root) => GoalState;
  /** A condition of the goal that none of these roots can have. Default: podrun does not know its conditions. */
  readonly unknownFor?: (roots: readonly Root[]) => UnknownCondition | undefined;
}

/** A goal that podrun knows. Keeps the state of each Pod: of a thousand, one has changed since the last look. */
export function awaitedGoal(goal: RunGoal): AwaitedGoal {
  const states = new WeakMap<StoredPod, GoalState>();
  return {
    text: runGoalText(goal),
    textFor: (root) => {
      const wanted = wantedOf(goal, root);
      return wanted === undefined ? runGoalText(goal) : goalText(wanted);
    },
    ofPods: keptGoal(goal),
    isAbout: ({ object }) => goalsOf(goal, object).length > 0,
    stateOf: (root) => {
      if (root.object.kind !== 'Pod') return runGoalState(goal, root);
      const state = states.get(root.object) ?? runGoalState(goal, root);
      states.set(root.object, state);
      return state;
    },
    unknownFor: (roots) =>
      unknownCondition(
        goal,
        roots.map(({ object }) => object),
      ),
  };
}

/** Hooks and the like, which have to end well beside the roots, whatever the goal. */
export interface BesideRoots {
  /** Lines about what has not ended yet. */
  readonly unfinished: readonly string[];
  readonly failed: readonly Unservable[];
}

/**
 * Finds what was applied and can never serve: then no goal that includes Ready can be reached.
 * @param isAllReady true when everything else has reached the goal
 */
export type FindUnservable = (isAllReady: boolean) => readonly Unservable[];

export interface GoalWaitOptions {
  readonly clock: Clock;
  readonly goal: AwaitedGoal;
  readonly rules: GoalRules;
  /** The roots in their current state. */
  readonly roots: () => readonly Root[];
  /** True: a run without a root has reached the goal. Default: false, since roots may still come. */
  readonly mayBeEmpty?: boolean | undefined;
  /** Lines about Services that lead to Pods of these roots and have no ready endpoint. Default: none. */
  readonly unserved?: ((roots: readonly Root[]) => readonly string[]) | undefined;
  /** Finds what was applied and can never serve. Default: nothing. */
  readonly unservable?: FindUnservable | undefined;
  /** Finds what has to end well beside the roots. Default: nothing. */
  readonly beside?: (() => BesideRoots) | undefined;
  /** True for a Pod that waits for room which Pods of other runs have: they may end. Default: none does. */
  readonly waitsForOthers?: ((uid: string) => boolean) | undefined;
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

  /**
   * Lines about Services without a ready endpoint, for which goals that include Ready wait, and about what has to end
   * beside the roots.
   */
  get unserved(): readonly string[] {
    const { unserved, beside } = this.#options;
    const ofServices = this.#includesReady ? (unserved?.(this.subjects) ?? []) : [];
    return [...ofServices, ...(beside?.().unfinished ?? [])];
  }

  /** The objects that keep the goal from being reached, as of the last look. */
  get unservable(): readonly Unservable[] {
    const { unservable, beside } = this.#options;
    const isReached = this.reached !== undefined || this.subjects.length === 0;
    const ofReady = this.#includesReady ? (unservable?.(isReached) ?? []) : [];
    return [...ofReady, ...(beside?.().failed ?? [])];
  }

  get #includesReady(): boolean {
    const { ofPods } = this.#options.goal;
    return ofPods !== undefined && includesReady(ofPods);
  }

  /** `met` only when all Services of the roots are served, too. */
  look(): GoalProgress<Root> {
    const { clock, goal, rules, onDue, mayBeEmpty = false } = this.#options;
    const { subjects } = this;
    if (subjects.length === 0) return { type: mayBeEmpty && this.unserved.length === 0 ? 'met' : 'pending' };
    const { watch, progress } = watchGoal(this.#watch, {
      goal: goal.ofPods,
      rules,
      subjects,
      pods: servingPods(subjects),
      settling: subjects.flatMap(({ pods }) => pods),
      now: clock.now(),
      stateOf: goal.stateOf,
    });
    this.#watch = watch;
    this.#alarm?.cancel();
    if (progress.type === 'settling' && onDue !== undefined) this.#alarm = clock.wakeAt(progress.untilMs, onDue);
    const isPending =
      (progress.type === 'met' && this.unserved.length > 0) ||
      (progress.type === 'impossible' && this.#waitsForOthers(progress.subject));
    return isPending ? { type: 'pending' } : progress;
  }

  #waitsForOthers({ pods }: Root): boolean {
    const { waitsForOthers } = this.#options;
    return waitsForOthers !== undefined && pods.some(({ metadata }) => waitsForOthers(metadata.uid));
  }

  close(): void {
    this.#alarm?.cancel();
  }
}
