import type { Pod as PodManifest } from '../api/generated/types.ts';
import type { StoredEvent as Event, StoredPod as Pod } from '../api/objects.ts';

/** Milliseconds, or a text with units: `500ms`, `30s`, `2m30s`. */
export type Duration = number | string;

/** Manifests as text, for a test that has them at hand. */
export interface ManifestText {
  /** YAML or JSON; several documents between lines of `---`. */
  readonly yaml: string;
  /** What messages call it. Default: `manifest.yaml`. */
  readonly name?: string;
}

/** Manifests: a path or `file:` URL of a file or a folder, a text, an object, or several of them. */
export type ManifestSource = string | URL | ManifestText | PodManifest | object | readonly ManifestSource[];

/** What stands for an image, which is never pulled: a program of this machine. */
export interface ImageProgram {
  /** In place of the image's ENTRYPOINT: words, or a text that is split into words as a shell does it. */
  readonly command?: string | readonly string[];
  /** In place of the image's CMD. */
  readonly args?: readonly string[];
  /** In place of the image's ENV. */
  readonly env?: Readonly<Record<string, string>>;
  /** In place of the image's WORKDIR; relative to `cwd`. */
  readonly workingDir?: string;
}

/** A line that a container, or one of its hooks, has printed. */
export interface LogLine {
  /** Name of the Pod. */
  readonly pod: string;
  readonly container: string;
  /** Without its newline. */
  readonly text: string;
}

/** A change of a Pod, as a watch of the Kubernetes API tells it. */
export interface PodChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The Pod after the change; for `DELETED` as it was last. */
  readonly pod: Pod;
}

/** How Pods are run. Each option is what the flag of `podrun apply` of that name is, where there is one. */
export interface RunOptions {
  /** How long `until` waits when it is not told otherwise. Default: 30s; `Infinity`: as long as it takes. */
  readonly timeout?: Duration;
  /**
   * How long a container without readiness and startup probe must have run before its Pod counts as Ready. Default: 1s;
   * 0: as soon as it runs.
   */
  readonly settle?: Duration;
  /** `until('Ready')` waits on when a container ends by itself that was Ready already. Default: false, it rejects. */
  readonly allowRestarts?: boolean;
  /** Namespace of objects that name none. Default: `default`. */
  readonly namespace?: string;
  /** Programs that stand for images; names may have `*`. They come before those of podrun.yaml. */
  readonly images?: Readonly<Record<string, string | readonly string[] | ImageProgram>>;
  /**
   * Variables that every container gets. What the manifest says of a variable in `env` stays as it is; they go over
   * what comes from `envFrom`.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The podrun.yaml to go by. Default: true, the one found upward from `cwd`; false: none. */
  readonly config?: boolean | string;
  /** Where relative paths start from, and containers without a `workingDir` run. Default: that of the process. */
  readonly cwd?: string;
  /**
   * Where podrun keeps what it knows. Default: a new folder for this run, which goes when it is closed; so runs at the
   * same time cannot meet. One that is named stays, with the records of the Pods in it.
   */
  readonly stateDir?: string;
  /** How containers are kept apart. Default: `PODRUN_RUNTIME`, else podrun.yaml, else `auto`. */
  readonly runtime?: 'auto' | 'namespace' | 'process';
  /** `pod`: each Pod has a network of its own. Default: podrun.yaml, else `host`. */
  readonly network?: 'host' | 'pod';
  /** Delays between restarts of a container that crashes. Default: those of a kubelet, 10s and 5m. */
  readonly backoff?: { readonly initial?: Duration; readonly max?: Duration };
  /** Watch memory limits where no cgroup enforces them. */
  readonly enforceMemory?: 'poll';
  /** Fields and limits that would have no effect here are errors: nothing is started. */
  readonly strict?: boolean;
  /** Start containers also without what of their security context cannot be had here. */
  readonly bestEffort?: boolean;
  /** Containers get copies of the folders that people work in, too. */
  readonly isolate?: boolean;
  /** The main process of a container is its process 1. */
  readonly strictPid1?: boolean;
  /** Aborting it ends the Pods gracefully; waits reject with its reason. */
  readonly signal?: AbortSignal;
  /**
   * What becomes of the output of containers, beside being kept for `logs()`: nothing (`capture`, the default), printed
   * on standard output with the names of Pod and container in front (`inherit`), or handed to a function, line by line.
   */
  readonly logs?: 'capture' | 'inherit' | ((line: LogLine) => void);
  /** Called for every change of a Pod, in order; none is left out. */
  readonly onTransition?: (change: PodChange) => void;
  /** Called with sentences about what goes another way than the manifests want. They are in `warnings`, too. */
  readonly onWarning?: (text: string) => void;
}

/**
 * What to wait for: `Ready`, `Succeeded`, `Failed`; any condition of Pods, as `Initialized`, `example.com/lb` or
 * `Ready=False`, also written `condition=Ready`; or a function that is asked about each Pod after each of its changes.
 */
export type Goal =
  | 'Ready'
  | 'Succeeded'
  | 'Failed'
  | 'Initialized'
  | 'ContainersReady'
  | 'PodScheduled'
  | 'PodReadyToStartContainers'
  // Any other text. It is told apart from those above, so that editors still offer them.
  | (string & { readonly goal?: never })
  | ((pod: Pod) => boolean);

