import { caught, inBackground, tellDefect } from '../defects.ts';
import type { StoredPod } from '../api/index.ts';
import type { Alarm, Clock } from '../clock.ts';
import { podGoal } from '../controllers/index.ts';
import {
  type EndingSignal,
  type GoalRules,
  type Lapse,
  lapseLeft,
  lapseSince,
  type PodGoal,
  type Root,
  type RunOutcome,
  servingPods,
} from '../lifecycle/index.ts';
import { awaitedGoal, GoalWait } from './goal-wait.ts';

export type { EndingSignal, RunOutcome } from '../lifecycle/index.ts';

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
  /** Undefined: there is no goal. */
  readonly #goal: GoalWait | undefined;
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
    const { clock, goal, timeoutMs, unserved } = options;
    this.#goal = goal && new GoalWait({ ...options, goal: awaitedGoal(goal), unserved, onDue: () => this.check() });
    if (timeoutMs !== undefined) {
      this.#alarm = clock.wakeAt(clock.now().monotonicMs + timeoutMs, () =>
        this.#decide({
          type: 'timedOut',
          roots: options.roots(),
          unserved: options.unserved?.() ?? [],
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
    const { agent } = this.#options;
    const isOver = this.#options.isOver?.() ?? agent.isOver;
    if (this.#decided === undefined) {
      if (this.#commandStarted) this.#watchCommand();
      else if (this.#goal === undefined) this.#checkStuck();
      else this.#checkGoal(this.#goal);
    }
    // COMMAND runs to its end, even when the Pods have ended.
    if (isOver && this.#decided === undefined && !this.#commandStarted) this.#decide({ type: 'ended' });
    this.#reportWhenOver();
  }

  #checkGoal(goal: GoalWait): void {
    const { command } = this.#options;
    const progress = goal.look();
    switch (progress.type) {
      case 'pending':
      case 'settling':
        return;
      case 'impossible':
        return this.#decide({ type: 'goalImpossible', root: progress.subject });
      case 'lapsed':
        return this.#decide({ type: 'goalLapsed', lapse: progress.lapse });
      case 'met':
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

  #watchCommand(): void {
    this.#lapse ??= this.#whileReached((reached, goal, pods) =>
      lapseSince(reached, goal, pods, this.#options.rules.allowRestarts),
    );
  }

  /** Looks for a lapse among the Pods that had reached the goal. */
  #whileReached(find: typeof lapseLeft): Lapse | undefined {
    const { goal, roots } = this.#options;
    const reached = this.#goal?.reached;
    return goal && reached && find(reached, podGoal(goal), servingPods(roots()));
  }

  /** Ends the run for the user or the system. A second request kills everything at once. */
  interrupt(signal: Exclude<EndingSignal, 'SIGPIPE'>): void {
    const isSameHangUp = signal === 'SIGHUP' && this.#isSameHangUp();
    const again = this.#decided !== undefined && !isSameHangUp;
    this.#decide({ type: 'interrupted', signal });
    if (again) this.#options.agent.terminate({ force: true });
    this.#reportWhenOver();
  }

  /** Ends the run because its output is not read any more. Never kills: only a user may request that. */
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
    this.#watchCommand();
    this.#decide({ type: 'commandEnded', exitCode, lapse: this.#lapse ?? this.#whileReached(lapseLeft) });
  }

  #decide(outcome: RunOutcome): void {
    if (this.#decided !== undefined) return;
    this.#decided = outcome;
    this.#alarm?.cancel();
    this.#goal?.close();
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
