import type { Instant } from '../../api/index.ts';
import type { UsageTotals } from '../../machine/index.ts';
import type { Confinement, Identity, PodNamespaces, ResourceLimits } from './confinement.ts';
import type { RuntimeFeatures } from './features.ts';
import type { NetworkJoin } from './join.ts';
import type { SeccompProgram } from './seccomp.ts';

/** Everything needed to start the main process of one container instance. */
export interface ContainerLaunch {
  /** Unique for each instance. It is the container ID. */
  readonly id: string;
  /** Program and arguments. No shell is involved. */
  readonly argv: readonly [string, ...string[]];
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** An absolute path. Created when missing, as container runtimes do. */
  readonly cwd: string;
  /** True: standard input stays open and can be written to. Otherwise it is /dev/null. */
  readonly stdin: boolean;
  /**
   * True: the process runs in a terminal, which has its input and, as stdout, all of its output. It runs without one
   * where none can be opened. Default: false.
   */
  readonly tty?: boolean;
  /** The container's view of the machine. Undefined: the machine as podrun sees it. */
  readonly confinement?: Confinement | undefined;
  /**
   * An existing folder, absolute, whose files the container sees over the machine's files. Without a view of its own,
   * only the programs that podrun starts are looked up there.
   */
  readonly imageFolder?: string | undefined;
  /** Undefined: podrun's own. */
  readonly identity?: Identity | undefined;
  /** The filter of system calls, where no OCI runtime starts the programs. Undefined: all calls are permitted. */
  readonly seccomp?: SeccompProgram | undefined;
  readonly limits?: ResourceLimits | undefined;
  /** The private network. Undefined: the machine's. */
  readonly network?: NetworkJoin | undefined;
  /**
   * `POD/logs/CONTAINER/ATTEMPT.log`: the log that gets unread output after podrun was killed, unless the Pod's folder
   * is gone. Undefined: such output is lost.
   */
  readonly logFile?: string | undefined;
  /** The volumes that lie elsewhere on the host. A runtime only keeps them, for the agent that adopts the container. */
  readonly volumePlaces?: readonly VolumePlace[];
  /** The STOPSIGNAL of its image. A runtime only keeps it, for the agent that adopts the container. */
  readonly stopSignal?: string;
  /**
   * Called with every piece of output, in order of arrival: after `start` has resolved and its callers have run, and
   * before `onExit`.
   */
  readonly onOutput: OnOutput;
  /**
   * Called once, when the main process has ended, its process group was killed and its output was read to the end.
   * Called after `start` has resolved, and not after a failed start.
   */
  readonly onExit: (exit: ProcessExit) => void;
}

/** The place of a volume on the host, for a path of the container. */
export interface VolumePlace {
  readonly mountPath: string;
  readonly source: string;
}

export type OutputStream = 'stdout' | 'stderr';

/** Gets a piece of output. The chunk is valid during the call only: its memory is for the next piece. */
export type OnOutput = (stream: OutputStream, chunk: Buffer) => void;

export interface ProcessExit {
  /** The exit code of the process, or 128 + the number of the signal that ended it. */
  readonly exitCode: number;
  /** The name of the signal that ended it, for example `SIGKILL`. */
  readonly signal: string | undefined;
  readonly at: Instant;
  /** True when a process of the container was killed because of the memory limit. */
  readonly oomKilled: boolean;
  /** True when podrun, not the kernel, found the container above its limit. */
  readonly oomPolled?: boolean;
  /** The total usage of the container. Undefined: not known. */
  readonly usage?: UsageTotals | undefined;
  /** Settles when no process of the container is left, also outside its process group. Never rejects. */
  readonly swept: Promise<void>;
}

/** The outcome of a start. The error is in the words of a node's container runtime. */
export type StartOutcome =
  | {
      readonly ok: true;
      readonly container: RunningContainer;
      /** One sentence about a part of the request that the runtime cannot fulfil. */
      readonly notice?: string | undefined;
      /** One sentence about limits that have no effect, with the reason. */
      readonly limitsNotice?: string | undefined;
    }
  | { readonly ok: false; readonly error: string; readonly at: Instant };

/** A running container that a former process has started. */
export interface Adopted {
  readonly container: RunningContainer;
  readonly launch: Omit<ContainerLaunch, 'onOutput' | 'onExit'>;
}

export interface RunningContainer {
  readonly pid: number;
  readonly startedAt: Instant;
  /**
   * Sends a signal to the main process only, as container runtimes do. Sends SIGTERM in place of a signal that this
   * machine does not have. A process that is gone is not an error.
   * @returns true when the signal ends a process without a handler, which a node, where it would be process 1, would
   * have to kill
   */
  signal(name: string): boolean;
  /** Sends a signal to a container in another process, which replies later. */
  signalLater?(name: string): Promise<boolean>;
  /** Kills every process of the container at once (SIGKILL). */
  kill(): void;
  /** Changes the limits. Returns one sentence about limits that have no effect. */
  limit?(limits: ResourceLimits): string | undefined;
  /** The folders of its cgroups, for {@link removeGroups} after podrun was killed. Undefined: none. */
  readonly cgroups?: readonly string[];
  /** Undefined: the streams cannot be reached. */
  readonly streams?: ProcessStreams;
}

