import { caught, inBackground, tellDefect } from '../../defects.ts';
import type { FindAuthor } from '../../apiserver/index.ts';
import type { StoredPod } from '../../api/index.ts';
import type { Alarm, Clock } from '../../clock.ts';
import type { RunGoal } from '../../controllers/index.ts';
import type { EndingSignal, GoalRules, Root, RunOutcome, Unservable } from '../../lifecycle/index.ts';
import { CommandWatch } from './command-watch.ts';
import { awaitedGoal, type BesideRoots, type FindUnservable, GoalWait } from './goal-wait.ts';

export type { EndingSignal } from '../../lifecycle/index.ts';
export type { RunOutcome } from '../../lifecycle/index.ts';

/** The command that runs once the goal is met. */
export interface GoalCommand {
  /** Resolves with the command's exit code, after the last of its processes has ended. */
  readonly run: () => Promise<number>;
  /** Ends the command: the time is up, or the user has interrupted the run. `force`: without a delay. */
  readonly stop: (how: { readonly force: boolean }) => void;
}

/** The part of a run that its end needs. */
export interface EndingRun {
  readonly isOver: boolean;
  terminate(how: { readonly force: boolean }): void;
}

/** The goal of a run, and its other ends. */
export interface RunEnds {
  /** True when there is nothing left to wait for. Default: the run is over. */
  readonly isOver?: () => boolean;
  /** The roots in their current state. */
  readonly roots: () => readonly Root[];
  readonly clock: Clock;
  readonly goal: RunGoal | undefined;
  readonly rules: GoalRules;
  readonly timeoutMs: number | undefined;
  readonly command: GoalCommand | undefined;
  /** True: COMMAND runs although the run has no roots. Default: false, since roots may still come. */
  readonly mayBeEmpty?: boolean | undefined;
  /** Called when the outcome is known, before the Pods are ended. */
  readonly onDecided?: (outcome: RunOutcome) => void;
  /** Lines about Services without a ready endpoint: goals that include Ready wait for them. Default: none. */
  readonly unserved?: () => readonly string[];
  /** Finds what was applied and can never serve: goals that include Ready fail. Default: nothing. */
  readonly unservable?: FindUnservable;
  /** Finds what has to end well beside the roots. Default: nothing. */
  readonly beside?: () => BesideRoots;
  /** See `GoalWaitOptions`. */
  readonly waitsForOthers?: (uid: string) => boolean;
  /** The authors of deletions while COMMAND ran: see `WatchedRun`. Default: none is known. */
  readonly authors?: () => FindAuthor;
  /** The Pods that wait in vain, once nothing else can happen. Used without a goal only. Default: none. */
  readonly stuck?: () => readonly StoredPod[];
}

/** Several SIGHUPs within this time come from one closed terminal. */
const SAME_HANG_UP_MS = 1000;

/**
 * Decides when a foreground run is over. The first of these events decides: all roots have ended, the goal is met or
 * out of reach, the time is up, COMMAND has ended, nothing more can happen, the user interrupts. Then the Pods are
 * ended, and `outcome` resolves after the last of them, and of the processes of COMMAND.
 */
export class ApplyRun {
  readonly outcome: Promise<RunOutcome>;
  readonly #run: EndingRun;
  readonly #options: RunEnds;
  readonly #alarm: Alarm | undefined;
  #resolve: (outcome: RunOutcome) => void = () => undefined;
  #decided: RunOutcome | undefined;
  /** Undefined: there is no goal. */
  readonly #goal: GoalWait | undefined;
  /** The judge of what happens while COMMAND runs. Undefined: it has not begun. */
  #watch: CommandWatch | undefined;
  #commandRuns = false;
  /** The monotonic time at which the terminal was first known to be closed. */
  #hungUpMs: number | undefined;

