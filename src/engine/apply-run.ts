import { caught, inBackground, tellDefect } from '../defects.ts';
import type { StoredPod } from '../api/objects.ts';
import type { Alarm, Clock } from '../clock.ts';
import { isLookedAt, podGoal, rootGoalState } from '../controllers/index.ts';
import { type GoalState, includesReady, type PodGoal } from '../lifecycle/requests/goal.ts';
import {
  type GoalRules,
  type GoalWatch,
  lapseLeft,
  lapseSince,
  NOT_REACHED,
  watchGoal,
} from '../lifecycle/requests/goal-watch.ts';
import { type Root, servingPods } from '../lifecycle/requests/root.ts';
import type { EndingSignal, Lapse, RunOutcome } from '../lifecycle/requests/run-outcome.ts';

export type { EndingSignal, RunOutcome } from '../lifecycle/requests/run-outcome.ts';

/** The command that runs once the goal is met. */
export interface GoalCommand {
  /** Resolves with the command's exit code. */
  readonly run: () => Promise<number>;
  /** Ends the command: the time is up, or the user has interrupted the run. */
  readonly stop: () => void;
}

/** The part of the agent that a run needs. */
export interface RunAgent {
  readonly isOver: boolean;
  terminate(how: { readonly force: boolean }): void;
}

export interface ApplyRunOptions {
  readonly agent: RunAgent;
  /** True when there is nothing left to wait for. Default: the agent's Pods and all roots have ended. */
  readonly isOver?: () => boolean;
  /** The roots in their current state. */
  readonly roots: () => readonly Root[];
  readonly clock: Clock;
  readonly goal: PodGoal | undefined;
  readonly rules: GoalRules;
  readonly timeoutMs: number | undefined;
  readonly command: GoalCommand | undefined;
  /** Called when the outcome is known, before the Pods are ended. */
  readonly onDecided?: (outcome: RunOutcome) => void;
  /** Lines about Services without a ready endpoint: goals that include Ready wait for them. Default: none. */
  readonly unserved?: () => readonly string[];
  /** The Pods that wait in vain, once nothing else can happen. Used without a goal only. Default: none. */
  readonly stuck?: () => readonly StoredPod[];
}

/** Several SIGHUPs within this time come from one closed terminal. */
const SAME_HANG_UP_MS = 1000;

/**
 * Decides when a foreground run is over. The first of these events decides: all roots have ended, the goal is met or
 * out of reach, the time is up, COMMAND has ended, nothing more can happen, the user interrupts. Then the Pods are
 * ended, and `outcome` resolves after the last of them.
 */
export class ApplyRun {
  readonly outcome: Promise<RunOutcome>;
  readonly #options: ApplyRunOptions;
  readonly #alarm: Alarm | undefined;
  #resolve: (outcome: RunOutcome) => void = () => undefined;
  #decided: RunOutcome | undefined;
  readonly #states = new WeakMap<StoredPod, GoalState>();
  #watch: GoalWatch = NOT_REACHED;
  /** Rings when the goal has held long enough. */
  #settleAlarm: Alarm | undefined;
  #commandStarted = false;
  /** The first failure of a Pod while COMMAND runs. */
  #lapse: Lapse | undefined;
  /** The monotonic time at which the terminal was first known to be closed. */
  #hungUpMs: number | undefined;