export interface UntilOptions {
  /** Default: that of `run`. */
  readonly timeout?: Duration;
  /** Default: that of `run`. */
  readonly settle?: Duration;
  /** Default: that of `run`. */
  readonly allowRestarts?: boolean;
  /** The one Pod that it is about. Default: all of them. */
  readonly pod?: string;
  /** Ends the wait, which rejects with its reason; the Pods go on. */
  readonly signal?: AbortSignal;
}

/** Which Pod is meant: `NAME`, or `NAMESPACE/NAME`. It may be left out where there is but one. */
export interface OfPod {
  readonly pod?: string;
}

export interface LogsOptions extends OfPod {
  /** The run of the container before this one. */
  readonly previous?: boolean;
  /** The last lines only. */
  readonly tail?: number;
}

export interface ExecOptions extends OfPod {
  /** What the command reads. Default: nothing. */
  readonly input?: string | Uint8Array;
}

export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  /** 128 + the number of the signal, where one ended it. */
  readonly exitCode: number;
}

export interface PatchOptions extends OfPod {
  /** How lists are merged, as in `kubectl patch`. Default: `strategic`; an array is a `json` patch by itself. */
  readonly type?: 'json' | 'merge' | 'strategic';
  /** The part that is changed. Default: the object. */
  readonly subresource?: 'status' | 'resize' | 'ephemeralcontainers';
}

export interface ConditionOptions extends OfPod {
  readonly reason?: string;
  readonly message?: string;
}

export interface StopOptions {
  /** Seconds that containers get to end. Default: as each Pod says, `terminationGracePeriodSeconds`. */
  readonly gracePeriod?: number;
  /** Kill everything at once. */
  readonly force?: boolean;
}

/** A port of a Pod that is reached at a port of this machine. */
export interface Forwarding extends AsyncDisposable {
  /** `127.0.0.1`. */
  readonly address: string;
  readonly port: number;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Stops listening, and ends the connections. */
  close(): Promise<void>;
}

/**
 * Pods that run in this process. They end with it, however it ends; and before, with `stop` or `close`, or at the end
 * of the block that says `await using`.
 *
 * Where a Pod is to be named, a lone one need not be; `web` and `default/web` are the same.
 */
export interface Pods extends AsyncDisposable {
  /** Where podrun keeps what it knows: `podrun describe pod --state-dir FOLDER` works beside it. */
  readonly stateDir: string;
  /** What goes another way than the manifests want, a sentence each. */
  readonly warnings: readonly string[];
  /** Names of the Pods, in the order of the manifests. */
  readonly names: readonly string[];

  /** The Pod as it is now, or was last when it is deleted. */
  get(name?: string): Pod;

  /**
   * Resolves as soon as all Pods are there; Ready has to hold for a moment, see `settle`. Rejects at once with a
   * `GoalError` when one of them can never get there any more, or a container ends by itself that was Ready already,
   * and with a `TimeoutError` when it takes too long. Either way the Pods go on.
   */
  until(goal: Goal, options?: UntilOptions): Promise<void>;

  /**
   * What a container has printed, standard output and standard error as they came. Without a name: of the Pod's default
   * container. Empty while it has not started.
   */
  logs(container?: string, options?: LogsOptions): string;

  /**
   * Every change from the beginning of the run, then each as it comes, until all Pods are over. None is left out: a
   * container that lived for a millisecond has its Running and its Terminated.
   */
  changes(): AsyncIterableIterator<PodChange>;

  /** The Events about a Pod, or about all of them; the latest last. */
  events(name?: string): Event[];

  /** What `podrun describe pod` prints, of one Pod or of all. */
  describe(name?: string): string;

  /**
   * Runs a command in a container, to its end. An exit code other than 0 is an answer, not an error.
   * @throws {PodrunError} when the container does not run, or has no such program
   */
  exec(container: string, argv: readonly string[], options?: ExecOptions): Promise<ExecResult>;

  /** Changes a Pod, as `podrun patch` does; answers it as it then is. */
  patch(patch: object, options?: PatchOptions): Pod;

  /**
   * Sets a condition, as a controller would: this is how a readiness gate is turned. `undefined` takes it away.
   * @param status `True`, `False` or `Unknown`, or true and false
   */
  condition(type: string, status: 'True' | 'False' | 'Unknown' | boolean | undefined, options?: ConditionOptions): Pod;

  /** The address of a Pod: `status.podIP`. With the network of the host, one of 127.0.0.0/8. */
  address(name?: string): string;

  /**
   * Where a port of a Pod is reached from here, as `http://127.12.34.56:8080`. The port is a number, or the name of one
   * of a container. With `network: 'pod'` nothing of a Pod is reached from outside: see `forward`.
   */
  url(port: number | string, options?: OfPod): string;

  /** Listens at a free port of 127.0.0.1 for a port of a Pod, as `podrun port-forward` does; in any network. */
  forward(port: number | string, options?: OfPod): Promise<Forwarding>;

  /** Deletes a Pod, or all of them, as `podrun delete` does: ended and then removed. Resolves when that is done. */
  delete(name?: string, options?: StopOptions): Promise<void>;

  /**
   * Ends all Pods gracefully, as Ctrl-C does for `podrun apply`. Resolves when nothing of them runs any more. What
   * became of them can still be asked: `get`, `logs`, `events`, `describe`.
   */
  stop(options?: StopOptions): Promise<void>;

  /** Stops, and gives everything back; a state folder of this run's own is removed. The same as `await using`. */
  close(): Promise<void>;
}
