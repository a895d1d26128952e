import type { ContainerUser, Instant, ResourceRequirements } from '../../api/index.ts';
import type { FoundImage } from './image-types.ts';
import type { SandboxStage } from './sandbox.ts';
import type { Ending, Termination } from './termination.ts';
import type { TERMINATED } from '../texts/container-states.ts';

/** The eviction of a Pod by its node, which lacks memory or disk space. */
export interface NodeEviction {
  /** Default: Evicted. */
  readonly reason?: string;
  readonly message: string;
  readonly graceSeconds: number;
}

/**
 * The facts about a Pod at one moment, apart from its object: the instances that started, ended, are being stopped or
 * were refused. Plain, immutable data. `observe` adds observations, `sync` adds decisions.
 */
export interface PodFacts {
  readonly sandbox: SandboxStage;
  /** The address of the Pod, once its sandbox is ready. Undefined: the Pod has the address of the node. */
  readonly podIP: string | undefined;
  /** The time of the first sync. activeDeadlineSeconds counts from this time. */
  readonly startTime: Instant | undefined;
  readonly containers: Readonly<Record<string, ContainerFacts>>;
  readonly ending: Ending;
  /** Set after an exit that a RestartAllContainers rule names, while the other containers are being removed. */
  readonly restartingAll: RestartingAll | undefined;
  /** The generation of the Pod whose resize is under way. */
  readonly resizing: number | undefined;
  /** The latest measurement. Undefined: no measurement yet, or the Pod has no storage limits. */
  readonly storage: StorageUsage | undefined;
  /** Set when the node evicts the Pod. */
  readonly eviction: NodeEviction | undefined;
}

export interface RestartingAll {
  /** The container whose exit matched the rule. */
  readonly trigger: string;
}

export interface ContainerFacts {
  /** A start that is under way. It becomes `current` when the container is shown as running, or has exited. */
  readonly starting: Starting | undefined;
  /** The newest instance. `previous` is the instance before it. */
  readonly current: Instance | undefined;
  readonly previous: EndedInstance | undefined;
  /** The restartCount of the next instance. */
  readonly nextAttempt: number;
  /** The error of the latest start, if no container runs because of it. The kubelet's name for this is reason cache. */
  readonly startError: StartError | undefined;
  /** The image of the latest start, to which `startError` and the back-offs belong. Undefined: no start yet. */
  readonly triedImage: string | undefined;
  readonly backOff: BackOff | undefined;
  readonly imageBackOff: ImageBackOff | undefined;
  /** `triedImage` as it was found. Undefined: a program of this machine takes its place, or nothing was found yet. */
  readonly foundImage: FoundImage | undefined;
  /** The images of a start that is being prepared. Undefined: none is, or it needs no image. */
  readonly ensuring: EnsuringImages | undefined;
  readonly probes: ProbeResults;
  /** The newest instance that a RestartAllContainers rule has removed. Kept until the following instance has ended. */
  readonly removed: EndedInstance | undefined;
}

/** The latest published probe results of the newest instance. Undefined: no result yet. */
export interface ProbeResults {
  readonly startup?: boolean | undefined;
  readonly readiness?: boolean | undefined;
  readonly liveness?: boolean | undefined;
}

/** The start of an instance, from the request until the status shows the container as running, or as ended. */
export type Starting = {
  readonly id: string;
  readonly attempt: number;
  /** Undefined: the program does not run yet, or the runtime does not say. */
  readonly user?: ContainerUser | undefined;
} & (
  | {
      /** The runtime is starting the program. */
      readonly stage: 'creating';
      readonly stop: undefined;
    }
  | {
      /** The program runs and its hook has not returned, so the status does not show it as running yet. */
      readonly stage: 'postStart';
      readonly startedAt: Instant;
      readonly stop: Stop | undefined;
    }
  | {
      /** The hook failed or was aborted by force, and the program is being stopped. */
      readonly stage: 'postStartFailed';
      readonly startedAt: Instant;
      readonly stop: Stop | undefined;
      /** The error of the hook. The kubelet reports it when the container has ended. Undefined: it was aborted. */
      readonly hookError: StartError | undefined;
    }
);

interface AnyInstance {
  readonly id: string;
  /** The restartCount of this instance. */
  readonly attempt: number;
  /** As the spec had it. */
  readonly image: string;
  /** Undefined: the instance runs a program of this machine. */
  readonly foundImage?: FoundImage | undefined;
  /** The user as which the instance was started. */
  readonly user?: ContainerUser | undefined;
  /** The resources of the instance: those with which it started, or of a later resize. */
  readonly resources: ResourceRequirements | undefined;
  /** The resources of the whole Pod, as the instance knows them: their limits hold where it has none of its own. */
  readonly podResources: ResourceRequirements | undefined;
  readonly stop: Stop | undefined;
  /**
   * True when every process of the instance has ended, not only the main process. The next instance starts only then.
   */
  readonly swept: boolean;
}

