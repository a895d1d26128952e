import type { Instant } from '../api/time.ts';
import type { UsageTotals } from '../api/usage-totals.ts';
import type { Confinement, Identity, ResourceLimits } from './confinement.ts';
import type { RuntimeFeatures } from './features.ts';
import type { NetworkJoin } from './network/join.ts';

/** Everything needed to start the main process of one container instance. */
export interface ContainerLaunch {
  /** Unique per instance; shows up as the container ID. */
  readonly id: string;
  /** Program and arguments; no shell is involved. */
  readonly argv: readonly [string, ...string[]];
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path. Made when it does not exist, as the container runtimes do. */
  readonly cwd: string;
  /** Keep the standard input open and reachable? Otherwise it is /dev/null. */
  readonly stdin: boolean;
  /**
   * Run it in a terminal, which its input comes from and all of its output, as stdout, goes to? Where none is to be
   * had, it runs without. Default: no.
   */
  readonly tty?: boolean;
  /** What it sees of the machine; undefined: all of it, as podrun does. */
  readonly confinement?: Confinement | undefined;
  /** Undefined: podrun's own. */
  readonly identity?: Identity | undefined;
  readonly limits?: ResourceLimits | undefined;
  /** The private network that it is in; undefined: that of the machine. */
  readonly network?: NetworkJoin | undefined;
  /**
   * `POD/logs/CONTAINER/ATTEMPT.log`: where what is still unread when podrun is killed is appended to, in the form of a
   * container runtime's log, unless the folder of the Pod is gone. Undefined: it is lost then.
   */
  readonly logFile?: string | undefined;
  /**
   * Called with every piece of output, in order of arrival; never before `start` has resolved and what waits for that
   * was done, and never after `onExit`.
   */
  readonly onOutput: (stream: OutputStream, chunk: Buffer) => void;
  /**
   * Called once, as soon as the main process has ended, its process group was killed and its output was read to the
   * end. Never called before `start` has resolved, never when the start failed.
   */
  readonly onExit: (exit: ProcessExit) => void;
}

export type OutputStream = 'stdout' | 'stderr';

export interface ProcessExit {
  /** The code of the process, or 128 + the number of the signal that ended it. */
  readonly exitCode: number;
  /** Name of the signal that ended it, for example `SIGKILL`. */
  readonly signal: string | undefined;
  readonly at: Instant;
  /** One of its processes was killed because of its memory limit. */
  readonly oomKilled: boolean;
  /** It was podrun that found it above the limit, not the kernel. */
  readonly oomPolled?: boolean;
  /** What the container has taken in all; undefined where nothing is known. */
  readonly usage?: UsageTotals | undefined;
  /** Settles when no process of the container is left, also none that escaped its process group. Never rejects. */
  readonly swept: Promise<void>;
}

/** A start that failed carries the runtime's own words, as a node's container runtime says them. */
export type StartOutcome =
  | {
      readonly ok: true;
      readonly container: RunningContainer;
      /** What was asked for and is not, or not wholly, there; one sentence. */
      readonly notice?: string | undefined;
      /** Which limits do not hold, and why; one sentence. */
      readonly limitsNotice?: string | undefined;
    }
  | { readonly ok: false; readonly error: string; readonly at: Instant };

/** A container that somebody else has started, and that goes on. */
export interface Adopted {
  readonly container: RunningContainer;
  /** What it was started with. */
  readonly launch: Omit<ContainerLaunch, 'onOutput' | 'onExit'>;
}

export interface RunningContainer {
  readonly pid: number;
  readonly startedAt: Instant;
  /**
   * Sends a signal to the main process only, as container runtimes do; SIGTERM in place of one that this machine does
   * not have. A process that is gone is not an error.
   * @returns true when this ends a process that a node, where it would be process 1, would have to kill in the end
   */
  signal(name: string): boolean;
  /** The same, of a process that cannot be asked at once. */
  signalLater?(name: string): Promise<boolean>;
  /** Kills every process of the container at once (SIGKILL). */
  kill(): void;
  /** It may take so much from now on. Answers which limits do not hold, and why; one sentence. */
  limit?(limits: ResourceLimits): string | undefined;
  /** Folders of its cgroups, for {@link removeGroups} when podrun was killed. Undefined: it has none. */
  readonly cgroups?: readonly string[];
  /** Undefined: nobody can reach them. */
  readonly streams?: ProcessStreams;
}

