import type {
  KubeObject,
  Pod as PodManifest,
  StoredEvent as Event,
  StoredPod as Pod,
  Workload,
} from '../../api/index.ts';

/** Milliseconds, or a text with units: `500ms`, `30s`, `2m30s`. */
export type Duration = number | string;

/** A manifest as text. */
export interface ManifestText {
  /** YAML or JSON. Lines of `---` separate several documents. */
  readonly yaml: string;
  /** The file name in messages. Default: `manifest.yaml`. */
  readonly name?: string;
}

/** Manifests: a path or `file:` URL of a file or a folder, a text, an object, or several of them. */
export type ManifestSource = string | URL | ManifestText | PodManifest | object | readonly ManifestSource[];

/** The program of this machine that replaces an image. */
export interface ImageProgram {
  /** Replaces the image's ENTRYPOINT: words, or a text that is split into words as a shell does. */
  readonly command?: string | readonly string[];
  /** Replaces the image's CMD. */
  readonly args?: readonly string[];
  /** Replaces the image's ENV. */
  readonly env?: Readonly<Record<string, string>>;
  /** Replaces the image's WORKDIR. Relative to `cwd`. */
  readonly workingDir?: string;
}

/** A line of output of a container or of one of its hooks. */
export interface LogLine {
  /** Name of the Pod. */
  readonly pod: string;
  readonly container: string;
  /** The line without its newline. */
  readonly text: string;
}

/** A change of a Pod, as a watch of the Kubernetes API reports it. */
export interface PodChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The Pod after the change. For `DELETED`, its last state. */
  readonly pod: Pod;
}

/** A node of a run. */
export interface RunNode {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: ReadonlyArray<{
    readonly key: string;
    readonly value?: string;
    readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  }>;
  /** Resources in place of this machine's: `{ cpu: '4', memory: '8Gi' }`. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** True: the node takes no new Pods. */
  readonly unschedulable?: boolean;
}

