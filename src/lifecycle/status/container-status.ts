import {
  type Container,
  type ContainerState,
  type ContainerStateTerminated,
  type ContainerStatus,
  formatTime,
  isSidecar,
  type StoredPod,
} from '../../api/index.ts';
import {
  type ContainerFacts,
  containerFacts,
  type EndedInstance,
  type Instance,
  isRunning,
  type PodFacts,
  type RunningInstance,
  terminationOf,
} from '../base/facts.ts';
import { CONSEQUENCES } from '../base/termination.ts';
import { initContainerRestarts, shouldRestart } from '../base/restart-policy.ts';
import { NOT_LOCATED, REMOVED_BY_RESTART_ALL, TERMINATED, WAITING } from '../texts/container-states.ts';

/** The start time that runtimes report for a container that could not be started. */
const EPOCH = '1970-01-01T00:00:00Z';

/** The list of the spec in which a container stands. Sidecars are a kind of their own. */
export type ContainerKind = 'init' | 'sidecar' | 'regular' | 'ephemeral';

export function containerKind(pod: StoredPod, name: string): ContainerKind {
  const init = pod.spec.initContainers?.find((container) => container.name === name);
  if (init !== undefined) return isSidecar(init) ? 'sidecar' : 'init';
  return pod.spec.ephemeralContainers?.some((container) => container.name === name) ? 'ephemeral' : 'regular';
}

/**
 * Computes the status of one container as the kubelet publishes it. Source: pkg/kubelet/kubelet_pods.go
 * convertToAPIContainerStatuses; pkg/kubelet/prober/prober_manager.go.
 */
export function containerStatus(pod: StoredPod, facts: PodFacts, container: Container): ContainerStatus {
  const own = containerFacts(facts, container.name);
  const kind = containerKind(pod, container.name);
  const { state, lastState } = statesOf(pod, facts, container, own);
  // For a removed instance that had ended by itself, the kubelet keeps the fields that it does not compute anew.
  const carried = isBetweenRounds(pod, facts, own) && own.removed?.stop === undefined ? own.removed : undefined;
  const instance = own.current ?? carried;
  return {
    name: container.name,
    state,
    lastState,
    ready: isReady(kind, container, own) || (kind === 'init' && carried?.exit?.exitCode === 0),
    restartCount: own.current?.attempt ?? own.nextAttempt,
    // The image of the shown instance. A new image in the spec does not show before the next instance.
    image: instance?.foundImage?.name ?? instance?.image ?? container.image ?? '',
    imageID: instance?.foundImage?.id ?? instance?.image ?? '',
    ...(instance === undefined ? {} : { containerID: containerID(instance) }),
    ...(kind === 'ephemeral' ? {} : { started: isStarted(container, own) }),
    // Shown only when the spec sets a stop signal: see feature ContainerStopSignals.
    ...(container.lifecycle?.stopSignal === undefined ? {} : { stopSignal: container.lifecycle.stopSignal }),
    // The resources of the shown instance. During a resize these are still the old ones.
    ...(kind === 'ephemeral' || instance === undefined
      ? {}
      : { ...allocation(container), resources: instance.resources ?? {} }),
    ...mountStatuses(container),
    ...(instance?.user === undefined ? {} : { user: instance.user }),
  };
}

/**
 * The requests that the node has set aside for a container: the requests of the spec, also during a resize. Source:
 * pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses.
 */
function allocation({ resources: { requests = {} } = {} }: Container): Pick<ContainerStatus, 'allocatedResources'> {
  return Object.keys(requests).length === 0 ? {} : { allocatedResources: requests };
}

/**
 * The mounts of a container. podrun never mounts recursively. Source: pkg/kubelet/kubelet_pods.go
 * convertToAPIContainerStatuses.
 */
function mountStatuses({ volumeMounts = [] }: Container): Pick<ContainerStatus, 'volumeMounts'> {
  if (volumeMounts.length === 0) return {};
  return {
    volumeMounts: volumeMounts.map(({ name, mountPath, readOnly }) => {
      return { name, mountPath, ...(readOnly && { readOnly, recursiveReadOnly: 'Disabled' }) };
    }),
  };
}

/** The container ID in statuses. The part after `://` marks the processes of this instance. */
function containerID(instance: Pick<Instance, 'id'>): string {
  return `podrun://${instance.id}`;
}

/** True when the container runs and its startup probe, if any, has succeeded. */
export function isStarted(container: Container, own: ContainerFacts): boolean {
  return isRunning(own) && (container.startupProbe === undefined || own.probes.startup === true);
}

/**
 * True when the container counts as ready: an init container that has exited with 0, never an ephemeral one, any other
 * when it has started and its readiness probe has succeeded.
 */
export function isReady(kind: ContainerKind, container: Container, own: ContainerFacts): boolean {
  if (kind === 'ephemeral') return false;
  if (kind === 'init') return own.current?.exit?.exitCode === 0;
  return isStarted(container, own) && (container.readinessProbe === undefined || own.probes.readiness === true);
}

/**
 * True when the Pod is being deleted or its run was ended: the status then shows no coming restarts. A Pod that
 * terminates for another reason still shows them. Source: pkg/kubelet/container/helpers.go ShouldContainerBeRestarted.
 */
