import { isSidecar, type StoredPod } from '../../api/objects.ts';
import { formatTime } from '../../api/time.ts';
import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
} from '../../api/generated/types.ts';
import { containerFacts, type ContainerFacts, type Instance, isRunning, type PodFacts } from '../facts.ts';
import { initContainerRestarts, shouldRestart } from '../plan/restart-policy.ts';
import { NOT_LOCATED, TERMINATED } from '../texts/terminated.ts';
import { REMOVED_BY_RESTART_ALL, WAITING } from '../texts/waiting.ts';

/** How runtimes report the start time of a container that could not be started. */
const EPOCH = '1970-01-01T00:00:00Z';

/** Which of the Pod's lists a container stands in. */
export type ContainerKind = 'init' | 'sidecar' | 'regular' | 'ephemeral';

export function containerKind(pod: StoredPod, name: string): ContainerKind {
  const init = pod.spec.initContainers?.find((container) => container.name === name);
  if (init !== undefined) return isSidecar(init) ? 'sidecar' : 'init';
  return pod.spec.ephemeralContainers?.some((container) => container.name === name) ? 'ephemeral' : 'regular';
}

/**
 * The status of one container, as kubelet would publish it.
 * Source: pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses; pkg/kubelet/prober/prober_manager.go.
 */
export function containerStatus(pod: StoredPod, facts: PodFacts, container: Container): ContainerStatus {
  const own = containerFacts(facts, container.name);
  const kind = containerKind(pod, container.name);
  const { state, lastState } = statesOf(pod, facts, container, own);
  // Of what had ended by itself kubelet carries over from the status before what it does not compute anew.
  const carried = isBetweenRounds(pod, facts, own) && own.removed?.stop === undefined ? own.removed : undefined;
  const shown = own.current ?? carried;
  return {
    name: container.name,
    state,
    lastState,
    ready: isReady(kind, container, own) || (kind === 'init' && carried?.exit?.exitCode === 0),
    restartCount: own.current?.attempt ?? own.nextAttempt,
    // Of what runs, or ran: after a change of the spec, not yet what will run next.
    image: shown?.image ?? container.image ?? '',
    imageID: shown?.image ?? '',
    ...(shown === undefined ? {} : { containerID: containerID(shown) }),
    ...(kind === 'ephemeral' ? {} : { started: isStarted(container, own) }),
    // What it is stopped with, where somebody has asked for that: see feature ContainerStopSignals.
    ...(container.lifecycle?.stopSignal === undefined ? {} : { stopSignal: container.lifecycle.stopSignal }),
    // What the instance has: of a resize that is under way, not yet what it will have.
    ...(kind === 'ephemeral' || shown === undefined ? {} : { resources: shown.resources ?? {} }),
    ...mountStatuses(container),
  };
}

/** Nothing is mounted, so nothing recursively. Source: pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses. */
function mountStatuses({ volumeMounts = [] }: Container): Pick<ContainerStatus, 'volumeMounts'> {
  if (volumeMounts.length === 0) return {};
  return {
    volumeMounts: volumeMounts.map(({ name, mountPath, readOnly }) => {
      return { name, mountPath, ...(readOnly && { readOnly, recursiveReadOnly: 'Disabled' }) };
    }),
  };
}

/** The ID that statuses show; the part after `://` marks the processes of this instance. */
export function containerID(instance: Pick<Instance, 'id'>): string {
  return `podrun://${instance.id}`;
}

/** Does the container count as started: running, and through its startup probe if it has one? */
export function isStarted(container: Container, own: ContainerFacts): boolean {
  return isRunning(own) && (container.startupProbe === undefined || own.probes.startup === true);
}

/** Init containers are ready when they are done, ephemeral ones never, the others when they serve. */
export function isReady(kind: ContainerKind, container: Container, own: ContainerFacts): boolean {
  if (kind === 'ephemeral') return false;
  if (kind === 'init') return own.current?.exit?.exitCode === 0;
  return isStarted(container, own) && (container.readinessProbe === undefined || own.probes.readiness === true);
}

/**
 * Is the Pod being deleted, or its run ended? Then nothing is said any more of starts that are to come. A Pod that ends
 * otherwise goes on saying it. Source: pkg/kubelet/container/helpers.go ShouldContainerBeRestarted.
 */
export function isBeingDeleted({ metadata }: Pick<StoredPod, 'metadata'>, { termination }: PodFacts): boolean {
  return metadata.deletionTimestamp !== undefined || termination?.cause === 'ended';
}

/** Will this container be started again after what ended its newest instance, as far as its Pod lets it? */
export function willRestart(pod: StoredPod, facts: PodFacts, container: Container): boolean {
  if (isBeingDeleted(pod, facts)) return false;
  const own = containerFacts(facts, container.name);
  if (own.current === undefined) return true;
  const { exit, stop } = own.current;
  if (exit === undefined) return stop?.restart === true;
  // Killed in order to be restarted: its exit code does not matter, unless the restart was held back.
  if (stop?.restart && own.startError === undefined) return true;
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
      : { terminated: unlocated(TERMINATED.restartingAllContainers, REMOVED_BY_RESTART_ALL) };
  if (own.current === undefined) return { state: { waiting: waitingState(pod, facts, own) }, lastState: removed };

  const lastState = own.previous?.exit === undefined ? removed : { terminated: terminatedState(own.previous) };
  if (own.current.exit === undefined) return { state: runningState(own.current), lastState };

  const terminated = terminatedState(own.current);
  // An init container or sidecar that ended well goes on saying so, even while a restart is held back.
  const keeps = containerKind(pod, container.name) !== 'regular' && own.current.exit.exitCode === 0;
  if (own.startError !== undefined && !keeps && willRestart(pod, facts, container)) {
    return { state: { waiting: waitingState(pod, facts, own) }, lastState: { terminated } };
  }
  return { state: { terminated }, lastState };
}

function runningState(instance: Instance): ContainerState {
  return { running: instance.startedAt === undefined ? {} : { startedAt: formatTime(instance.startedAt.wallMs) } };
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

/** Was it removed by a RestartAllContainers rule, and the first container of the new round does not run yet? */
function isBetweenRounds({ spec }: StoredPod, facts: PodFacts, own: ContainerFacts): boolean {
  if (own.removed === undefined) return false;
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return containers.every(({ name }) => containerFacts(facts, name).current === undefined);
}

/** How a container is told of whose end nobody knows: its times are there, and null. */
export function unlocated(reason: string, message: string): ContainerStateTerminated {
  return { exitCode: 137, reason, message, startedAt: null, finishedAt: null };
}

function terminatedState(instance: Instance): ContainerStateTerminated {
  const { exit, startedAt } = instance;
  if (exit === undefined) throw new Error(`container instance ${instance.id} has not ended`);
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
 * The last word on containers of a Pod that is gone: what should have run but was never seen to end counts as lost.
 * Source: pkg/kubelet/status/status_manager.go TerminatePod.
 */
export function closeStatuses(pod: StoredPod, init: ContainerStatus[], regular: ContainerStatus[]): void {
  if (hasPodInitialized(pod, init, regular)) regular.forEach(closeStatus);
  const lastRun = init.findLastIndex(({ state, lastState }) => state?.waiting === undefined || lastState?.terminated);
  init.slice(0, Math.max(1, lastRun + 1)).forEach(closeStatus);
}

/** What ran, or should have, and was never seen to end. */
export function closeStatus(status: ContainerStatus): void {
  if (status.state?.terminated !== undefined) return;
  status.state = { terminated: unlocated(TERMINATED.statusUnknown, NOT_LOCATED) };
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