/** The options of a run. An option means the same as the flag of `podrun apply` with its name. */
export interface RunOptions {
  /** The time limit of `until`, and of hooks before an installation. Default: 30s. `Infinity`: no limit. */
  readonly timeout?: Duration;
  /**
   * The time that a container without readiness and startup probe must have run before its Pod counts as Ready.
   * Default: 1s. 0: as soon as the container runs.
   */
  readonly settle?: Duration;
  /** Lets `until('Ready')` wait on when a container that was Ready ends by itself. Default: false, the wait rejects. */
  readonly allowRestarts?: boolean;
  /**
   * With a `stateDir`: lets a changed Deployment of which no Pod runs start as it ran last, and roll to its template.
   * Default: false, it starts with its template.
   */
  readonly rolling?: boolean;
  /** The namespace of objects that name none. Default: `default`. */
  readonly namespace?: string;
  /** Programs that replace images. An image name may contain `*`. These win over the programs in podrun.yaml. */
  readonly images?: Readonly<Record<string, string | readonly string[] | ImageProgram>>;
  /**
   * The files and programs of containers. `host`: programs of this machine, and no network is touched. `registry`:
   * their images. `auto`: images where neither the manifest nor `images` says what to run. Default: podrun.yaml, else
   * `host`.
   */
  readonly imageSource?: 'auto' | 'host' | 'registry';
  /**
   * Variables that every container gets. `env` of the manifest wins over these variables; these win over `envFrom`.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The podrun.yaml of the run. Default: true, the nearest one upward from `cwd`. false: none. */
  readonly config?: boolean | string;
  /** The folder that relative paths start from, and the default `workingDir`. Default: the process's own. */
  readonly cwd?: string;
  /**
   * The state folder. Default: a new folder for this run, which `close` removes, so that runs at the same time do not
   * meet. A named folder stays, with the records of its Pods.
   */
  readonly stateDir?: string;
  /** The isolation of containers. Default: `PODRUN_RUNTIME`, else podrun.yaml, else `auto`. */
  readonly runtime?: 'auto' | 'namespace' | 'process';
  /**
   * The network of the Pods. `pod`: each Pod has a network of its own. `cluster`: so it has, and Pods of this run reach
   * each other. `auto`: `cluster` beside a Service with a selector, or replicas with a containerPort, where the machine
   * permits it, else `host`. Default: podrun.yaml, else `auto`.
   */
  readonly network?: 'auto' | 'host' | 'pod' | 'cluster';
  /**
   * False: Pods of a `cluster` do not reach servers on 127.0.0.1 of this machine (as `host.podrun.internal`). Default:
   * true.
   */
  readonly networkHostAccess?: boolean;
  /** The proxy for Services of a `cluster`: podrun's own, or rules of nftables. Default: podrun.yaml, else `node`. */
  readonly proxy?: 'node' | 'nft';
  /**
   * Serves the API of Kubernetes beside the Pods; `kubeconfig` of the result leads to it. Default: where the manifests
   * need it, as CustomResourceDefinitions, webhooks and RBAC do.
   */
  readonly api?: boolean;
  /**
   * Runs the hooks of a chart as `helm install` does: `pre-install` hooks before `run` resolves, within `timeout`.
   * `until` waits for `post-install` hooks, and rejects when one fails. Default: false, they are left out.
   */
  readonly helmHooks?: boolean;
  /** The ports of 127.0.0.1 for Ingresses. Default: 8080 and 8443, or the next that are free. */
  readonly ingressPorts?: { readonly http: number; readonly https: number };
  /** Delays between restarts of a container that crashes. Default: the kubelet's, 10s and 5m. */
  readonly backoff?: { readonly initial?: Duration; readonly max?: Duration };
  /** Delays of the next Pod of a Job after a failed one. Default: the Job controller's, 10s and 10m. */
  readonly jobBackoff?: { readonly initial?: Duration; readonly max?: Duration };
  /** Watches memory limits where no cgroup enforces them. */
  readonly enforceMemory?: 'poll';
  /** Makes fields and limits without effect on this machine errors. Nothing is started then. */
  readonly strict?: boolean;
  /** Starts containers even if parts of their security context are impossible on this machine. */
  readonly bestEffort?: boolean;
  /** Gives containers copies of the folders that people work in, too. */
  readonly isolate?: boolean;
  /**
   * Runs Pods on several nodes: their number (node-1, node-2, …), or each of them. Default: podrun.yaml, else this
   * machine alone.
   */
  readonly nodes?: number | readonly RunNode[];
  /** Records requests for CPU, memory and disk, and does not count them. Default: podrun.yaml, else false. */
  readonly overcommit?: boolean;
  /** The folder of seccomp profiles. Default: `seccomp` in the state folder. */
  readonly seccompRoot?: string;
  /** Makes the main process of a container its process 1. */
  readonly strictPid1?: boolean;
  /** Aborting the signal ends the Pods gracefully. Waits reject with its reason. */
  readonly signal?: AbortSignal;
  /**
   * The destination of the output of containers, in addition to `logs()`. `capture`, the default: none. `inherit`:
   * standard output, with the names of Pod and container in front. A function: receives each line.
   */
  readonly logs?: 'capture' | 'inherit' | ((line: LogLine) => void);
  /** Called for every change of a Pod, in order. None is left out. */
  readonly onTransition?: (change: PodChange) => void;
  /** Called with each sentence of `warnings`. */
  readonly onWarning?: (text: string) => void;
}

/**
 * The goal of a wait: `Ready`, `up` (Jobs are Complete, the rest is Ready), `Available`, `Succeeded`, `Failed`; any
 * condition, as `Initialized`, `example.com/lb` or `Ready=False`, also written `condition=Ready`; or a function that is
 * called with each Pod after each change. A goal means for a workload what it means to `podrun apply --until`;
 * `Succeeded` is Complete for a Job.
 */