/** The streams of a running process, as far as others may use them. */
export interface ProcessStreams {
  /** Undefined: it has none. */
  readonly input: ProcessInput | undefined;
  /** Undefined: it has none. */
  readonly terminal: { resize(size: TerminalSize): void } | undefined;
  /** While held, what it writes stays where it is, so that sooner or later it has to wait. */
  holdOutput(held: boolean): void;
  /**
   * Is anybody there who sees its output? What nobody sees need not be handed on. Undefined: all of it is wanted, as
   * it is everywhere until this is called.
   */
  showOutput?(isShown: boolean): void;
}

export interface ProcessInput {
  /** Resolves when more may come. What a process that has ended would have read is dropped. */
  write(chunk: Buffer): Promise<void>;
  /** The end of the input; in a terminal, what Ctrl-D is. */
  end(): void;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A command that is run beside the main process: hooks, exec probes, `podrun exec`. */
export interface ExecRequest {
  /** ID of the container beside whose main process it runs: it ends with the container, at the latest. */
  readonly id: string;
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Killed, with its process group, when this many milliseconds have passed. Undefined: no limit. */
  readonly timeoutMs: number | undefined;
  /** The outcome holds no more than this much of the output. */
  readonly maxOutputBytes: number;
  /** Called with every piece of output, all of it, in order of arrival; never after the outcome. */
  readonly onOutput?: (stream: OutputStream, chunk: Buffer) => void;
  /** Kills the command, with its process group, when aborted. */
  readonly signal?: AbortSignal;
}

/** A command beside the main process that somebody sees and types into: `podrun exec`. */
export interface ExecLaunch extends Pick<ExecRequest, 'id' | 'argv' | 'env' | 'cwd'> {
  /** As of a container. */
  readonly stdin: boolean;
  readonly tty: boolean;
  /** Called with every piece of output, in order of arrival; never after `onExit`. */
  readonly onOutput: (stream: OutputStream, chunk: Buffer) => void;
  /**
   * Called once, when the command has ended and nobody holds its output any more; with its exit code as that of a
   * container. Never called before `startExec` has resolved, never when the start failed.
   */
  readonly onExit: (exitCode: number) => void;
}

/** A command that runs, and those who have started it. */
export interface RunningExec {
  readonly streams: ProcessStreams;
  /** Kills it, with its process group; its output is over then, too. */
  kill(): void;
}

export type ExecStart =
  /** `notice`: what was asked for and is not, or not wholly, there; one sentence. */
  | { readonly ok: true; readonly command: RunningExec; readonly notice: string | undefined }
  | { readonly ok: false; readonly error: string };

export type ExecOutcome =
  | { readonly type: 'exited'; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly type: 'timedOut'; readonly stdout: string; readonly stderr: string }
  | { readonly type: 'failedToStart'; readonly error: string }
  | { readonly type: 'aborted' };

/**
 * What the agent needs of the machine. It knows processes and nothing about Pods. Implementations: ProcessRuntime
 * (real processes) and, for tests, a simulated one.
 */
export interface Runtime {
  /** Undefined: nothing but processes. */
  readonly features?: RuntimeFeatures | undefined;
  /** Resolves when the process runs or could not be started; rejects only on a defect of podrun itself. */
  start(launch: ContainerLaunch): Promise<StartOutcome>;
  exec(request: ExecRequest): Promise<ExecOutcome>;
  /** Resolves when the command runs or could not be started. It ends with its container, at the latest. */
  startExec(launch: ExecLaunch): Promise<ExecStart>;
  /**
   * Takes over a container that a former process has started. When it has ended meanwhile, that is told later.
   * Undefined: there is none of that ID. Only of a runtime whose containers outlive the process that uses it.
   */
  adopt?(id: string, listeners: Pick<ContainerLaunch, 'onOutput' | 'onExit'>): Adopted | undefined;
}
