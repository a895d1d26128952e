import {
  allContainers,
  allContainerStatuses,
  type Container,
  type ContainerState,
  type ContainerStateTerminated,
  type ContainerStatus,
  type Instant,
  isShownAs,
  parseTime,
  type StoredPod,
} from '../api/index.ts';
import {
  type ContainerFacts,
  containerFacts,
  type EndedInstance,
  type Exit,
  type Instance,
  NEW_POD,
  type PodFacts,
} from './base/facts.ts';
import { restartsAll, shouldRestart } from './base/restart-policy.ts';
import { TERMINATED } from './texts/container-states.ts';

/** An instance of a container in the runtime: it runs, or it has ended and no agent has recorded the end. */
export interface FoundInstance {
  readonly id: string;
  readonly container: string;
  readonly attempt: number;
  readonly startedAt: Instant;
}

/** The start of an agent that takes over a Pod from a former agent. */
export interface Restoration {
  readonly facts: PodFacts;
  /** The instances that the agent adopts. The agent still records the end of an ended instance. */
  readonly adopted: readonly FoundInstance[];
  /** True: the runtime has lost the sandbox, for example by a reboot, and the Pod gets a new one. */
  readonly isSandboxNew: boolean;
}

/** The exit code of a container that the runtime has lost. Source: containerd, internal/cri/server/restart.go. */
const LOST_EXIT_CODE = 255;

/**
 * Computes the facts from a Pod's status and the runtime, as a restarted kubelet does. Running containers keep their
 * numbers. Hooks that have begun do not run again. The probe results of a running container stay until the next result.
 * Back-offs begin anew. Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go GetPodStatus, computePodActions;
 * pkg/kubelet/prober/worker.go.
 * @param pod as the former agent left it
 * @param isRuntimeNew true: the process that had the containers is gone, and each sandbox with it
 */
export function restoredFacts(
  pod: StoredPod,
  instances: readonly FoundInstance[],
  now: Instant,
  isRuntimeNew = false,
): Restoration {
  const { status } = pod;
  const restored = allContainers(pod.spec).map((container) => {
    const reported = allContainerStatuses(status).find(({ name }) => name === container.name);
    const podResources = pod.status.resources ?? pod.spec.resources;
    const newest = instances
      .filter(({ container: name }) => name === container.name)
      .reduce<FoundInstance | undefined>(laterInstance, undefined);
    return { container, newest, ...restoreContainer({ container, podResources, reported, newest, now }) };
  });
  const adopted = restored.flatMap(({ adopts, newest }) => (adopts && newest !== undefined ? [newest] : []));
  const trigger = restored.find(({ container, own: { current } }) => {
    return current?.exit !== undefined && restartsAll(container, current.exit.exitCode);
  });
  const facts: PodFacts = {
    ...NEW_POD,
    podIP: status.podIP,
    startTime: instantOf(status.startTime, now),
    containers: Object.fromEntries(restored.map(({ container, own }) => [container.name, own])),
    sandbox: restored.some(({ own }) => own.current !== undefined) ? 'ready' : 'absent',
    restartingAll: trigger && { trigger: trigger.container.name },
  };
  const isSandboxLost = facts.sandbox === 'ready' && (isRuntimeNew || restored.some(({ isLost }) => isLost));
  const isSandboxNew = isSandboxLost && adopted.length === 0 && needsSandbox(pod, facts);
  return { facts: isSandboxNew ? withNewSandbox(pod, facts) : facts, adopted, isSandboxNew };
}

interface Known {
  readonly container: Container;
  /** The resources of the Pod that held when its former agent ended. */
  readonly podResources: Instance['podResources'];
  readonly reported: ContainerStatus | undefined;
  readonly newest: FoundInstance | undefined;
  readonly now: Instant;
}

interface Restored {
  readonly own: ContainerFacts;
  readonly adopts: boolean;
  readonly isLost: boolean;
}

/** An instance as the status shows it. Undefined exit: it ran. */
type ReportedInstance = Omit<EndedInstance, 'exit'> & { readonly exit: Exit | undefined };

function restoreContainer({ container, podResources, reported, newest, now }: Known): Restored {
  const fresh = containerFacts(NEW_POD, container.name);
  const before = reported === undefined ? undefined : newestReported(reported, container, now);
  const runs = before !== undefined && before.exit === undefined;
  // The exit in the status counts: it has been recorded.
  if (newest === undefined || (before !== undefined && !runs && before.attempt >= newest.attempt)) {
    if (before === undefined)
      return { own: { ...fresh, nextAttempt: reported?.restartCount ?? 0 }, adopts: false, isLost: false };
    const current = ended(before, now);
    const own = {
      ...fresh,
      current,
      previous: reported && previousReported(reported, container, now),
      nextAttempt: before.attempt + 1,
    };
    return { own, adopts: false, isLost: runs };
  }
  const { id, attempt, startedAt } = newest;
  const images =
    before?.id === id
      ? { image: before.image, foundImage: before.foundImage, user: before.user }
      : { image: container.image ?? '' };
  const current: Instance = {
    ...instance(container),
    ...images,
    podResources,
    id,
    attempt,
    startedAt,
    exit: undefined,
    swept: false,
  };
  const isKnown = before?.id === id;
  const previous = isKnown ? reported && previousReported(reported, container, now) : before && ended(before, now);
  const probes = isKnown
    ? { startup: reported?.started === true ? true : undefined, readiness: reported?.ready === true ? true : undefined }
    : {};
  return { own: { ...fresh, current, previous, nextAttempt: attempt + 1, probes }, adopts: true, isLost: false };
}