  constructor(options: ApplyRunOptions) {
    this.#options = options;
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    const { clock, timeoutMs } = options;
    if (timeoutMs !== undefined) {
      this.#alarm = clock.wakeAt(clock.now().monotonicMs + timeoutMs, () =>
        this.#decide({
          type: 'timedOut',
          roots: options.roots(),
          unserved: this.#unserved,
          duringCommand: this.#commandStarted,
          atMs: clock.now().wallMs,
        }),
      );
    }
  }

  /** Checks, after each change, whether the run is decided. */
  check(): void {
    try {
      this.#check();
    } catch (error) {
      // Whether the Pods have ended cannot be found out. They end with this process.
      if (this.#decided !== undefined) this.#resolve(this.#decided);
      this.broken(error);
    }
  }

  /** Ends the run after a defect in what decides about it: nothing else would. */
  broken(defect: unknown): void {
    tellDefect(defect);
    this.#decide({ type: 'broken' });
  }

  #check(): void {
    const { agent, goal } = this.#options;
    const isOver = this.#options.isOver?.() ?? agent.isOver;
    if (this.#decided === undefined) {
      if (this.#commandStarted) this.#watchCommand(goal);
      else if (goal === undefined) this.#checkStuck();
      else this.#checkGoal(goal);
    }
    // COMMAND runs to its end, even when the Pods have ended.
    if (isOver && this.#decided === undefined && !this.#commandStarted) this.#decide({ type: 'ended' });
    this.#reportWhenOver();
  }

  get #unserved(): readonly string[] {
    return this.#options.unserved?.() ?? [];
  }

  #checkGoal(goal: PodGoal): void {
    const { clock, command, rules } = this.#options;
    const subjects = this.#options.roots().filter(({ object }) => isLookedAt(goal, object.kind));
    // Static Pods may come yet.
    if (subjects.length === 0) return;
    const { watch, progress } = watchGoal(this.#watch, {
      goal: podGoal(goal),
      rules,
      subjects,
      pods: servingPods(subjects),
      now: clock.now(),
      stateOf: (root) => this.#stateOf(root, goal),
    });
    this.#watch = watch;
    this.#settleAlarm?.cancel();
    switch (progress.type) {
      case 'pending':
        return;
      case 'settling':
        this.#settleAlarm = clock.wakeAt(progress.untilMs, () => this.check());
        return;
      case 'impossible':
        return this.#decide({ type: 'goalImpossible', root: progress.subject });
      case 'lapsed':
        return this.#decide({ type: 'goalLapsed', lapse: progress.lapse });
      case 'met':
        if (includesReady(podGoal(goal)) && this.#unserved.length > 0) return;
        return command === undefined ? this.#decide({ type: 'goalMet' }) : this.#startCommand(command);
      default:
        return progress satisfies never;
    }
  }

  /** Decides the run when the remaining Pods wait for images without a program: they would wait for ever. */
  #checkStuck(): void {
    const stuck = this.#options.stuck?.() ?? [];
    if (stuck.length > 0) this.#decide({ type: 'stuck', pods: stuck });
  }

  #watchCommand(goal: PodGoal | undefined): void {
    const { reached } = this.#watch;
    if (goal === undefined || reached === undefined) return;
    const { roots, rules } = this.#options;
    this.#lapse ??= lapseSince(reached, podGoal(goal), servingPods(roots()), rules.allowRestarts);
  }

  /** Keeps the state by Pod object: of a thousand Pods, one has changed since the last look. */
  #stateOf(root: Root, goal: PodGoal): GoalState {
    if (root.object.kind !== 'Pod') return rootGoalState(goal, root);
    const state = this.#states.get(root.object) ?? rootGoalState(goal, root);
    this.#states.set(root.object, state);
    return state;
  }

  /** Ends the run for the user or the system. A second request kills everything at once. */
  interrupt(signal: Exclude<EndingSignal, 'SIGPIPE'>): void {
    const isSameHangUp = signal === 'SIGHUP' && this.#isSameHangUp();
    const again = this.#decided !== undefined && !isSameHangUp;
    this.#decide({ type: 'interrupted', signal });
    if (again) this.#options.agent.terminate({ force: true });
    this.#reportWhenOver();
  }

  /** Ends the run because nobody reads the output any more. Never kills: only a user may ask for that. */
  readerGone(how: 'SIGHUP' | 'SIGPIPE'): void {
    if (how === 'SIGHUP') this.#hungUpMs ??= this.#options.clock.now().monotonicMs;
    this.#decide({ type: 'interrupted', signal: how });
  }

  /**
   * True when this SIGHUP belongs to the first one: the kernel, the shell and a broken output all report one closed
   * terminal.
   */
  #isSameHangUp(): boolean {
    const { monotonicMs } = this.#options.clock.now();
    this.#hungUpMs ??= monotonicMs;
    return monotonicMs - this.#hungUpMs < SAME_HANG_UP_MS;
  }

  #startCommand(command: GoalCommand): void {
    this.#commandStarted = true;
    inBackground(this.#commandEnd(command).catch((error: unknown) => this.broken(error)));
  }

  async #commandEnd(command: GoalCommand): Promise<void> {
    const exitCode = await command.run();
    const { goal, roots } = this.#options;
    this.#watchCommand(goal);
    const { reached } = this.#watch;
    const left = goal && reached && lapseLeft(reached, podGoal(goal), servingPods(roots()));
    this.#decide({ type: 'commandEnded', exitCode, lapse: this.#lapse ?? left });
  }

  #decide(outcome: RunOutcome): void {
    if (this.#decided !== undefined) return;
    this.#decided = outcome;
    this.#alarm?.cancel();
    this.#settleAlarm?.cancel();
    // The run ends, whatever fails on the way.
    caught(() => {
      if (this.#commandStarted && outcome.type !== 'commandEnded') this.#options.command?.stop();
      this.#options.onDecided?.(outcome);
    })();
    caught(() => this.#options.agent.terminate({ force: false }))();
    this.#reportWhenOver();
  }

  #reportWhenOver(): void {
    if (this.#decided !== undefined && this.#options.agent.isOver) this.#resolve(this.#decided);
  }
}