export function isBeingDeleted({ metadata }: Pick<StoredPod, 'metadata'>, facts: PodFacts): boolean {
  const termination = terminationOf(facts);
  return (
    metadata.deletionTimestamp !== undefined ||
    (termination !== undefined && CONSEQUENCES[termination.cause].hidesRestarts)
  );
}

/** True when this container starts again after the end of its newest instance, unless its Pod terminates. */
export function willRestart(pod: StoredPod, facts: PodFacts, container: Container): boolean {
  if (isBeingDeleted(pod, facts)) return false;
  const own = containerFacts(facts, container.name);
  if (own.current === undefined) return true;
  const { exit, stop } = own.current;
  if (exit === undefined) return stop?.purpose === 'restart';
  // Killed for a restart: the exit code does not matter, unless the restart has failed.
  if (stop?.purpose === 'restart' && own.startError === undefined) return true;
  const kind = containerKind(pod, container.name);
  if (kind === 'ephemeral') return false;
  return kind === 'regular'
    ? shouldRestart(pod.spec.restartPolicy, container, exit.exitCode)
    : initContainerRestarts(pod.spec.restartPolicy, container, exit.exitCode);
}

interface States {
  readonly state: ContainerState;
  readonly lastState: ContainerState;
}

function statesOf(pod: StoredPod, facts: PodFacts, container: Container, own: ContainerFacts): States {
  const removed: ContainerState =
    own.removed === undefined
      ? {}
      : { terminated: lostState(TERMINATED.restartingAllContainers, REMOVED_BY_RESTART_ALL) };
  if (own.current === undefined) return { state: { waiting: waitingState(pod, facts, own) }, lastState: removed };

  const lastState = own.previous === undefined ? removed : { terminated: terminatedState(own.previous) };
  if (own.current.exit === undefined) return { state: runningState(own.current), lastState };

  const terminated = terminatedState(own.current);
  // The status of an init container or sidecar that ended with 0 stays Terminated, even during a back-off.
  const keeps = containerKind(pod, container.name) !== 'regular' && own.current.exit.exitCode === 0;
  if (own.startError !== undefined && !keeps && willRestart(pod, facts, container)) {
    return { state: { waiting: waitingState(pod, facts, own) }, lastState: { terminated } };
  }
  return { state: { terminated }, lastState };
}

function runningState({ startedAt }: RunningInstance): ContainerState {
  return { running: { startedAt: formatTime(startedAt.wallMs) } };
}

function waitingState(pod: StoredPod, facts: PodFacts, own: ContainerFacts): { reason: string; message?: string } {
  if (own.startError !== undefined && !isBeingDeleted(pod, facts)) {
    const { reason, message } = own.startError;
    return message === '' ? { reason } : { reason, message };
  }
  if (isBetweenRounds(pod, facts, own)) {
    return { reason: WAITING.restartingAllContainers, message: REMOVED_BY_RESTART_ALL };
  }
  const hasInit = (pod.spec.initContainers ?? []).length > 0;
  return { reason: hasInit ? WAITING.podInitializing : WAITING.containerCreating };
}

/** True when a RestartAllContainers rule has removed the container and no container has started since. */
function isBetweenRounds({ spec }: StoredPod, facts: PodFacts, own: ContainerFacts): boolean {
  if (own.removed === undefined) return false;
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return containers.every(({ name }) => containerFacts(facts, name).current === undefined);
}

/** The state of a container whose end was not observed. Its times are present and null. */
export function lostState(reason: string, message: string): ContainerStateTerminated {
  return { exitCode: 137, reason, message, startedAt: null, finishedAt: null };
}

function terminatedState(instance: EndedInstance): ContainerStateTerminated {
  const { exit, startedAt } = instance;
  return {
    exitCode: exit.exitCode,
    reason: exit.reason,
    ...(exit.message === undefined ? {} : { message: exit.message }),
    startedAt: startedAt === undefined ? EPOCH : formatTime(startedAt.wallMs),
    finishedAt: formatTime(exit.at.wallMs),
    containerID: containerID(instance),
  };
}

/**
 * Sets the final statuses of a Pod that is gone: a container that ran, or should have run, and whose end was not
 * observed gets StatusUnknown. Source: pkg/kubelet/status/status_manager.go TerminatePod.
 */
export function closeStatuses(pod: StoredPod, init: ContainerStatus[], regular: ContainerStatus[]): void {
  if (hasPodInitialized(pod, init, regular)) regular.forEach(closeStatus);
  const lastRun = init.findLastIndex(({ state, lastState }) => state?.waiting === undefined || lastState?.terminated);
  init.slice(0, Math.max(1, lastRun + 1)).forEach(closeStatus);
}

/** Sets the state of a container whose end was not observed to Terminated with the reason StatusUnknown. */
export function closeStatus(status: ContainerStatus): void {
  if (status.state?.terminated !== undefined) return;
  status.state = { terminated: lostState(TERMINATED.statusUnknown, NOT_LOCATED) };
}

function hasPodInitialized(pod: StoredPod, init: ContainerStatus[], regular: ContainerStatus[]): boolean {
  const last = pod.spec.initContainers?.at(-1);
  if (last === undefined) return true;
  if (regular.some(({ state, lastState }) => lastState?.terminated !== undefined || state?.waiting === undefined)) {
    return true;
  }
  const status = init.find(({ name }) => name === last.name);
  if (status === undefined) return false;
  return isSidecar(last) ? status.started === true : status.state?.terminated?.exitCode === 0;
}
