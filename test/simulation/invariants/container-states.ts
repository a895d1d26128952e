import { isDeepStrictEqual } from 'node:util';
import type { ContainerState, ContainerStatus } from '../../../src/api/generated/types.ts';
import { allContainerStatuses } from '../../../src/api/base/objects.ts';
import { parseTime } from '../../../src/api/base/time.ts';
import type { Chronicle } from '../scenario/chronicle.ts';
import type { Entry } from '../scenario/entry.ts';

/** The first complaint about a container of a new status. */
function eachStatus(
  entry: Entry,
  { pod }: Chronicle,
  check: (status: ContainerStatus) => string | undefined,
): string | undefined {
  if (entry.type !== 'pod') return undefined;
  for (const status of allContainerStatuses(pod.status)) {
    const complaint = check(status);
    if (complaint !== undefined) return `${status.name}: ${complaint}`;
  }
  return undefined;
}

/** The status of a container before the last change. */
function statusBefore({ before }: Chronicle, name: string): ContainerStatus | undefined {
  return before && allContainerStatuses(before.status).find((status) => status.name === name);
}

/** Source: API convention (restartCount "never decreases"), lifecycle of container instances. */
export function restartCountNeverFalls(entry: Entry, past: Chronicle): string | undefined {
  return eachStatus(entry, past, ({ name, restartCount }) => {
    const earlier = statusBefore(past, name)?.restartCount ?? 0;
    return restartCount < earlier ? `${earlier} became ${restartCount}` : undefined;
  });
}

/** The n-th start of a container has n - 1 restarts. Source: kuberuntime_container.go startContainer. */
export function restartCountCountsStarts(entry: Entry, past: Chronicle): string | undefined {
  return eachStatus(entry, past, (status) => {
    const { name, state, lastState, restartCount } = status;
    const isGone = state?.running === undefined && state?.terminated?.containerID === undefined;
    const isRemoved = isGone && lastState?.terminated?.reason === 'RestartingAllContainers';
    const life = isRemoved ? undefined : past.shown(status);
    const starts = past.livesOf(name);
    const expected = life === undefined ? starts.length : starts.indexOf(life);
    // A start that is under way is neither shown nor counted.
    const last = life === undefined ? starts.at(-1) : undefined;
    const underWay = last !== undefined && last.failedAtMs === undefined && last.exitReportedAtMs === undefined ? 1 : 0;
    // The failure of this instant may not be reported yet.
    const isNew = (last?.failedAtMs ?? last?.exitReportedAtMs) === entry.atMs && restartCount === expected - 1;
    return isNew || restartCount === expected - underWay ? undefined : `${restartCount} after ${starts.length} starts`;
  });
}

/** A running container is the newest instance, and its end is not reported. Source: API reference. */
export function runningMeansAProcess(entry: Entry, past: Chronicle): string | undefined {
  return eachStatus(entry, past, (status) => {
    if (status.state?.running === undefined) return undefined;
    const life = past.shown(status);
    if (life === undefined || life !== past.newest(status.name)) return 'running is not the newest instance';
    if (life.runningAtMs === undefined) return 'running before it was started';
    // The last output of its hooks comes first, in the same instant.
    return (life.exitReportedAtMs ?? entry.atMs) === entry.atMs ? undefined : 'running after its end was told';
  });
}

/**
 * A terminated instance has an exit code, a reason, and times in order. Source: kuberuntime_container.go
 * toKubeContainerStatus, containerd's reasons.
 */
export function terminatedTellsHowItEnded(entry: Entry, past: Chronicle): string | undefined {
  const check = ({ terminated }: ContainerState): string | undefined => {
    if (terminated === undefined) return undefined;
    const { exitCode, reason, containerID, startedAt, finishedAt } = terminated;
    if (containerID === undefined) {
      const isKnown = reason === 'ContainerStatusUnknown' || reason === 'RestartingAllContainers';
      return isKnown && exitCode === 137 ? undefined : `${reason} ${exitCode} without an instance`;
    }
    const life = past.shown({ containerID });
    if (life === undefined) return `${containerID} was never started`;
    const { exit, failedAtMs } = life;
    if (failedAtMs !== undefined) return reason === 'StartError' && exitCode === 128 ? undefined : 'not StartError';
    if (exit === undefined) return `${containerID} has not ended`;
    const expected = exit.oomKilled ? 'OOMKilled' : exit.exitCode === 0 ? 'Completed' : 'Error';
    if (exitCode !== exit.exitCode || reason !== expected)
      return `${reason} ${exitCode}, not ${expected} ${exit.exitCode}`;
    const inOrder = past.clockJumped || parseTime(startedAt ?? '') <= parseTime(finishedAt ?? '');
    return inOrder ? undefined : `ended ${finishedAt}, before it started ${startedAt}`;
  };
  return eachStatus(entry, past, ({ state, lastState }) => check(state ?? {}) ?? check(lastState ?? {}));
}

/** The reported end of an instance does not change. Source: status_manager.go checkContainerStateTransition. */
export function terminatedStays(entry: Entry, past: Chronicle): string | undefined {
  return eachStatus(entry, past, ({ name, state, lastState }) => {
    const earlier = statusBefore(past, name)?.state?.terminated;
    if (earlier?.containerID === undefined) return undefined;
    const now = [state?.terminated, lastState?.terminated].find((one) => one?.containerID === earlier.containerID);
    if (now !== undefined) return isDeepStrictEqual(now, earlier) ? undefined : 'its end is reported differently';
    // A start that failed at once replaces it. Instances of an old round are forgotten.
    const isReplaced = state?.waiting !== undefined && past.shown(lastState?.terminated ?? {}) === past.newest(name);
    const isRemoved = lastState?.terminated?.reason === 'RestartingAllContainers';
    return isReplaced || isRemoved ? undefined : 'its end was forgotten';
  });
}