export interface RunningInstance extends AnyInstance {
  readonly exit: undefined;
  readonly startedAt: Instant;
}

export interface EndedInstance extends AnyInstance {
  readonly exit: Exit;
  /** Undefined: the instance could not be started. */
  readonly startedAt: Instant | undefined;
}

export type Instance = RunningInstance | EndedInstance;

export interface Exit {
  readonly exitCode: number;
  readonly reason: (typeof TERMINATED)['completed' | 'error' | 'oomKilled' | 'startError' | 'unknown'];
  readonly message: string | undefined;
  readonly at: Instant;
}

export interface StartError {
  readonly reason: string;
  readonly message: string;
  /** The time of the next attempt, on the stopwatch. Undefined: with the next sync. */
  readonly retryAtMs: number | undefined;
}

/** Source: staging/src/k8s.io/client-go/util/flowcontrol/backoff.go */
export interface BackOff {
  readonly delayMs: number;
  readonly lastUpdateMs: number;
}

/** The back-off of an image, with the error of its last pull. */
export interface ImageBackOff extends BackOff {
  readonly error: string;
  /** The pulls that have failed since the last one that did not. */
  readonly failures: number;
}

/** The images that a container needs to start, one after the other: by the name of the volume, '' for its own. */
export interface EnsuringImages {
  readonly ready: readonly string[];
  /** The image that the agent is looking up or pulling. */
  readonly pending: string | undefined;
}

/** The stop of a container, from the request to the kill. Source: kuberuntime_container.go killContainer. */
export interface Stop {
  readonly requestedAt: Instant;
  readonly purpose: StopPurpose;
  readonly stage: StopStage;
  /** The beginning of this stage, on the stopwatch. */
  readonly stageSinceMs: number;
  /** The rest of the grace period at the beginning of this stage. */
  readonly graceLeftMs: number;
  /** The least time between the stop signal and the kill. Undefined: the kubelet's. */
  readonly leastMs?: number;
}

/**
 * restart: the container starts again as soon as it has ended, whatever its exit code is. endPod: the whole Pod is
 * terminating, so a sidecar waits for its turn. end: neither.
 */
export type StopPurpose = 'restart' | 'end' | 'endPod';

/**
 * preStop: the hook runs. turn: other containers must end first. signalled: the stop signal was sent. killed: SIGKILL
 * was sent.
 */
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
  foundImage: undefined,
  ensuring: undefined,
  probes: {},
  removed: undefined,
};

export const NEW_POD: PodFacts = {
  sandbox: 'absent',
  podIP: undefined,
  startTime: undefined,
  containers: {},
  ending: { stage: 'none' },
  restartingAll: undefined,
  resizing: undefined,
  storage: undefined,
  eviction: undefined,
};

/** The termination that is under way. */
export function terminationOf({ ending }: Pick<PodFacts, 'ending'>): Termination | undefined {
  return ending.stage === 'terminating' ? ending.termination : undefined;
}

/** True when nothing of the Pod is left and its last status has been computed. */
export function isFinished({ sandbox }: PodFacts): boolean {
  return sandbox === 'finished';
}

/** The facts about a container. An unknown container is new. */
export function containerFacts(facts: PodFacts, name: string): ContainerFacts {
  return facts.containers[name] ?? NEW_CONTAINER;
}

/** Replaces some facts about one container. */
export function withContainer(facts: PodFacts, name: string, change: Partial<ContainerFacts>): PodFacts {
  return { ...facts, containers: { ...facts.containers, [name]: { ...containerFacts(facts, name), ...change } } };
}

/** True when the status shows the newest instance as running. */
export function isRunning(container: ContainerFacts): boolean {
  return container.starting === undefined && container.current !== undefined && container.current.exit === undefined;
}

/** True when the container has a process or may soon have one. */
export function isAlive(container: ContainerFacts): boolean {
  return container.starting !== undefined || (container.current !== undefined && container.current.exit === undefined);
}

/** True while the postStart hook of a container runs, or has failed and its container is being stopped. */
export function isHookUnderWay({ containers }: PodFacts): boolean {
  return Object.values(containers).some(({ starting }) => starting !== undefined && starting.stage !== 'creating');
}

/** True when every process of the container has ended, its main process and the processes that it left behind. */
export function isGone(container: ContainerFacts): boolean {
  return !isAlive(container) && (container.current === undefined || container.current.swept);
}

/** The process for a stop, a signal or a hook: the process being started, else the newest instance. */
export function processOf(container: ContainerFacts): Starting | Instance | undefined {
  return container.starting ?? (isRunning(container) ? container.current : undefined);
}

/** The disk usage of a Pod on this machine, in bytes. Parts that were not measured are absent. */
export interface StorageUsage {
  readonly volumes: Readonly<Record<string, number>>;
  /** The logs of all runs of the container. */
  readonly logs: Readonly<Record<string, number>>;
  /** The files that the container has written to its own layer over the machine's root. Absent without such a layer. */
  readonly layers: Readonly<Record<string, number>>;
}
