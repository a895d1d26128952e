import { constants } from 'node:os';
import { caught } from '../defects.ts';
import type { Instant } from '../api/index.ts';
import type { Alarm, Clock } from '../clock.ts';
import type {
  ContainerLaunch,
  ExecOutcome,
  ExecRequest,
  ExecStart,
  ProcessExit,
  Runtime,
  StartOutcome,
} from '../runtime/index.ts';
import type { ExecBehaviour, ProgramBehaviour } from './read-program.ts';

/** The journal in order. `atMs` is on the stopwatch, `name` comes from `nameOf`, `id` is the instance's. */
export type JournalEntry = { readonly atMs: number; readonly name: string; readonly id: string } & (
  | { readonly what: 'start'; readonly attempt: number; readonly argv: readonly string[]; readonly env: Env }
  | { readonly what: 'failedToStart' }
  | { readonly what: 'running'; readonly pid: number }
  | { readonly what: 'signal'; readonly signal: string }
  | { readonly what: 'kill' }
  | { readonly what: 'exit'; readonly exitCode: number; readonly oomKilled: boolean; readonly isReported: boolean }
  /** The late report of an exit. */
  | { readonly what: 'exitReported' }
  | { readonly what: 'swept' }
  | { readonly what: 'exec'; readonly argv: readonly string[] }
  | { readonly what: 'execEnd'; readonly argv: readonly string[]; readonly outcome: ExecOutcome }
);

type Env = Readonly<Record<string, string>>;

export interface SimulatedRuntimeOptions {
  readonly clock: Clock;
  /** The program of a container at its first (0), second (1), … attempt to start. */
  readonly behave?: (name: string, attempt: number) => ProgramBehaviour;
  readonly behaveExec?: (name: string, argv: readonly string[]) => ExecBehaviour;
  /**
   * Names containers, since the runtime knows no container names. Default: the variable SIMULATED_NAME of the
   * environment (which commands inherit), else the program.
   */
  readonly nameOf?: (subject: ContainerLaunch | ExecRequest) => string;
  /** Called with every entry of the journal. */
  readonly onEntry?: (entry: JournalEntry) => void;
}

/**
 * A Runtime without processes, driven by a ManualClock. Anything that takes time is an alarm of the clock. Anything
 * else settles through promises, so that `clock.run(0)` shows it.
 */
export class SimulatedRuntime implements Runtime {
  readonly journal: JournalEntry[] = [];
  readonly #clock: Clock;
  readonly #behave: (name: string, attempt: number) => ProgramBehaviour;
  readonly #behaveExec: (name: string, argv: readonly string[]) => ExecBehaviour;
  readonly #nameOf: (subject: ContainerLaunch | ExecRequest) => string;
  readonly #onEntry: (entry: JournalEntry) => void;
  readonly #attempts = new Map<string, number>();
  readonly #running = new Map<string, SimulatedProcess>();
  /** The newest program of each name. */
  readonly #newest = new Map<string, SimulatedProcess>();
  #lastPid = 1000;

  constructor({ clock, behave, behaveExec, nameOf, onEntry }: SimulatedRuntimeOptions) {
    this.#clock = clock;
    this.#behave = behave ?? (() => ({}));
    this.#behaveExec = behaveExec ?? (() => ({}));
    this.#nameOf = nameOf ?? (({ env, argv }) => env['SIMULATED_NAME'] ?? argv[0]);
    this.#onEntry = onEntry ?? (() => undefined);
  }

