import type { StoredPod } from '../api/objects.ts';
import type { Alarm, Clock } from '../clock.ts';
import { type Goal, goalState, type GoalState } from '../lifecycle/requests/goal.ts';
import {
  type GoalRules,
  type GoalWatch,
  lapseLeft,
  lapseSince,
  NOT_REACHED,
  watchGoal,
} from '../lifecycle/requests/goal-watch.ts';
import type { EndingSignal, Lapse, RunOutcome } from '../lifecycle/requests/run-outcome.ts';

export type { EndingSignal, RunOutcome } from '../lifecycle/requests/run-outcome.ts';

/** A command that is run once the goal is met. */
export interface GoalCommand {
  /** Resolves with the command's exit code. */
  readonly run: () => Promise<number>;
  /** The time is up, or the user has had enough. */
  readonly stop: () => void;
}

/** What a run needs of the agent. */
export interface RunAgent {
  readonly isOver: boolean;
  terminate(how: { readonly force: boolean }): void;
}

export interface ApplyRunOptions {
  readonly agent: RunAgent;
  /** Is there nothing left to wait for? By default when the agent's Pods have ended. */
  readonly isOver?: () => boolean;
  /** The Pods as they are now. */
  readonly pods: () => readonly StoredPod[];
  readonly clock: Clock;
  readonly goal: Goal | undefined;
  readonly rules: GoalRules;
  readonly timeoutMs: number | undefined;
  readonly command: GoalCommand | undefined;
  /** Called when the outcome is known and the Pods begin to be ended. */
  readonly onDecided?: (outcome: RunOutcome) => void;
  /** The Pods that wait in vain, where nothing can happen any more. Not asked for with a goal; by default none. */
  readonly stuck?: () => readonly StoredPod[];
}

/** Hang-ups within this time are one. */
const SAME_HANG_UP_MS = 1000;

/**
 * Decides when a foreground run is over: all Pods ended, goal met or out of reach, time up, COMMAND finished, nothing
 * left that could happen, interrupted. Whatever comes first decides; then the Pods are ended, and when all are,
 * `outcome` resolves.
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
  /** The first breakdown of a Pod while COMMAND is running. */
  #lapse: Lapse | undefined;
  #reported = false;
  /** When the terminal was first known to be gone, on the stopwatch. */
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
          pods: options.pods(),
          duringCommand: this.#commandStarted,
          atMs: clock.now().wallMs,
        }),
      );
    }
  }

  /** Something has changed: look whether that decides the run. */
  look(): void {
    const { agent, goal } = this.#options;
    const isOver = this.#options.isOver?.() ?? agent.isOver;
    if (this.#decided === undefined) {
      const pods = this.#options.pods();
      if (this.#commandStarted) this.#watchCommand(pods);
      else if (goal === undefined) this.#lookForLife();
      else this.#lookAtGoal(goal, pods);
    }
    // While COMMAND runs, its end is waited for, even when the Pods are done.
    if (isOver && this.#decided === undefined && !this.#commandStarted) this.#decide({ type: 'ended' });
    this.#reportWhenOver();
  }

  #lookAtGoal(goal: Goal, pods: readonly StoredPod[]): void {
    const { clock, command, rules } = this.#options;
    const stateOf = (pod: StoredPod): GoalState => this.#stateOf(pod, goal);
    const { watch, progress } = watchGoal(this.#watch, { goal, rules, pods, now: clock.now(), stateOf });
    this.#watch = watch;
    this.#settleAlarm?.cancel();
    switch (progress.type) {
      case 'pending':
        return;
      case 'settling':
        this.#settleAlarm = clock.wakeAt(progress.untilMs, () => this.look());
        return;
      case 'impossible':
        return this.#decide({ type: 'goalImpossible', pod: progress.pod });
      case 'lapsed':
        return this.#decide({ type: 'goalLapsed', lapse: progress.lapse });
      case 'met':
        return command === undefined ? this.#decide({ type: 'goalMet' }) : this.#startCommand(command);
      default:
        return progress satisfies never;
    }
  }

  /** Pods that wait for images nobody has explained would wait for ever. */
  #lookForLife(): void {
    const stuck = this.#options.stuck?.() ?? [];
    if (stuck.length > 0) this.#decide({ type: 'stuck', pods: stuck });
  }

  #watchCommand(pods: readonly StoredPod[]): void {
    const { goal, rules } = this.#options;
    if (goal === undefined || this.#watch.reached === undefined) return;
    this.#lapse ??= lapseSince(this.#watch.reached, goal, pods, rules.allowRestarts);
  }

  /** Of a thousand Pods, one has changed since the last look: the others are the same objects. */
  #stateOf(pod: StoredPod, goal: Goal): GoalState {
    const state = this.#states.get(pod) ?? goalState(goal, pod);
    this.#states.set(pod, state);
    return state;
  }

  /** The user, or the system, wants the run to end; asking twice means at once. */
  interrupt(signal: Exclude<EndingSignal, 'SIGPIPE'>): void {
    const isSameHangUp = signal === 'SIGHUP' && this.#isSameHangUp();
    const again = this.#decided !== undefined && !isSameHangUp;
    this.#decide({ type: 'interrupted', signal });
    if (again) this.#options.agent.terminate({ force: true });
    this.#reportWhenOver();
  }

  /** Nobody reads the output any more. This ends the run, and never means "at once": nobody has asked for it. */
  readerGone(how: 'SIGHUP' | 'SIGPIPE'): void {
    if (how === 'SIGHUP') this.#hungUpMs ??= this.#options.clock.now().monotonicMs;
    this.#decide({ type: 'interrupted', signal: how });
  }

  /** A closed terminal is told several times: by the kernel, by the shell, and by output that finds no reader. */
  #isSameHangUp(): boolean {
    const { monotonicMs } = this.#options.clock.now();
    this.#hungUpMs ??= monotonicMs;
    return monotonicMs - this.#hungUpMs < SAME_HANG_UP_MS;
  }

  #startCommand(command: GoalCommand): void {
    this.#commandStarted = true;
    void command.run().then((exitCode) => {
      const { goal, pods } = this.#options;
      this.#watchCommand(pods());
      const left = goal && this.#watch.reached && lapseLeft(this.#watch.reached, goal, pods());
      this.#decide({ type: 'commandEnded', exitCode, lapse: this.#lapse ?? left });
    });
  }

  #decide(outcome: RunOutcome): void {
    if (this.#decided !== undefined) return;
    this.#decided = outcome;
    this.#alarm?.cancel();
    this.#settleAlarm?.cancel();
    if (this.#commandStarted && outcome.type !== 'commandEnded') this.#options.command?.stop();
    this.#options.onDecided?.(outcome);
    this.#options.agent.terminate({ force: false });
    this.#reportWhenOver();
  }

  #reportWhenOver(): void {
    if (this.#decided === undefined || !this.#options.agent.isOver || this.#reported) return;
    this.#reported = true;
    this.#resolve(this.#decided);
  }
}
