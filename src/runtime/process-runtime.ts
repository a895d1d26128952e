import { constants } from 'node:os';
import { type Clock, nextEventLoopTurn } from '../clock.ts';
import type { Confiner, InsideOutcome } from './confiner.ts';
import { Entrance } from './entrance.ts';
import { runExec } from './exec.ts';
import { withIdentity } from './identity-command.ts';
import { HOST, type Inside } from './inside.ts';
import { killGroup } from './kill.ts';
import { type Limited, UNLIMITED } from './limits/limited.ts';
import { type MainProcess, pipedProcess } from './main-process.ts';
import type { RuntimeFeatures } from './features.ts';
import { insideNetwork } from './network/join.ts';
import { RecentForks } from './pid-order.ts';
import { quickStartTimeOf } from './process-identity.ts';
import { PipeMaker, type PipeKind, type ProcessPipes } from './process-pipes.ts';
import type {
  ContainerLaunch,
  ExecLaunch,
  ExecOutcome,
  ExecRequest,
  ExecStart,
  ProcessExit,
  RunningContainer,
  Runtime,
  StartOutcome,
} from './runtime.ts';
import { diesUnprepared } from './signal-handlers.ts';
import { signalNumber } from './signal-number.ts';
import { spawnMain, type Surroundings } from './spawn-main.ts';
import { isPlainText, lookUpProgram, prepareWorkingDirectory } from './start-checks.ts';
import { forkFailed, outputFailed, startFailed } from './start-errors.ts';
import { Sweeper } from './sweeper.ts';
import { processPeakBytes, usageTotals } from './usage/usage-totals.ts';
import { Watchdog } from './watchdog.ts';
import { limitContainer } from './limits/limiter.ts';
import { startInTerminal } from './terminal.ts';
import { startExec } from './exec-start.ts';

const { SIGKILL, SIGTERM } = constants.signals;

export interface ProcessRuntimeOptions {
  readonly clock: Clock;
  /** A private folder (mode 0700) for FIFOs, made when missing; processes may share it. */
  readonly fifoDir: string;
  /** Default: `fifo` on Linux, `pipe` elsewhere. */
  readonly pipes?: PipeKind;
  /** How containers are kept apart; undefined: not at all. */
  readonly confiner?: Confiner | undefined;
  readonly features?: RuntimeFeatures | undefined;
  /** Ends what runs when podrun is killed. Default: one of its own. */
  readonly watchdog?: Watchdog;
  /** Look how much memory containers have, where the kernel does not limit it? Default: no. */
  readonly pollsMemory?: boolean;
}

/**
 * Runs containers as plain processes of this machine: the tier that works everywhere.
 *
 * Like containerd with runc: the words of failed starts; a missing working directory is made; the program is looked up
 * along the PATH of the container; signals go to the main process only; everything dies with it; its exit counts, not
 * the end of its output; 128 + n for signal n.
 *
 * Unlike it: no namespaces, and limits only where podrun may make cgroups. The main process is not PID 1, so that
 * SIGTERM ends a program without a handler; a process that left its group lives some milliseconds longer than the main
 * process, and for ever when it left every trace behind (see Sweeper).
 */
export class ProcessRuntime implements Runtime {
  readonly #clock: Clock;
  readonly #pipes: PipeMaker;
  readonly #sweeper: Sweeper;
  readonly #watchdog: Watchdog;
  readonly #confiner: Confiner | undefined;
  readonly #forks: RecentForks;
  readonly #live = new Set<number>();
  /** What is about to be told. */
  readonly #ends: Array<() => void> = [];
  readonly #pollsMemory: boolean;
  /** By ID of the container. */
  readonly #surroundings = new Map<string, Surroundings>();
  readonly features: RuntimeFeatures | undefined;

  constructor({ clock, fifoDir, pipes, confiner, features, watchdog, pollsMemory }: ProcessRuntimeOptions) {
    this.#clock = clock;
    this.#pollsMemory = pollsMemory ?? false;
    this.#confiner = confiner;
    this.features = features;
    this.#watchdog = watchdog ?? new Watchdog();
    const kind = pipes ?? (process.platform === 'linux' ? 'fifo' : 'pipe');
    this.#pipes = new PipeMaker(clock, fifoDir, kind, this.#watchdog);
    this.#sweeper = new Sweeper(clock);
    this.#forks = new RecentForks(clock);
  }