  constructor(run: EndingRun, options: RunEnds) {
    this.#run = run;
    this.#options = options;
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    const { clock, goal, timeoutMs } = options;
    this.#goal = goal && new GoalWait({ ...options, goal: awaitedGoal(goal), onDue: () => this.check() });
    if (timeoutMs !== undefined) {
      this.#alarm = clock.wakeAt(clock.now().monotonicMs + timeoutMs, () =>
        this.#decide({
          type: 'timedOut',
          roots: options.roots(),
          unserved: [...(options.unserved?.() ?? []), ...(options.beside?.().unfinished ?? [])],
          duringCommand: this.#watch !== undefined,
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
      // The states of the Pods cannot be read any more. The Pods end with this process.
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
    const isOver = this.#options.isOver?.() ?? this.#run.isOver;
    if (this.#decided === undefined) {
      if (this.#watch !== undefined) this.#watch.look();
      else if (this.#goal === undefined) this.#checkStuck();
      else this.#checkGoal(this.#goal);
    }
    // COMMAND runs to its end, even when the Pods have ended.
    if (isOver && this.#decided === undefined && this.#watch === undefined) this.#decideEnd();
    this.#reportWhenOver();
  }

  /** Decides a run in which nothing runs any more. A Service that the goal waits for will never be served. */
  #decideEnd(): void {
    const objects = (this.#goal?.unserved ?? []).map(unservedObject);
    this.#decide(objects.length === 0 ? { type: 'ended' } : { type: 'unservable', objects });
  }

  #checkGoal(goal: GoalWait): void {
    const { command, goal: wanted } = this.#options;
    const progress = goal.look();
    const { unservable: objects } = goal;
    if (objects.length > 0) return this.#decide({ type: 'unservable', objects });
    switch (progress.type) {
      case 'pending':
      case 'settling':
        return;
      case 'impossible':
        return this.#decide({ type: 'goalImpossible', root: progress.subject });
      case 'lapsed':
        return this.#decide({ type: 'goalLapsed', lapse: progress.lapse });
      case 'met':
        return command === undefined || wanted === undefined
          ? this.#decide({ type: 'goalMet' })
          : this.#startCommand(command, wanted);
      default:
        return progress satisfies never;
    }
  }

  /** Decides the run when the remaining Pods wait for images without a program: they would wait for ever. */
  #checkStuck(): void {
    const stuck = this.#options.stuck?.() ?? [];
    if (stuck.length > 0) this.#decide({ type: 'stuck', pods: stuck });
  }

  /** Ends the run for the user or the system. A second request kills everything at once. */
  interrupt(signal: Exclude<EndingSignal, 'SIGPIPE'>): void {
    const isSameHangUp = signal === 'SIGHUP' && this.#isSameHangUp();
    const isRepeated = this.#decided !== undefined && !isSameHangUp;
    this.#decide({ type: 'interrupted', signal });
    if (isRepeated) {
      if (this.#commandRuns) this.#options.command?.stop({ force: true });
      this.#run.terminate({ force: true });
    }
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

  #startCommand(command: GoalCommand, goal: RunGoal): void {
    const { roots, rules, authors = () => () => undefined } = this.#options;
    this.#watch = new CommandWatch({ goal, rules, roots, authors });
    this.#watch.look();
    this.#commandRuns = true;
    inBackground(this.#commandEnd(command, this.#watch).catch((error: unknown) => this.broken(error)));
  }

  async #commandEnd(command: GoalCommand, watch: CommandWatch): Promise<void> {
    const exitCode = await command.run().finally(() => {
      this.#commandRuns = false;
    });
    this.#decide({ type: 'commandEnded', exitCode, ...watch.end() });
  }

  #decide(outcome: RunOutcome): void {
    if (this.#decided !== undefined) return this.#reportWhenOver();
    this.#decided = outcome;
    this.#alarm?.cancel();
    this.#goal?.close();
    // The run ends, whatever fails on the way.
    caught(() => {
      if (this.#commandRuns) this.#options.command?.stop({ force: false });
      this.#options.onDecided?.(outcome);
    })();
    caught(() => this.#run.terminate({ force: false }))();
    this.#reportWhenOver();
  }

  #reportWhenOver(): void {
    if (this.#decided !== undefined && this.#run.isOver && !this.#commandRuns) this.#resolve(this.#decided);
  }
}

/** The object of a line such as `service/web: no endpoint is ready`. */
function unservedObject(line: string): Unservable {
  const [about = '', ...message] = line.split(': ');
  return { about, path: '', message: message.join(': ') };
}