/** The streams of a running process, as far as clients may use them. */
export interface ProcessStreams {
  /** Undefined: the process has no input. */
  readonly input: ProcessInput | undefined;
  /** Undefined: the process has no terminal. */
  readonly terminal: { resize(size: TerminalSize): void } | undefined;
  /** Leaves output in the pipe while held, so that the process blocks when the pipe is full. */
  holdOutput(held: boolean): void;
  /**
   * Tells the runtime whether a client sees the output: otherwise the output need not be passed on. Undefined: all
   * output is passed on, which is the default.
   */
  showOutput?(isShown: boolean): void;
}

export interface ProcessInput {
  /** Resolves when more may be written. Input of a process that has ended is dropped. */
  write(chunk: Buffer): Promise<void>;
  /** Ends the input; in a terminal, as Ctrl-D does. */
  end(): void;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A command beside the main process: a hook, an exec probe. The command ends with the container at the latest. */
export interface ExecRequest extends Pick<ContainerLaunch, 'id' | 'argv' | 'env' | 'cwd'> {
  /** The time in milliseconds after which the command is killed with its process group. Undefined: no limit. */
  readonly timeoutMs: number | undefined;
  /** The most output that the outcome holds. */
  readonly maxOutputBytes: number;
  /** Called with every piece of output, in order of arrival, before the outcome. */
  readonly onOutput?: OnOutput;
  /** Kills the command with its process group when aborted. */
  readonly signal?: AbortSignal;
}

/** An interactive command beside the main process: `podrun exec`. */
export interface ExecLaunch extends Pick<ExecRequest, 'id' | 'argv' | 'env' | 'cwd'> {
  /** As in ContainerLaunch. */
  readonly stdin: boolean;
  readonly tty: boolean;
  /** Called with every piece of output, in order of arrival, before `onExit`. */
  readonly onOutput: OnOutput;
  /**
   * Called once with the exit code, as of a container, when the command has ended and its output is closed. Called
   * after `startExec` has resolved, and not after a failed start.
   */
  readonly onExit: (exitCode: number) => void;
}

/** A running command with its streams. */
export interface RunningExec {
  readonly streams: ProcessStreams;
  /** Kills the command with its process group, and ends its output. */
  kill(): void;
}

export type ExecStart =
  /** `notice`: one sentence about a part of the request that the runtime cannot fulfil. */
  | { readonly ok: true; readonly command: RunningExec; readonly notice: string | undefined }
  | { readonly ok: false; readonly error: string };

export type ExecOutcome =
  | { readonly type: 'exited'; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly type: 'timedOut'; readonly stdout: string; readonly stderr: string }
  | { readonly type: 'failedToStart'; readonly error: string }
  | { readonly type: 'aborted' };

/** The namespaces of a Pod. */
export interface PodRequest {
  readonly pod: PodNamespaces;
  /** A folder for the files of these namespaces, created when missing. */
  readonly folder: string;
  /** Undefined: the machine's. */
  readonly network: NetworkJoin | undefined;
}

export type PodOutcome =
  /**
   * `root`: the path at which the user of a user namespace sees the Pod's files; root mounts them for all to see.
   * `isNew`: the namespaces have just been made.
   */
  | { readonly ok: true; readonly root: string; readonly isNew: boolean }
  /** The reason in one sentence. */
  | { readonly ok: false; readonly error: string };

/**
 * The agent's interface to processes. It knows nothing of Pods. Implementations: ProcessRuntime (real processes) and a
 * simulated one for tests.
 */
export interface Runtime {
  /** Undefined: plain processes only. */
  readonly features?: RuntimeFeatures | undefined;
  /** Resolves when the process runs or could not be started. Rejects only on a defect of podrun itself. */
  start(launch: ContainerLaunch): Promise<StartOutcome>;
  exec(request: ExecRequest): Promise<ExecOutcome>;
  /** Resolves when the command runs or could not be started. The command ends with its container at the latest. */
  startExec(launch: ExecLaunch): Promise<ExecStart>;
  /**
   * Makes the namespaces of a Pod before its first container, with its file systems in memory, and keeps them until
   * `closePod`. Does nothing for a Pod that has them. Undefined: there are no namespaces.
   */
  openPod?(request: PodRequest): Promise<PodOutcome>;
  /** Ends them. Its containers have ended. */
  closePod?(uid: string): Promise<void>;
  /** The socket of the process that has the containers. It exists as long as that process lives. */
  readonly keeperSocket?: string;
  /**
   * Takes over a container of a former process. An exit in between is reported later. Undefined: there is no container
   * with this id. Only in runtimes whose containers outlive the process that uses them.
   */
  adopt?(id: string, listeners: Pick<ContainerLaunch, 'onOutput' | 'onExit'>): Adopted | undefined;
}
