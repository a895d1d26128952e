import type { StdioOptions } from 'node:child_process';
import { constants } from 'node:os';
import type { Clock } from '../clock.ts';
import { runExec } from './exec.ts';
import { killGroup } from './kill.ts';
import { type MainProcess, pipedProcess } from './main-process.ts';
import { OutputMaker, type OutputKind, type OutputPipes } from './output.ts';
import { factsOf } from './process-identity.ts';
import { CONTAINER_MARKER } from './process-table.ts';
import type {
  ContainerLaunch,
  ExecOutcome,
  ExecRequest,
  ProcessExit,
  RunningContainer,
  Runtime,
  StartOutcome,
} from './runtime.ts';
import { signalNumber } from './signal-number.ts';
import { spawnLeader, type SpawnOutcome } from './spawn.ts';
import { isPlainText, lookUpProgram, prepareWorkingDirectory } from './start-checks.ts';
import { execveFailed, forkFailed, isForkError, outputFailed, startFailed } from './start-errors.ts';
import { Sweeper } from './sweeper.ts';

const { SIGKILL, SIGTERM } = constants.signals;

export interface ProcessRuntimeOptions {
  readonly clock: Clock;
  /** A private folder (mode 0700) for FIFOs, made when missing; processes may share it. */
  readonly fifoDir: string;
  /** Default: `fifo` on Linux, `pipe` elsewhere. */
  readonly output?: OutputKind;
}

/**
 * Runs containers as plain processes of this machine: the tier that works everywhere.
 *
 * Like containerd with runc: the words of failed starts; a missing working directory is made; the program is looked up
 * along the PATH of the container; signals go to the main process only; everything dies with it; its exit counts, not
 * the end of its output; 128 + n for signal n.
 *
 * Unlike it: no namespaces and no limits. The main process is not PID 1, so that SIGTERM ends a program without a
 * handler; a process that left its group lives some milliseconds longer than the main process, and for ever when it
 * left every trace behind (see Sweeper).
 */
export class ProcessRuntime implements Runtime {
  readonly #clock: Clock;
  readonly #output: OutputMaker;
  readonly #sweeper: Sweeper;
  readonly #live = new Set<number>();

  constructor({ clock, fifoDir, output }: ProcessRuntimeOptions) {
    this.#clock = clock;
    this.#output = new OutputMaker(clock, fifoDir, output ?? (process.platform === 'linux' ? 'fifo' : 'pipe'));
    this.#sweeper = new Sweeper(clock);
  }

  /** Does ahead of time what the first start would have to wait for (3 to 5 ms). Failures show at that start. */
  async prepare(): Promise<void> {
    await this.#output.prepare().catch(() => undefined);
  }

  async start(launch: ContainerLaunch): Promise<StartOutcome> {
    const failed = (error: string): StartOutcome => ({ ok: false, error, at: this.#clock.now() });
    const problem = prepareWorkingDirectory(launch.cwd);
    if (problem !== undefined) return failed(startFailed(problem));
    const [name] = launch.argv;
    const lookup = lookUpProgram({ name, cwd: launch.cwd, searchPath: launch.env['PATH'] });
    if (!lookup.ok) return failed(startFailed(lookup.error));
    let notice: string | undefined;
    if (launch.tty === true && !isPlainText(lookup.file, launch.cwd)) {
      // Few containers have a terminal.
      const { startInTerminal } = await import('./terminal.ts');
      const outcome = await startInTerminal(launch, this.#clock);
      if (outcome.ok) return { ok: true, container: this.#attend(launch, outcome.process), notice: outcome.notice };
      notice = outcome.why;
    }
    let pipes: OutputPipes;
    try {
      pipes = await this.#output.make();
    } catch (error) {
      return failed(outputFailed(String(error)));
    }
    const spawned = await spawnMain(launch, lookup.file, pipes);
    if (!spawned.ok) {
      pipes.discard();
      return failed(startFailed(forkFailed(spawned.errno)));
    }
    const output = pipes.read(spawned.child, launch.onOutput);
    return { ok: true, container: this.#attend(launch, pipedProcess(spawned.child, spawned.pid, output)), notice };
  }

  /**
   * Kills every main process with its group, at once and without waiting: for a process that is about to end in a way
   * it should not.
   */
  killAll(): void {
    for (const pid of this.#live) killGroup(pid);
  }

  exec(request: ExecRequest): Promise<ExecOutcome> {
    return runExec(request, this.#clock, this.#output);
  }

  #attend(launch: ContainerLaunch, main: MainProcess): RunningContainer {
    const { pid } = main;
    const startedAt = this.#clock.now();
    // On Linux a look is cheap; elsewhere, whoever has the pid once the main process is gone is another process.
    const startTime = process.platform === 'linux' ? factsOf(pid)?.startTime : undefined;
    let hasEnded = false;
    this.#live.add(pid);
    void main.ended.then(({ exitCode, signal }) => {
      const at = this.#clock.now();
      hasEnded = true;
      this.#live.delete(pid);
      // A container's processes die with its first: at once those of the group, the others as soon as they are found.
      killGroup(pid);
      const exit = (): ProcessExit => ({
        exitCode,
        signal,
        at,
        oomKilled: false,
        swept: this.#sweeper.sweep({ id: launch.id, leader: { pid, startTime } }),
      });
      void main.finishOutput().then(() => launch.onExit(exit()));
    });
    return {
      pid,
      startedAt,
      signal: (name) => {
        if (!hasEnded) main.signal(signalNumber(name) ?? SIGTERM);
      },
      kill: () => {
        // The main process dies with its group; its exit starts the search for those that left it.
        if (hasEnded) return;
        killGroup(pid);
        // One in a terminal may not have got as far as having a group.
        main.signal(SIGKILL);
      },
      streams: main.streams,
    };
  }
}

/**
 * Starts the main process. When execve(2) refuses the program (the interpreter of a script is missing, the arguments
 * are too long, …), a node's container has already started: its process, runc itself up to that point, writes the
 * reason to stderr and exits with 1 (runc 1.1; 255 since 1.2). So does a stand-in here.
 */
async function spawnMain(launch: ContainerLaunch, file: string, pipes: OutputPipes): Promise<SpawnOutcome> {
  const { argv, cwd, id } = launch;
  const stdio: StdioOptions = [launch.stdin ? 'pipe' : 'ignore', ...pipes.stdio];
  const marker = { [CONTAINER_MARKER]: id };
  const spawned: SpawnOutcome = isPlainText(file, cwd)
    ? { ok: false, errno: 'ENOEXEC' }
    : await spawnLeader({ file, argv, cwd, env: { ...launch.env, ...marker }, stdio });
  if (spawned.ok || isForkError(spawned.errno)) return spawned;
  const standIn = ['sh', '-c', 'printf "%s\\n" "$0" >&2; exit 1', execveFailed(file, spawned.errno)] as const;
  return spawnLeader({ file: '/bin/sh', argv: [...standIn], cwd: '/', env: marker, stdio });
}
