import type { ResourceRequirements } from '../api/generated/types.ts';
import type { TerminalPhase } from '../api/objects.ts';
import type { Instant } from '../api/time.ts';
import type { StorageUsage } from './volumes/local-storage.ts';
import type { TERMINATED } from './texts/terminated.ts';

/**
 * What is known of a Pod at one moment, apart from its object: what was started, what ended, what is being stopped and
 * what was refused. Plain, immutable data. `observe` adds what happened, `sync` adds what was decided.
 */
export interface PodFacts {
  /**
   * The Pod's environment: directories, volumes, address. Containers start only while it is ready. abandoned: the Pod
   * goes down before it was ready.
   */
  readonly sandbox: 'absent' | 'creating' | 'ready' | 'stopping' | 'abandoned' | 'stopped';
  /** The address of the Pod, once its sandbox is ready. Undefined: the node's. */
  readonly podIP: string | undefined;
  /** When the agent first looked at the Pod; activeDeadlineSeconds counts from here. */
  readonly startTime: Instant | undefined;
  readonly containers: Readonly<Record<string, ContainerFacts>>;
  /** Set once; from then on the Pod only goes down. */
  readonly termination: Termination | undefined;
  /** A termination that was asked for while a postStart hook ran: it begins when the starts under way are over. */
  readonly requested: Termination | undefined;
  /** A container has exited with a code that a RestartAllContainers rule names, and its siblings are being removed. */
  readonly restartingAll: RestartingAll | undefined;
  /** The generation of the Pod whose resize is under way. */
  readonly resizing: number | undefined;
  /** As last measured; undefined: not yet, or the Pod has no limits for what it stores. */
  readonly storage: StorageUsage | undefined;
  /** Nothing of the Pod is left and its last status has been computed. */
  readonly finished: boolean;
}

/** Why a Pod is going down. */
export type TerminationCause =
  /** The object has a deletionTimestamp. */
  | 'deleted'
  /** Every container is done, or an init container has failed for good. */
  | 'completed'
  /** activeDeadlineSeconds has passed. */
  | 'deadlineExceeded'
  /** It stores more than its limits permit. */
  | 'evicted'
  /** The agent itself ends the run: interrupted, goal reached, time-out. */
  | 'ended';

export interface Termination {
  readonly cause: TerminationCause;
  readonly since: Instant;
  /** At least 1, as kubelet has it; only ever gets shorter. */
  readonly graceSeconds: number;
  /** No more waiting: everything is killed now. */
  readonly force: boolean;
  /** What the status says of an eviction. */
  readonly message?: string | undefined;
  /** The phase that somebody has written into the status, which ended the Pod. */
  readonly phase?: TerminalPhase | undefined;
}

export interface RestartingAll {
  /** The container whose exit set it off. */
  readonly trigger: string;
}

export interface ContainerFacts {
  /** A start that is under way. It becomes `current` when the container counts as running, or has exited. */
  readonly starting: Starting | undefined;
  /** The newest instance, and the one before it. */
  readonly current: Instance | undefined;
  readonly previous: Instance | undefined;
  /** Number that the next instance carries as its restartCount. */
  readonly nextAttempt: number;
  /** Why the latest attempt to start did not lead to a running container. kubelet calls this the reason cache. */
  readonly startError: StartError | undefined;
  /** The image of the latest attempt to start, which `startError` and the back-offs are about; undefined: none yet. */
  readonly triedImage: string | undefined;
  readonly backOff: BackOff | undefined;
  readonly imageBackOff: BackOff | undefined;
  readonly probes: ProbeResults;
  /** The newest instance that a RestartAllContainers rule has removed, until the one that follows it has ended. */
  readonly removed: Instance | undefined;
}

/** Last published results of the probes of the newest instance; undefined: none yet. */
export interface ProbeResults {
  readonly startup?: boolean | undefined;
  readonly readiness?: boolean | undefined;
  readonly liveness?: boolean | undefined;
}

export interface Starting {
  readonly id: string;
  readonly attempt: number;
  /**
   * creating: the runtime was asked. postStart: it runs, and its hook has not returned; until then it is not shown as
   * running. postStartFailed: it runs and is being stopped, because its hook failed or was broken off by force.
   */
  readonly stage: 'creating' | 'postStart' | 'postStartFailed';
  readonly startedAt: Instant | undefined;
  readonly stop: Stop | undefined;
  /** What its postStart hook has failed with. kubelet tells when the container has ended. */
  readonly hookError?: StartError;
}

