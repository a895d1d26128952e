import type { StoredPod } from '../api/objects.ts';
import type { Alarm, Clock } from '../clock.ts';
import { type Goal, goalState, type GoalState } from '../lifecycle/requests/goal.ts';

/** A command that is run once the goal is met. */
export interface GoalCommand {
  /** Resolves with the command's exit code. */
  readonly run: () => Promise<number>;
  /** The time is up, or the user has had enough. */
  readonly stop: () => void;
}

/** What asks a run to end from outside: a vanished terminal, Ctrl-C, an output that nobody reads, a kill. */
export type EndingSignal = 'SIGHUP' | 'SIGINT' | 'SIGPIPE' | 'SIGTERM';

/** How a run of `apply` came to its end. */
export type RunOutcome =
  /** Every Pod ended, or was deleted, by itself. */
  | { readonly type: 'ended' }
  | { readonly type: 'goalMet' }
  /** This Pod can never get there any more. */
  | { readonly type: 'goalImpossible'; readonly pod: StoredPod }
  /** The Pods as they were when the time was up. */
  | {
      readonly type: 'timedOut';
      readonly pods: readonly StoredPod[];
      readonly duringCommand: boolean;
      /** When that was, milliseconds since 1970. */
      readonly atMs: number;
    }
  | { readonly type: 'commandEnded'; readonly exitCode: number }
  | { readonly type: 'interrupted'; readonly signal: EndingSignal };

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
  readonly timeoutMs: number | undefined;
  readonly command: GoalCommand | undefined;
  /** Called when the outcome is known and the Pods begin to be ended. */
  readonly onDecided?: (outcome: RunOutcome) => void;
}

/** Hang-ups within this time are one. */
const SAME_HANG_UP_MS = 1000;

/**
 * Decides when a foreground run is over: all Pods ended, goal met or out of reach, time up, COMMAND finished,
 * interrupted. Whatever comes first decides; then the Pods are ended, and when all are, `outcome` resolves.
 */
export class ApplyRun {
  readonly outcome: Promise<RunOutcome>;
  readonly #options: ApplyRunOptions;
  readonly #alarm: Alarm | undefined;
  #resolve: (outcome: RunOutcome) => void = () => undefined;
  #decided: RunOutcome | undefined;
  readonly #states = new WeakMap<StoredPod, GoalState>();
  #commandStarted = false;
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
    const { agent, goal, command } = this.#options;
    const isOver = this.#options.isOver?.() ?? agent.isOver;
    const pods = this.#options.pods();
    if (this.#decided === undefined && goal !== undefined && !this.#commandStarted) {
      const states = pods.map((pod) => this.#stateOf(pod, goal));
      const hopeless = pods[states.indexOf('impossible')];
      if (hopeless !== undefined) this.#decide({ type: 'goalImpossible', pod: hopeless });
      else if (states.every((state) => state === 'met')) {
        if (command === undefined) this.#decide({ type: 'goalMet' });
        else this.#startCommand(command);
      }
    }
    // While COMMAND runs, its exit code is what counts, even when the Pods are done.
    if (isOver && this.#decided === undefined && !this.#commandStarted) this.#decide({ type: 'ended' });
    this.#reportWhenOver();
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
    void command.run().then((exitCode) => this.#decide({ type: 'commandEnded', exitCode }));
  }

  #decide(outcome: RunOutcome): void {
    if (this.#decided !== undefined) return;
    this.#decided = outcome;
    this.#alarm?.cancel();
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