/** `lastState` is the instance before the shown one. Source: kubelet_pods.go convertToAPIContainerStatuses. */
export function lastStateIsTheInstanceBefore(entry: Entry, past: Chronicle): string | undefined {
  return eachStatus(entry, past, (status) => {
    const { state, lastState } = status;
    if (lastState?.running !== undefined || lastState?.waiting !== undefined) return 'lastState has not ended';
    const last = lastState?.terminated;
    if (last === undefined) {
      const life = past.shown(status);
      const first = life === undefined || past.livesOf(status.name)[0] === life;
      return first && state?.waiting === undefined ? undefined : noneExpected(status, past);
    }
    if (last.containerID === undefined) return undefined;
    const starts = past.livesOf(status.name);
    const shown = past.shown(status);
    const before = shown === undefined ? starts.length : starts.indexOf(shown);
    // A waiting container has ended before, and so has one that waited when its Pod was removed.
    const hasWaited = state?.waiting !== undefined || state?.terminated?.reason === 'ContainerStatusUnknown';
    const expected = hasWaited ? shown : starts[before - 1];
    return past.shown(last) === expected ? undefined : `${last.containerID} is not the one before`;
  });
}

function noneExpected({ name, state, restartCount }: ContainerStatus, { round }: Chronicle): string | undefined {
  if (restartCount === 0 || round > 0) return undefined;
  return state === undefined ? `${name} has no state` : 'the instance before is not shown';
}

/** Source: container/sync_result.go, images/types.go, kuberuntime. */
const WAITING = new Set([
  'ContainerCreating',
  'PodInitializing',
  'CrashLoopBackOff',
  'ErrImagePull',
  'ImagePullBackOff',
  'CreateContainerConfigError',
  'RunContainerError',
  'PostStartHookError',
  'RestartingAllContainers',
]);

/** Waiting reasons are the kubelet's. Source: pkg/kubelet/container/sync_result.go, pkg/kubelet/images/types.go. */
export function waitingReasonsAreKnown(entry: Entry, past: Chronicle): string | undefined {
  return eachStatus(entry, past, ({ state }) => {
    const reason = state?.waiting?.reason;
    return state?.waiting === undefined || WAITING.has(reason ?? '') ? undefined : `waits for ${reason}`;
  });
}

/** A container has one state at a time. Source: API reference, ContainerState. */
export function exactlyOneState(entry: Entry, past: Chronicle): string | undefined {
  return eachStatus(entry, past, ({ state }) => {
    const states = Object.keys(state ?? {});
    return states.length === 1 ? undefined : `is ${states.join(' and ') || 'in no state'}`;
  });
}

/**
 * Every container has a status: init containers in the order of the spec, regular ones by name. Source: kubelet_pods.go
 * convertToAPIContainerStatuses, kubelet/types/types.go SortInitContainerStatuses.
 */
export function everyContainerHasAStatus(entry: Entry, { pod }: Chronicle): string | undefined {
  const { initContainerStatuses = [], containerStatuses } = pod.status;
  if (entry.type !== 'pod' || containerStatuses === undefined) return undefined;
  const names = (list: readonly { name: string }[] = []): string => list.map(({ name }) => name).join(' ');
  const init = names(initContainerStatuses) === names(pod.spec.initContainers);
  const regular =
    names(containerStatuses) ===
    pod.spec.containers
      .map(({ name }) => name)
      .toSorted()
      .join(' ');
  return init && regular ? undefined : `statuses of ${names([...initContainerStatuses, ...containerStatuses])}`;
}

/**
 * `started` is true only after the startup probe of this instance has passed. Source: prober_manager.go
 * UpdatePodStatus.
 */
export function startedMeansStartupProbePassed(entry: Entry, past: Chronicle): string | undefined {
  return eachStatus(entry, past, (status) => {
    const { name, started, state } = status;
    // The status of an ephemeral container has no `started`.
    if (past.isEphemeral(name)) return started === undefined ? undefined : `started is ${started}`;
    if (state?.running === undefined) return started === true ? 'started, but not running' : undefined;
    const passed = passedStartup(past, name, status);
    return started === passed ? undefined : `started is ${started}, its startup probe says ${passed}`;
  });
}

function passedStartup(past: Chronicle, name: string, status: ContainerStatus): boolean {
  if (past.container(name).startupProbe === undefined) return true;
  const runs = past.shown(status)?.commands.filter(({ purpose }) => purpose === 'startup') ?? [];
  return runs.some(({ outcome }) => outcome?.type === 'exited' && outcome.exitCode === 0);
}

/**
 * A container is ready when it has started and its readiness probe, if any, has passed. An init container is ready when
 * it is done. Source: prober_manager.go UpdatePodStatus.
 */
export function readyMeansReadinessProbePassed(entry: Entry, past: Chronicle): string | undefined {
  return eachStatus(entry, past, (status) => {
    const { name, ready, started, state } = status;
    if (past.plainInit.some((one) => one.name === name)) {
      const isDone = past.shown(status)?.exit?.exitCode === 0 && state?.running === undefined;
      return ready === isDone || state?.terminated?.reason === 'ContainerStatusUnknown'
        ? undefined
        : `ready is ${ready}`;
    }
    if (started !== true) return ready ? 'ready, but not started' : undefined;
    if (past.container(name).readinessProbe === undefined) return ready ? undefined : 'started, but not ready';
    const runs = past.shown(status)?.commands.filter(({ purpose }) => purpose === 'readiness') ?? [];
    const everPassed = runs.some(({ outcome }) => outcome?.type === 'exited' && outcome.exitCode === 0);
    return ready && !everPassed ? 'ready without a readiness probe that passed' : undefined;
  });
}