  /** Does ahead of time what the first start would have to wait for (3 to 5 ms). Failures show at that start. */
  async prepare(): Promise<void> {
    this.#watchdog.start();
    this.#confiner?.prepare();
    await this.#pipes.prepare().catch(() => undefined);
  }

  async start(launch: ContainerLaunch): Promise<StartOutcome> {
    const failed = (error: string): StartOutcome => ({ ok: false, error, at: this.#clock.now() });
    const forksBefore = this.#forks.count;
    // What keeps its inside bears the mark as well.
    const unmark = this.#watchdog.mark(launch.id);
    if (this.#confiner !== undefined || launch.network !== undefined) this.#watchdog.flush();
    const opened = await this.#open(launch);
    if (!opened.ok) {
      unmark();
      return failed(startFailed(opened.error));
    }
    const limited = this.#limit(launch);
    const inside = limited.within(withIdentity(opened.inside, launch.identity, this.features));
    const outcome = await this.#startInside(launch, { inside, limited });
    if ('error' in outcome) {
      unmark();
      inside.kill();
      await inside.end();
      return failed(outcome.error);
    }
    const container = this.#attend(launch, outcome.process, { inside, limited }, { unmark, forksBefore });
    // Whoever is told of the start does something about it first.
    nextEventLoopTurn(() => outcome.process.streams.holdOutput(false));
    return { ok: true, container, notice: outcome.notice, limitsNotice: limited.notice };
  }

  /** Few containers have limits, and cgroups are looked for only then. */
  #limit({ id, limits }: ContainerLaunch): Limited {
    if (limits === undefined) return UNLIMITED;
    return limitContainer(id, limits, { clock: this.#clock, pollsMemory: this.#pollsMemory });
  }

  async #open(launch: ContainerLaunch): Promise<InsideOutcome> {
    const outcome: InsideOutcome =
      this.#confiner === undefined || launch.confinement === undefined
        ? { ok: true, inside: HOST }
        : await this.#confiner.open(launch);
    const { network } = launch;
    if (!outcome.ok || network === undefined) return outcome;
    return { ok: true, inside: insideNetwork(network, outcome.inside) };
  }

  async #startInside(launch: ContainerLaunch, around: Surroundings): Promise<StartedInside> {
    const { inside } = around;
    const pathOf: Inside['pathOf'] = (path) => inside.pathOf(path);
    const problem = prepareWorkingDirectory(launch.cwd, pathOf);
    if (problem !== undefined) return { error: startFailed(problem) };
    const [name] = launch.argv;
    const lookup = lookUpProgram({ name, cwd: launch.cwd, searchPath: launch.env['PATH'], pathOf });
    if (!lookup.ok) return { error: startFailed(lookup.error) };
    let notice: string | undefined;
    if (launch.tty === true && !isPlainText(lookup.file, launch.cwd, pathOf)) {
      // Few containers have a terminal.
      const outcome = await startInTerminal(launch, lookup.file, inside, this.#clock);
      if (outcome.ok) return outcome;
      notice = outcome.why;
    }
    let pipes: ProcessPipes;
    try {
      pipes = await this.#pipes.make({ owner: inside.owner, logFile: launch.logFile, hasInput: launch.stdin });
    } catch (error) {
      return { error: outputFailed(String(error)) };
    }
    const { spawned, words } = await spawnMain(launch, lookup.file, pipes, around);
    if (!spawned.ok) {
      pipes.discard();
      return { error: startFailed(forkFailed(spawned.errno)) };
    }
    const entrance = new Entrance(launch, words);
    const connected = pipes.connect(spawned.child, entrance.onOutput);
    const main = await pipedProcess(spawned.child, spawned.pid, connected, inside.programOf(spawned.pid));
    const entered = await entrance.seeThrough(main, this.#clock);
    if (!entered.ok) return { error: startFailed(entered.words) };
    pipes.runs();
    return { process: entered.process, notice };
  }

  /**
   * Kills every main process with its group, at once and without waiting: for a process that is about to end in a way
   * it should not.
   */
  killAll(): void {
    for (const pid of this.#live) killGroup(pid);
    this.#confiner?.killAll();
  }

  /** Everything has ended, and nothing more will be started. */
  async close(): Promise<void> {
    await this.#confiner?.close();
    this.#watchdog.close();
  }

  exec(request: ExecRequest): Promise<ExecOutcome> {
    const { inside, limited } = this.#surroundings.get(request.id) ?? BARE;
    const means = { clock: this.#clock, pipes: this.#pipes, watchdog: this.#watchdog };
    return runExec(request, { ...means, inside, place: (pid) => limited.place(pid) });
  }

  async startExec(launch: ExecLaunch): Promise<ExecStart> {
    const { inside, limited } = this.#surroundings.get(launch.id) ?? BARE;
    const means = { clock: this.#clock, pipes: this.#pipes, watchdog: this.#watchdog };
    return startExec(launch, { ...means, inside, place: (pid) => limited.place(pid) });
  }

  /** Ends that are seen in one lap of the event loop are told together: whoever hears can take them as one. */
  #tellEnd(tell: () => void): void {
    if (this.#ends.push(tell) > 1) return;
    nextEventLoopTurn(() => {
      for (const one of this.#ends.splice(0)) one();
    });
  }

  #attend(
    launch: ContainerLaunch,
    main: MainProcess,
    around: Surroundings,
    { unmark, forksBefore }: Beginning,
  ): RunningContainer {
    const { id } = launch;
    const { inside, limited } = around;
    const { pid } = main;
    const startedAt = this.#clock.now();
    // Where it is not known: whoever has the pid once the main process is gone is another process.
    const startTime = quickStartTimeOf(pid);
    const unwatch = this.#watchdog.add({ pid, startTime });
    let hasEnded = false;
    // Who is told to stop has had its largest moments, most likely; who has ended can no longer be looked at.
    let peakBytes: number | undefined;
    const lookAtPeak = (): void => {
      peakBytes ??= processPeakBytes(main.programPid);
    };
    this.#live.add(pid);
    this.#surroundings.set(id, around);
    const swept = async (): Promise<void> => {
      await inside.end();
      if (!inside.isSealed) await this.#sweeper.sweep({ id, leader: { pid, startTime }, forksBefore });
      unmark();
    };
    void main.ended.then(({ exitCode, signal }) => {
      const at = this.#clock.now();
      hasEnded = true;
      // A container's processes die with its first: at once those of the group, the others as soon as they are found.
      killGroup(pid);
      inside.kill();
      const outOfMemory = limited.outOfMemory();
      const usage = usageTotals(limited.cgroups, peakBytes);
      unwatch();
      this.#live.delete(pid);
      this.#surroundings.delete(id);
      const oom = { oomKilled: outOfMemory !== undefined, oomPolled: outOfMemory === 'polled' };
      const exit = (): ProcessExit => ({ exitCode, signal, at, ...oom, usage, swept: swept() });
      void main.finishOutput().then(() => this.#tellEnd(() => launch.onExit(exit())));
    });
    const kill = (): void => {
      // The main process dies with its group; its exit starts the search for those that left it.
      if (hasEnded) return;
      killGroup(pid);
      inside.kill();
      // One in a terminal may not have got as far as having a group.
      main.signal(SIGKILL);
    };
    limited.watch(pid, kill);
    return {
      pid,
      startedAt,
      signal: (name) => {
        if (hasEnded) return false;
        const number = signalNumber(name) ?? SIGTERM;
        // Nothing comes before a kill.
        if (number !== SIGKILL) lookAtPeak();
        const isFirst = launch.confinement?.strictPid1 === true && inside.isSealed;
        const isUnprepared = !isFirst && number !== SIGKILL && diesUnprepared(main.programPid, number);
        main.signal(number);
        return isUnprepared;
      },
      kill,
      limit: (limits) => limited.change(limits),
      cgroups: limited.cgroups,
      streams: main.streams,
    };
  }
}

/** Of a container that is not there. */
const BARE: Surroundings = { inside: HOST, limited: UNLIMITED };

/** What was before the main process. */
interface Beginning {
  /** It is over. */
  readonly unmark: () => void;
  /** See SweepTarget. */
  readonly forksBefore: number | undefined;
}

type StartedInside =
  | { readonly process: MainProcess; readonly notice: string | undefined }
  /** The message of the container's state. */
  | { readonly error: string };