export type Goal =
  | 'Ready'
  | 'up'
  | 'Available'
  | 'Succeeded'
  | 'Failed'
  | 'Initialized'
  | 'ContainersReady'
  | 'PodScheduled'
  | 'PodReadyToStartContainers'
  // Any other text. The intersection keeps the texts above in the completion of editors.
  | (string & { readonly goal?: never })
  | ((pod: Pod) => boolean);

export interface UntilOptions {
  /** Default: as given to `run`. */
  readonly timeout?: Duration;
  /** Default: as given to `run`. */
  readonly settle?: Duration;
  /** Default: as given to `run`. */
  readonly allowRestarts?: boolean;
  /** The name of the only Pod to wait for, or of a workload, as `deployment/web`. Default: all of the manifests. */
  readonly pod?: string;
  /**
   * An object of any kind to wait for instead, as `gadget.example.com/lamp`. It may be created later, and so may its
   * kind. It is `Ready` by the rules of kstatus; other goals are a condition, `jsonpath={.status.phase}=Lit`, or a
   * function of the object.
   */
  readonly object?: string;
  /** Aborting the signal ends the wait, which rejects with its reason. The Pods keep running. */
  readonly signal?: AbortSignal;
}

/**
 * The choice of a Pod: `NAME` or `NAMESPACE/NAME`, or `deployment/web` for one of the Pods of a workload. A run with
 * one Pod needs no name.
 */
export interface OfPod {
  readonly pod?: string;
}

export interface UrlOptions extends OfPod {
  /** The number or the name of a port, for `service/web` and `deployment/web`. Default: the only one. */
  readonly port?: number | string;
}

export interface LogsOptions extends OfPod {
  /** Reads the log of the container's previous run. */
  readonly previous?: boolean;
  /** Number of lines to read from the end. */
  readonly tail?: number;
}

export interface ExecOptions extends OfPod {
  /** The standard input of the command. Default: empty. */
  readonly input?: string | Uint8Array;
}

export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code, or 128 + the number of the signal that ended the command. */
  readonly exitCode: number;
}

export interface PatchOptions extends OfPod {
  /** The merge rule for lists, as in `kubectl patch`. Default: `strategic`; for an array, `json`. */
  readonly type?: 'json' | 'merge' | 'strategic';
  /** The subresource to change. Default: the object itself. */
  readonly subresource?: 'status' | 'resize' | 'ephemeralcontainers';
}

export interface PatchWorkloadOptions extends Pick<PatchOptions, 'type'> {
  /** The workload, as `deployment/web`. Default: the only one of the run. */
  readonly workload?: string;
}

export interface ConditionOptions extends OfPod {
  readonly reason?: string;
  readonly message?: string;
}

export interface StopOptions {
  /** Grace period in seconds. Default: `terminationGracePeriodSeconds` of each Pod. */
  readonly gracePeriod?: number;
  /** Kills all processes at once. */
  readonly force?: boolean;
}

/** A port of this machine that leads to a port of a Pod. */
export interface Forwarding extends AsyncDisposable {
  /** `127.0.0.1`. */
  readonly address: string;
  readonly port: number;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Stops listening and closes the connections. */
  close(): Promise<void>;
}

/**
 * Pods and workloads that run in this process. They end with this process at the latest, however it ends; earlier with
 * `stop` or `close`, or at the end of the block of `await using`.
 *
 * A run with one Pod needs no Pod names. `web` and `default/web` name the same Pod.
 */
export interface Pods extends AsyncDisposable {
  /** The state folder: `podrun describe pod --state-dir FOLDER` reads it meanwhile. */
  readonly stateDir: string;
  /** Sentences about fields that this machine treats differently from the manifests. */
  readonly warnings: readonly string[];
  /** The path of a kubeconfig for the API server beside the Pods. Undefined: there is none. */
  readonly kubeconfig: string | undefined;
  /** Names of the Pods in the order of the manifests; then of the Pods of workloads, which come and go. */
  readonly names: readonly string[];
  /** The workloads of the manifests in their current state. A deleted one has its last state. */
  readonly workloads: readonly Workload[];

