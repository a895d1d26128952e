import { constants } from 'node:os';
import { caught, inBackground, tellDefect } from '../defects.ts';
import { type Clock, machineClock, nextEventLoopTurn } from '../clock.ts';
import type { Confiner, InsideOutcome } from './base/confiner.ts';
import { StartupWatch } from './start/startup-watch.ts';
import { runExec } from './start/exec.ts';
import { withIdentity } from './identity-command.ts';
import { HOST, type Inside } from './base/inside.ts';
import { diesUnprepared, killGroup, signalNumber } from './watch/kill.ts';
import { type Limited, UNLIMITED } from './base/limited.ts';
import { type MainProcess, pipedProcess, type SpawnContext, spawnMain } from './start/main-process.ts';
import type { RuntimeFeatures } from './base/features.ts';
import { insideImageFolder } from './start/inside-image-folder.ts';
import { insideNetwork } from './base/join.ts';
import { RecentForks } from './watch/pid-order.ts';
import { quickStartTimeOf } from './watch/process-identity.ts';
import { type PipeKind, PipeMaker, type ProcessPipes } from './pipes/process-pipes.ts';
import type {
  ContainerLaunch,
  ExecLaunch,
  ExecOutcome,
  ExecRequest,
  ExecStart,
  PodOutcome,
  PodRequest,
  ProcessExit,
  RunningContainer,
  Runtime,
  StartOutcome,
} from './base/runtime.ts';
import { isPlainText, lookUpProgram, prepareWorkingDirectory } from './start/start-checks.ts';
import { execveFailed, forkFailed, isForkError, outputFailed, startFailed } from './start/start-errors.ts';
import { Sweeper } from './watch/sweeper.ts';
import { processPeakBytes, usageTotals } from './linux/cgroup/cgroup-usage.ts';
import { Watchdog } from './watch/watchdog.ts';
import { limitContainer } from './linux/limits/limiter.ts';
import { startInTerminal } from './terminal/terminal.ts';
import { startExec } from './exec/exec-start.ts';

const { SIGKILL, SIGTERM } = constants.signals;

export interface ProcessRuntimeOptions {
  readonly clock: Clock;
  /** A private folder (mode 0700) for FIFOs, created when missing. Processes may share it. */
  readonly fifoDir: string;
  /** Default: `fifo` on Linux, `pipe` elsewhere. */
  readonly pipes?: PipeKind;
  /** Isolates containers. Undefined: no isolation. */
  readonly confiner?: Confiner | undefined;
  readonly features?: RuntimeFeatures | undefined;
  /** Ends containers when podrun is killed. Default: a watchdog of its own. */
  readonly watchdog?: Watchdog;
  /** True: measure the memory of containers where the kernel does not limit it. Default: false. */
  readonly pollsMemory?: boolean;
}

/**
 * Runs containers as plain processes of this machine: the tier that works everywhere.
 *
 * Like containerd with runc: the texts of failed starts; a missing working directory is created; the program is looked
 * up along the PATH of the container; signals go to the main process only; everything dies with it; its exit counts,
 * not the end of its output; 128 + n for signal n.
 *
 * Unlike containerd: no namespaces, and limits only where podrun may make cgroups. The main process is not PID 1, so
 * SIGTERM ends a program without a handler. A process that has left its group outlives the main process by some
 * milliseconds, or for ever when it has left every trace (see Sweeper).
 */
export class ProcessRuntime implements Runtime {
  /** Stamps starts and exits. */
  readonly #stamps: Clock;
  readonly #clock: Clock;
  readonly #pipes: PipeMaker;
  readonly #sweeper: Sweeper;
  readonly #watchdog: Watchdog;
  readonly #confiner: Confiner | undefined;
  readonly #forks: RecentForks;
  readonly #live = new Set<number>();
  /** Exits that are about to be reported. */
  readonly #ends: Array<() => void> = [];
  readonly #pollsMemory: boolean;
  /** By id of the container. */
  readonly #contexts = new Map<string, SpawnContext>();
  readonly features: RuntimeFeatures | undefined;