export interface Instance {
  readonly id: string;
  /** The restartCount that this instance carries. */
  readonly attempt: number;
  readonly image: string;
  /** What it was given when it started. */
  readonly resources: ResourceRequirements | undefined;
  /** Undefined: it could not be started. */
  readonly startedAt: Instant | undefined;
  readonly stop: Stop | undefined;
  /** Undefined while it runs. */
  readonly exit: Exit | undefined;
  /** Is every process of it gone, not only the main one? The next instance does not start before. */
  readonly swept: boolean;
}

export interface Exit {
  readonly exitCode: number;
  readonly reason: (typeof TERMINATED)['completed' | 'error' | 'oomKilled' | 'startError' | 'unknown'];
  readonly message: string | undefined;
  readonly at: Instant;
}

export interface StartError {
  readonly reason: string;
  readonly message: string;
  /** When to try again, on the stopwatch. Undefined: with the next sync. */
  readonly retryAtMs: number | undefined;
}

/** Source: staging/src/k8s.io/client-go/util/flowcontrol/backoff.go */
export interface BackOff {
  readonly delayMs: number;
  readonly lastUpdateMs: number;
}

/** A container that is being stopped, from the request to the kill. Source: kuberuntime_container.go killContainer. */
export interface Stop {
  readonly requestedAt: Instant;
  /** Start it again at once when it is gone, whatever its exit code says. */
  readonly restart: boolean;
  /** The whole Pod is going down: sidecars wait for their turn. */
  readonly forPod: boolean;
  readonly stage: StopStage;
  /** When this stage began, on the stopwatch. */
  readonly stageSinceMs: number;
  /** What was left of the grace period then. */
  readonly graceLeftMs: number;
}

/** preStop: its hook runs. turn: others must end first. signalled: it has its stop signal. killed: SIGKILL was sent. */
export type StopStage = 'preStopDue' | 'preStop' | 'turn' | 'signalled' | 'killed';

const NEW_CONTAINER: ContainerFacts = {
  starting: undefined,
  current: undefined,
  previous: undefined,
  nextAttempt: 0,
  startError: undefined,
  triedImage: undefined,
  backOff: undefined,
  imageBackOff: undefined,
  probes: {},
  removed: undefined,
};

export const NEW_POD: PodFacts = {
  sandbox: 'absent',
  podIP: undefined,
  startTime: undefined,
  containers: {},
  termination: undefined,
  requested: undefined,
  restartingAll: undefined,
  resizing: undefined,
  storage: undefined,
  finished: false,
};

/** What is known of a container; a container never heard of is new. */
export function containerFacts(facts: PodFacts, name: string): ContainerFacts {
  return facts.containers[name] ?? NEW_CONTAINER;
}

/** The same facts with some of a container's replaced. */
export function withContainer(facts: PodFacts, name: string, change: Partial<ContainerFacts>): PodFacts {
  return { ...facts, containers: { ...facts.containers, [name]: { ...containerFacts(facts, name), ...change } } };
}

/** Is the newest instance running, as far as a reader of the status can see? */
export function isRunning(container: ContainerFacts): boolean {
  return container.starting === undefined && container.current !== undefined && container.current.exit === undefined;
}

/** Is there, or may there soon be, a process? */
export function isAlive(container: ContainerFacts): boolean {
  return container.starting !== undefined || (container.current !== undefined && container.current.exit === undefined);
}

/** Is a container being started whose postStart hook runs, or has failed and is being dealt with? */
export function isHookUnderWay({ containers }: PodFacts): boolean {
  return Object.values(containers).some(({ starting }) => starting !== undefined && starting.stage !== 'creating');
}

/** Has every process of the container gone, also those that its main process left behind? */
export function isGone(container: ContainerFacts): boolean {
  return !isAlive(container) && (container.current === undefined || container.current.swept);
}

/** The process that a stop, a signal or a hook is about: the one being started, else the newest instance. */
export function processOf(container: ContainerFacts): Starting | Instance | undefined {
  return container.starting ?? (isRunning(container) ? container.current : undefined);
}