  async start(launch: ContainerLaunch): Promise<StartOutcome> {
    const name = this.#nameOf(launch);
    const { id } = launch;
    const attempt = this.#attempts.get(name) ?? 0;
    this.#attempts.set(name, attempt + 1);
    const behaviour = this.#behave(name, attempt);
    this.#record({ name, id, what: 'start', attempt, argv: launch.argv, env: launch.env });
    await this.#pass(behaviour.startDelayMs ?? 0);
    if (behaviour.failToStart !== undefined) {
      this.#record({ name, id, what: 'failedToStart' });
      return { ok: false, error: behaviour.failToStart, at: this.#clock.now() };
    }
    const pid = ++this.#lastPid;
    this.#record({ name, id, what: 'running', pid });
    const program = new SimulatedProcess({
      clock: this.#clock,
      behaviour,
      launch,
      record: (entry) => {
        if (entry.what === 'exit') this.#running.delete(id);
        this.#record({ name, id, ...entry });
      },
    });
    this.#running.set(id, program);
    this.#newest.get(name)?.succeeded();
    this.#newest.set(name, program);
    return {
      ok: true,
      container: {
        pid,
        startedAt: program.startedAt,
        signal: (signal) => {
          program.signal(signal);
          return false;
        },
        kill: () => program.kill(),
      },
    };
  }

  async exec(request: ExecRequest): Promise<ExecOutcome> {
    const name = this.#nameOf(request);
    const { id, argv } = request;
    this.#record({ name, id, what: 'exec', argv });
    const outcome = await this.#execOutcome(this.#behaveExec(name, argv), request);
    this.#record({ name, id, what: 'execEnd', argv, outcome });
    return outcome;
  }

  /** A simulation has no terminals. */
  startExec(): Promise<ExecStart> {
    return Promise.resolve({ ok: false, error: 'not simulated' });
  }

  /** Names of the running containers, in the order of their starts. */
  get runningNames(): string[] {
    return [...this.#running.values()].map(({ launch }) => this.#nameOf(launch));
  }

  /** Ends the running containers of that name from outside, as an operator's `kill` or a crash would. */
  crash(name: string, exitCode: number = 1): void {
    for (const program of this.#running.values()) {
      if (this.#nameOf(program.launch) === name) program.exit(exitCode, undefined);
    }
  }

  async #execOutcome(behaviour: ExecBehaviour, request: ExecRequest): Promise<ExecOutcome> {
    if (behaviour.failToStart !== undefined) return { type: 'failedToStart', error: behaviour.failToStart };
    if (request.signal?.aborted === true) return { type: 'aborted' };
    const { afterMs = 0, stdout = '', stderr = '', exitCode = 0 } = behaviour;
    const timesOut = request.timeoutMs !== undefined && request.timeoutMs <= afterMs && afterMs > 0;
    const aborted = await this.#pass(timesOut ? (request.timeoutMs ?? 0) : afterMs, request.signal);
    if (aborted) return { type: 'aborted' };
    if (stdout !== '') request.onOutput?.('stdout', Buffer.from(stdout));
    if (stderr !== '') request.onOutput?.('stderr', Buffer.from(stderr));
    if (timesOut) return { type: 'timedOut', stdout, stderr };
    behaviour.effect?.();
    return { type: 'exited', exitCode, stdout, stderr };
  }

  /** Lets time pass. Returns whether `signal` was aborted meanwhile. */
  #pass(ms: number, signal?: AbortSignal): Promise<boolean> {
    if (ms <= 0) return Promise.resolve(signal?.aborted === true);
    return new Promise((resolve) => {
      const alarm = this.#clock.wakeAt(this.#clock.now().monotonicMs + ms, () => {
        signal?.removeEventListener('abort', abort);
        resolve(false);
      });
      const abort = (): void => {
        alarm.cancel();
        resolve(true);
      };
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  #record(entry: WithoutTime<JournalEntry>): void {
    const timed: JournalEntry = { atMs: this.#clock.now().monotonicMs, ...entry };
    this.journal.push(timed);
    this.#onEntry(timed);
  }
}

/** Entries before the time is added. */
type WithoutTime<T> = T extends unknown ? Omit<T, 'atMs'> : never;
type OwnEntry =
  | { what: 'signal'; signal: string }
  | { what: 'exit'; exitCode: number; oomKilled: boolean; isReported: boolean }
  | { what: 'kill' | 'exitReported' | 'swept' };

interface SimulatedProcessOptions {
  readonly clock: Clock;
  readonly behaviour: ProgramBehaviour;
  readonly launch: ContainerLaunch;
  readonly record: (entry: OwnEntry) => void;
}

class SimulatedProcess {
  readonly launch: ContainerLaunch;
  readonly startedAt: Instant;
  readonly #clock: Clock;
  readonly #behaviour: ProgramBehaviour;
  readonly #record: (entry: OwnEntry) => void;
  readonly #alarms: Alarm[] = [];
  #ended = false;
  #reportAgain: (() => void) | undefined;

  constructor({ clock, behaviour, launch, record }: SimulatedProcessOptions) {
    this.launch = launch;
    this.startedAt = clock.now();
    this.#clock = clock;
    this.#behaviour = behaviour;
    this.#record = record;
    for (const { afterMs = 0, stream = 'stdout', text } of behaviour.output ?? []) {
      this.#after(afterMs, () => launch.onOutput(stream, Buffer.from(text)));
    }
    const { exitAfterMs, exitCode = 0, oomKilled = false } = behaviour;
    if (exitAfterMs === undefined) return;
    this.#after(exitAfterMs, () => (oomKilled ? this.exit(137, 'SIGKILL', true) : this.exit(exitCode, undefined)));
  }

  signal(signal: string): void {
    if (this.#ended) return;
    this.#record({ what: 'signal', signal });
    if (signal === 'SIGKILL') return this.#dieOf(signal);
    const reaction = this.#behaviour.onSignal?.(signal);
    if (reaction === 'ignore') return;
    if (reaction === undefined) return this.#dieOf(signal);
    this.#after(reaction.exitAfterMs, () => this.exit(reaction.exitCode, undefined));
  }

  kill(): void {
    if (this.#ended) return;
    this.#record({ what: 'kill' });
    this.#dieOf('SIGKILL');
  }

  exit(exitCode: number, signal: NodeJS.Signals | undefined, oomKilled: boolean = false): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const alarm of this.#alarms) alarm.cancel();
    const { exitReportedAfterMs = 0 } = this.#behaviour;
    const isReported = exitReportedAfterMs === 0;
    this.#record({ what: 'exit', exitCode, oomKilled, isReported });
    const at = this.#clock.now();
    const report = (): void => this.#reportExit({ exitCode, signal, oomKilled, at });
    if (isReported) return report();
    this.#clock.wakeAt(at.monotonicMs + exitReportedAfterMs, () => {
      this.#record({ what: 'exitReported' });
      report();
    });
  }

  #reportExit(exit: Omit<ProcessExit, 'swept'>): void {
    const { sweepMs = 0, exitReportedTwice = false } = this.#behaviour;
    const swept = this.#passed(sweepMs).then(() => this.#record({ what: 'swept' }));
    const reported: ProcessExit = { ...exit, swept };
    this.launch.onExit(reported);
    if (exitReportedTwice) this.#reportAgain = () => this.launch.onExit(reported);
  }

  #passed(ms: number): Promise<void> {
    if (ms === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#clock.wakeAt(this.#clock.now().monotonicMs + ms, resolve);
    });
  }

  /** Repeats the report of the previous exit, now that the next instance runs. */
  succeeded(): void {
    const { monotonicMs } = this.#clock.now();
    if (this.#reportAgain !== undefined) this.#clock.wakeAt(monotonicMs, this.#reportAgain);
  }

  #dieOf(signal: string): void {
    // The sender of a signal never sees its effect within the same call.
    queueMicrotask(
      caught(() => this.exit(128 + constants.signals[signal as NodeJS.Signals], signal as NodeJS.Signals)),
    );
  }

  #after(ms: number, run: () => void): void {
    // An alarm even for 0 ms: the caller must learn of the start before the end.
    this.#alarms.push(this.#clock.wakeAt(this.#clock.now().monotonicMs + ms, run));
  }
}