  constructor({ clock: stamps, fifoDir, pipes, confiner, features, watchdog, pollsMemory }: ProcessRuntimeOptions) {
    const clock = machineClock(stamps);
    this.#stamps = stamps;
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

  /** Prepares work that the first start would wait for (3 to 5 ms). A failure is reported by that start. */
  async prepare(): Promise<void> {
    this.#watchdog.start();
    this.#confiner?.prepare();
    await this.#pipes.prepare().catch(() => undefined);
  }

  async start(launch: ContainerLaunch): Promise<StartOutcome> {
    const failed = (error: string): StartOutcome => ({ ok: false, error, at: this.#stamps.now() });
    const forksBefore = this.#forks.count;
    // The processes that hold the container's namespaces have its mark, too.
    const unmark = this.#watchdog.mark(launch.id);
    if (this.#confiner !== undefined || launch.network !== undefined) this.#watchdog.flush();
    const limited = this.#limit(launch);
    const opened = await this.#open(launch, limited);
    if (!opened.ok) {
      unmark();
      await limited.within(HOST).end();
      return failed(startFailed(opened.error));
    }
    const inside = limited.within(
      this.#withImageFolder(launch, withIdentity(opened.inside, launch.identity, launch.seccomp)),
    );
    const outcome = await this.#startInside(launch, inside);
    if ('error' in outcome) {
      unmark();
      inside.kill();
      await inside.end();
      return failed(outcome.error);
    }
    const container = this.#attend(launch, outcome.process, { inside, limited }, { unmark, forksBefore });
    // The caller handles the start before the first output.
    nextEventLoopTurn(() => outcome.process.streams.holdOutput(false));
    return { ok: true, container, notice: outcome.notice, limitsNotice: limited.notice };
  }

  /** Few containers have limits, and cgroups are searched only for these. */
  #limit({ id, limits }: ContainerLaunch): Limited {
    if (limits === undefined) return UNLIMITED;
    return limitContainer(id, limits, { clock: this.#clock, pollsMemory: this.#pollsMemory });
  }

  async #open(launch: ContainerLaunch, { visibleCgroups }: Limited): Promise<InsideOutcome> {
    const outcome: InsideOutcome =
      this.#confiner === undefined || launch.confinement === undefined
        ? { ok: true, inside: HOST }
        : await this.#confiner.open(launch, visibleCgroups);
    const { network } = launch;
    if (!outcome.ok || network === undefined) return outcome;
    return { ok: true, inside: insideNetwork(network, outcome.inside) };
  }

  /** Containers with a view of their own have the folder's files in it. */
  #withImageFolder({ imageFolder, confinement }: ContainerLaunch, inside: Inside): Inside {
    const isInView = this.#confiner !== undefined && confinement !== undefined;
    return imageFolder === undefined || isInView ? inside : insideImageFolder(imageFolder, inside);
  }

  async #startInside(launch: ContainerLaunch, inside: Inside): Promise<StartedInside> {
    const pathOf: Inside['pathOf'] = (path) => inside.pathOf(path);
    const isPartlyHidden = inside.tools?.users === 'mapped';
    const problem = prepareWorkingDirectory(launch.cwd, pathOf);
    if (problem !== undefined && !isPartlyHidden) return { error: startFailed(problem) };
    const [name] = launch.argv;
    const lookup = lookUpProgram({ name, cwd: launch.cwd, searchPath: launch.env['PATH'], pathOf, isPartlyHidden });
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
    const { spawned, commandLine } = await spawnMain(launch, lookup.file, pipes, inside);
    if (!spawned.ok) {
      pipes.discard();
      const { errno } = spawned;
      return { error: startFailed(isForkError(errno) ? forkFailed(errno) : execveFailed(lookup.file, errno)) };
    }
    const watch = new StartupWatch(launch, commandLine, inside.ociRuntime);
    const connected = pipes.connect(spawned.child, watch.onOutput);
    const main = await pipedProcess(spawned.child, spawned.pid, connected, inside.programOf(spawned.pid));
    const startup = await watch.untilRunning(main, this.#clock);
    if (!startup.ok) return { error: startFailed(startup.error) };
    pipes.runs();
    return { process: startup.process, notice };
  }

  openPod(request: PodRequest): Promise<PodOutcome> {
    return this.#confiner?.openPod(request) ?? Promise.resolve({ ok: false, error: 'there are no namespaces' });
  }

  async closePod(uid: string): Promise<void> {
    await this.#confiner?.closePod(uid);
  }

  /** Kills every main process with its group, without waiting: for a process that ends abnormally. */
  killAll(): void {
    for (const pid of this.#live) killGroup(pid);
    this.#confiner?.killAll();
  }

  /** Closes the runtime after the end of all containers. */
  async close(): Promise<void> {
    await this.#confiner?.close();
    await this.#pipes.close();
    this.#watchdog.close();
  }

  exec(request: ExecRequest): Promise<ExecOutcome> {
    const { inside, limited } = this.#contexts.get(request.id) ?? BARE;
    const dependencies = { clock: this.#clock, pipes: this.#pipes, watchdog: this.#watchdog };
    return runExec(request, { ...dependencies, inside, place: (pid) => limited.place(pid) });
  }

  async startExec(launch: ExecLaunch): Promise<ExecStart> {
    const { inside, limited } = this.#contexts.get(launch.id) ?? BARE;
    const dependencies = { clock: this.#clock, pipes: this.#pipes, watchdog: this.#watchdog };
    return startExec(launch, { ...dependencies, inside, place: (pid) => limited.place(pid) });
  }

  /** Reports exits of one turn of the event loop together, so that the agent can handle them in one step. */
  #reportExit(report: () => void): void {
    if (this.#ends.push(report) > 1) return;
    nextEventLoopTurn(() => {
      for (const end of this.#ends.splice(0)) caught(end)();
    });
  }

  /** Clears up when a main process has ended. Throws nothing: the Pod waits for the report of the exit. */
  #lastFacts(id: string, pid: number, { inside, limited }: SpawnContext, peakBytes: number | undefined): LastFacts {
    this.#live.delete(pid);
    this.#contexts.delete(id);
    try {
      // The processes of a container die with its first one: its group now, all other processes as soon as they are
      // found.
      killGroup(pid);
      inside.kill();
      const outOfMemory = limited.outOfMemory();
      const usage = usageTotals(limited.cgroups, peakBytes);
      return { oomKilled: outOfMemory !== undefined, oomPolled: outOfMemory === 'polled', usage };
    } catch (error) {
      tellDefect(error);
      return { oomKilled: false };
    }
  }

  #attend(
    launch: ContainerLaunch,
    main: MainProcess,
    context: SpawnContext,
    { unmark, forksBefore }: StartMarks,
  ): RunningContainer {
    const { id } = launch;
    const { inside, limited } = context;
    const { pid } = main;
    const startedAt = this.#stamps.now();
    // Without a start time: a process that has this pid after the end of the main process is another one.
    const startTime = quickStartTimeOf(pid);
    const unwatch = this.#watchdog.add({ pid, startTime });
    let hasEnded = false;
    // Read the peak memory when the stop of the container begins: after the exit, /proc has it no more.
    let peakBytes: number | undefined;
    const lookAtPeak = (): void => {
      peakBytes ??= processPeakBytes(main.programPid);
    };
    this.#live.add(pid);
    this.#contexts.set(id, context);
    const swept = async (): Promise<void> => {
      await inside.end();
      if (!inside.isSealed) await this.#sweeper.sweep({ id, leader: { pid, startTime }, forksBefore });
      unmark();
    };
    const ended = main.ended.then(async ({ exitCode, signal }) => {
      const at = this.#stamps.now();
      hasEnded = true;
      const last = this.#lastFacts(id, pid, context, peakBytes);
      unwatch();
      await main.finishOutput().catch(tellDefect);
      this.#reportExit(() => launch.onExit({ exitCode, signal, at, ...last, swept: swept() }));
    });
    inBackground(ended);
    const kill = (): void => {
      // Kills the group. The exit of the main process then starts the search for processes that have left it.
      if (hasEnded) return;
      killGroup(pid);
      inside.kill();
      // A process in a terminal may not have made its group yet.
      main.signal(SIGKILL);
    };
    limited.watch(pid, kill);
    return {
      pid,
      startedAt,
      signal: (name) => {
        if (hasEnded) return false;
        const number = signalNumber(name) ?? SIGTERM;
        // A kill must not be delayed.
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

/** The context of a container that does not run. */
const BARE: SpawnContext = { inside: HOST, limited: UNLIMITED };

/** The facts about an exit that are lost with the container. */
type LastFacts = Pick<ProcessExit, 'oomKilled' | 'oomPolled' | 'usage'>;

/** The state before the main process. */
interface StartMarks {
  /** Removes the container's mark from the watchdog. */
  readonly unmark: () => void;
  /** See SweepTarget. */
  readonly forksBefore: number | undefined;
}

type StartedInside =
  | { readonly process: MainProcess; readonly notice: string | undefined }
  /** The message of the container's state. */
  | { readonly error: string };