  /** The current state of the Pod. For a deleted Pod, its last state. */
  get(name?: string): Pod;

  /** The current state of a workload, as `deployment/web`. A run with one workload needs no name. */
  workload(name?: string): Workload;

  /** Changes a workload, as `podrun patch` does. Returns the changed workload. */
  patchWorkload(patch: object, options?: PatchWorkloadOptions): Workload;

  /**
   * Resolves when all Pods and workloads of the manifests have reached the goal; Ready must last for a moment, see
   * `settle`. Rejects at once with a `GoalError` when one can no longer reach the goal, or a container that was Ready
   * ends by itself. Rejects with a `TimeoutError` at the time limit, and with a `PodrunError` when all have reached the
   * goal but a part of their record could not be written. The Pods keep running in each case.
   */
  until(goal: (object: KubeObject) => boolean, options: UntilOptions & { object: string }): Promise<void>;
  until(goal: Goal, options?: UntilOptions): Promise<void>;

  /**
   * The current state of any object in the state folder, as `gadget.example.com/lamp` or `configmap/settings`.
   * @throws {PodrunError} (NotFound) when there is none
   */
  object(name: string): KubeObject;

  /**
   * The output of a container, standard output and standard error in their order. Without a name: of the Pod's default
   * container. Empty before the container has started.
   */
  logs(container?: string, options?: LogsOptions): string;

  /**
   * Yields every change from the beginning of the run, then each new one, until all Pods have ended. None is left out:
   * a container that lived for a millisecond has its Running and its Terminated.
   */
  changes(): AsyncIterableIterator<PodChange>;

  /** The Events about one Pod or all Pods, the latest last. */
  events(name?: string): Event[];

  /** The output of `podrun describe` for one Pod, for all Pods, or for any object, as `deployment/web`. */
  describe(name?: string): string;

  /**
   * Runs a command in a container to its end. An exit code other than 0 does not reject.
   * @throws {PodrunError} when the container does not run, or has no such program
   */
  exec(container: string, argv: readonly string[], options?: ExecOptions): Promise<ExecResult>;

  /** Changes a Pod, as `podrun patch` does. Returns the changed Pod. */
  patch(patch: object, options?: PatchOptions): Pod;

  /**
   * Sets a condition, as a controller would, for example the condition of a readiness gate. `undefined` removes the
   * condition.
   * @param status `True`, `False` or `Unknown`, or true and false
   */
  condition(type: string, status: 'True' | 'False' | 'Unknown' | boolean | undefined, options?: ConditionOptions): Pod;

  /** The address of a Pod: `status.podIP`. In the network of the host, one of 127.0.0.0/8. */
  address(name?: string): string;

  /**
   * The URL by which this machine reaches a port of a Pod, as `http://127.12.34.56:8080`: the number of the port, or
   * the name of a container's port. Also the URL of a Service, an Ingress or a workload: `service/web`, `ingress/shop`,
   * `deployment/web`; `port` chooses one of several ports. In the networks `pod` and `cluster`, a Pod has one for each
   * `containerPort`, after an `until`.
   */
  url(target: number | string, options?: UrlOptions): string;

  /** Listens at a free port of 127.0.0.1 for a port of a Pod, as `podrun port-forward` does, in any network. */
  forward(port: number | string, options?: OfPod): Promise<Forwarding>;

  /** Ends and removes a Pod, a workload with its Pods, or all, as `podrun delete` does. Resolves when they are gone. */
  delete(name?: string, options?: StopOptions): Promise<void>;

  /**
   * Ends all Pods gracefully, as Ctrl-C does for `podrun apply`. Resolves when none of their processes run any more.
   * `get`, `logs`, `events` and `describe` still answer afterwards.
   */
  stop(options?: StopOptions): Promise<void>;

  /** Stops the Pods, closes the agent, and removes the state folder made for this run. The same as `await using`. */
  close(): Promise<void>;
}