/** The instance, which has ended: as the status says, or unseen. */
function ended(instance: ReportedInstance, now: Instant): EndedInstance {
  return { ...instance, exit: instance.exit ?? lostExit(now), swept: true };
}

/** The newest instance that the status shows. */
function newestReported(reported: ContainerStatus, container: Container, now: Instant): ReportedInstance | undefined {
  const { state = {}, lastState = {}, restartCount } = reported;
  const known: ContainerState = state.running !== undefined || state.terminated !== undefined ? state : lastState;
  const { running, terminated } = known;
  const id = idOf(terminated?.containerID ?? reported.containerID);
  if (id === undefined || (running === undefined && terminated === undefined)) return undefined;
  return {
    ...instance(container),
    id,
    attempt: restartCount,
    ...imageOf(reported, container),
    user: reported.user,
    startedAt: instantOf(running?.startedAt ?? terminated?.startedAt, now),
    exit: terminated && exitOf(terminated, now),
  };
}

/** The previous instance, if the status shows it. */
function previousReported(reported: ContainerStatus, container: Container, now: Instant): EndedInstance | undefined {
  const { state = {}, lastState = {}, restartCount } = reported;
  const { terminated } = lastState;
  if (state.waiting !== undefined || terminated === undefined) return undefined;
  return {
    ...instance(container),
    id: idOf(terminated.containerID) ?? '',
    attempt: Math.max(0, restartCount - 1),
    ...imageOf(reported, container),
    startedAt: instantOf(terminated.startedAt, now),
    exit: exitOf(terminated, now),
  };
}

/** The image of an instance, in the words of the spec if it is still the same. */
function imageOf({ image, imageID }: ContainerStatus, container: Container): Pick<Instance, 'image' | 'foundImage'> {
  if (imageID === image) return { image, foundImage: undefined };
  const written = container.image ?? '';
  return { image: isShownAs(written, image) ? written : image, foundImage: { name: image, id: imageID } };
}

function instance({ resources }: Container): Pick<Instance, 'resources' | 'podResources' | 'stop' | 'swept'> {
  return { resources, podResources: undefined, stop: undefined, swept: true };
}

const REASONS = [TERMINATED.completed, TERMINATED.oomKilled, TERMINATED.startError, TERMINATED.unknown] as const;

function exitOf({ exitCode, reason, message, finishedAt }: ContainerStateTerminated, now: Instant): Exit {
  return {
    exitCode,
    reason: REASONS.find((known) => known === reason) ?? TERMINATED.error,
    message,
    at: instantOf(finishedAt, now) ?? now,
  };
}

function lostExit(now: Instant): Exit {
  return { exitCode: LOST_EXIT_CODE, reason: TERMINATED.unknown, message: undefined, at: now };
}

/**
 * Converts wall time to an instant, assuming that the clock has not been set since. Undefined for no time and for 1970.
 */
function instantOf(time: string | null | undefined, now: Instant): Instant | undefined {
  const wallMs = parseTime(time ?? '');
  if (Number.isNaN(wallMs) || wallMs === 0) return undefined;
  return { wallMs, monotonicMs: now.monotonicMs - (now.wallMs - wallMs) };
}

function idOf(containerID: string | undefined): string | undefined {
  const id = containerID?.replace(/^.*:\/\//, '');
  return id === '' ? undefined : id;
}

function laterInstance(one: FoundInstance | undefined, other: FoundInstance): FoundInstance {
  return one === undefined || other.attempt > one.attempt ? other : one;
}

/**
 * True when a container would run in a new sandbox. Source: kuberuntime_manager.go computePodActions (CreateSandbox).
 */
function needsSandbox({ spec }: StoredPod, facts: PodFacts): boolean {
  if (spec.restartPolicy === 'Never') return false;
  return spec.containers.some((container) => {
    const { current } = containerFacts(facts, container.name);
    return current?.exit === undefined || shouldRestart(spec.restartPolicy, container, current.exit.exitCode);
  });
}

/** Resets the init containers: a new sandbox initializes the Pod anew, from the first init container on. */
function withNewSandbox({ spec }: StoredPod, facts: PodFacts): PodFacts {
  const init = (spec.initContainers ?? []).map(({ name }) => {
    const { nextAttempt } = containerFacts(facts, name);
    return [name, { ...containerFacts(NEW_POD, name), nextAttempt }] as const;
  });
  return { ...facts, sandbox: 'absent', containers: { ...facts.containers, ...Object.fromEntries(init) } };
}
