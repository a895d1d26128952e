import type { ContainerStateTerminated, StoredPod } from '../../api/index.ts';
import { CONDITION, PREEMPTED, WAITING } from '../../lifecycle/index.ts';
import { timestampMs } from '../base/age.ts';
import { excerpt } from '../text/excerpt.ts';
import { type PodContainer, containersOf, nameContainer } from '../base/pod-container.ts';
import { describeEnd, describeExitCode, reasonOfEnd } from '../base/exit-code.ts';
import { conditionOf } from '../table/pod-status.ts';
import { endsIn, NO_RECORDS, type RecordedEvidence } from '../../history/index.ts';
import { attemptsOf, probeProgress } from '../base/probe-attempts.ts';
import { blockingMount, whyUnscheduled } from './blocking-mount.ts';
import {
  failedPostStart,
  isGraceOver,
  killingProbe,
  ownEnd,
  podStopText,
  postStartText,
  type StopReason,
  stopReason,
} from './stopped-run.ts';

/** The cause that keeps a Pod from being Ready or succeeding, or made it fail. */
export interface Cause {
  /** The kind: the end of a container, a container that cannot start or is not ready, or the whole Pod. */
  readonly kind: 'end' | 'start' | 'readiness' | 'pod';
  /** The container that caused it. Undefined when no container did. */
  readonly container: string | undefined;
  /** One clause, for example `container main exited with code 3`. */
  readonly text: string;
}

/**
 * The reason why a Pod failed or cannot become Ready: one sentence without full stop, for example
 * `container main exited with code 127 (command not found)`.
 * @param records the records of the Pod, if the caller has them
 */
export function firstCause(pod: StoredPod, records: RecordedEvidence = NO_RECORDS): string {
  return causeOf(pod, records)?.text ?? `its phase is ${pod.status.phase ?? 'Unknown'}`;
}

/** The first cause in a Pod. Undefined when nothing went wrong so far, or the phase is Unknown. */
export function causeOf(pod: StoredPod, records: RecordedEvidence = NO_RECORDS): Cause | undefined {
  if (pod.status.phase === 'Succeeded' || pod.status.phase === 'Unknown') return undefined;
  return (
    podCause(pod, records) ??
    endCause(pod, records) ??
    waitingCause(pod) ??
    mountCause(pod, records) ??
    readinessCause(pod, records)
  );
}

/** The cause in the status of the Pod itself: a deadline, an eviction, a Pod that cannot be scheduled. */
function podCause(pod: StoredPod, { events }: RecordedEvidence): Cause | undefined {
  const { status } = pod;
  const end = ownEnd(pod, events);
  if (end !== undefined) {
    const text = [end.reason, end.message].filter(Boolean).join(': ');
    return { kind: 'pod', container: undefined, text };
  }
  if (isPreempted(pod)) {
    return { kind: 'pod', container: undefined, text: 'it was preempted: a Pod of higher priority needed its place' };
  }
  if (conditionOf(status, 'PodScheduled')?.status !== 'False') return undefined;
  return { kind: 'pod', container: undefined, text: `it cannot be scheduled: ${whyUnscheduled(pod, events)}` };
}

/** True for a Pod that had to make room for one of higher priority. */
export function isPreempted({ status }: StoredPod): boolean {
  const target = conditionOf(status, 'DisruptionTarget');
  return target?.status === 'True' && target.reason === PREEMPTED.reason;
}

/** All containers but ephemeral ones, which never change the state of their Pod. */
function containersThatCount(pod: StoredPod): PodContainer[] {
  return containersOf(pod).filter(({ role }) => role !== 'ephemeral');
}

/** A run of a container that failed, and the reason if podrun ended it. */
interface FailedRun {
  readonly view: PodContainer;
  readonly attempt: number;
  readonly ended: ContainerStateTerminated;
  readonly stop: StopReason | undefined;
}

/**
 * The container that failed first. Leaves out containers that were stopped with their Pod, and sidecars when other
 * containers ended as well.
 */
function endCause(pod: StoredPod, records: RecordedEvidence): Cause | undefined {
  const runs = containersThatCount(pod)
    .flatMap((view): FailedRun[] => {
      // A later run may be well.
      const last = view.status?.state?.running ? undefined : endsIn(view.status).at(-1);
      if (last === undefined) return [];
      const { attempt, terminated: ended } = last;
      const stop = stopReason(pod, view, ended, records);
      return (ended.exitCode === 0 && stop !== 'hook') || stop === 'change' ? [] : [{ view, attempt, ended, stop }];
    })
    .sort((a, b) => weight(a.view) - weight(b.view) || endMs(a.ended) - endMs(b.ended));
  const failed = runs.find(({ stop }) => stop !== 'pod');
  if (failed !== undefined) {
    const { container } = failed.view;
    return { kind: 'end', container: container.name, text: excerpt(failureText(failed, records)) };
  }
  const stopped = runs.find(({ ended }) => ended.exitCode === 137) ?? runs[0];
  if (stopped === undefined) return undefined;
  const { view, ended } = stopped;
  const container = isGraceOver(pod, ended) ? view.container.name : undefined;
  return { kind: 'pod', container, text: podStopText(pod, view, ended) };
}

/** The latest end of a container as a clause, even if it succeeded or runs again. Undefined when it never ended. */
export function latestEnd(pod: StoredPod, view: PodContainer, records: RecordedEvidence): string | undefined {
  const last = endsIn(view.status).at(-1);
  if (last === undefined) return undefined;
  const { attempt, terminated: ended } = last;
  return excerpt(failureText({ view, attempt, ended, stop: stopReason(pod, view, ended, records) }, records));
}

function failureText({ view, attempt, ended, stop }: FailedRun, records: RecordedEvidence): string {
  const name = nameContainer(view);
  if (stop === 'hook') return `${name} was ended, as its ${postStartText(failedPostStart(view, records))}`;
  const probe = killingProbe(view.container.name, attempt, records.attempts);
  if (probe !== undefined || stop === 'probe') {
    return `${name} was killed by its ${probe ?? 'probe'}, and ended with ${describeExitCode(ended.exitCode)}`;
  }
  const why = reasonOfEnd(ended);
  return `${name} ${describeEnd(ended)}${why === undefined ? '' : `: ${why}`}`;
}

function weight({ role }: PodContainer): number {
  return role === 'sidecar' ? 1 : 0;
}

function endMs({ finishedAt }: ContainerStateTerminated): number {
  return timestampMs(finishedAt) ?? Number.POSITIVE_INFINITY;
}

/** A container that cannot start, because of its image or its configuration. */
function waitingCause(pod: StoredPod): Cause | undefined {
  const stuck = containersThatCount(pod).find(({ status }) => {
    const reason = status?.state?.waiting?.reason;
    return reason && reason !== WAITING.containerCreating && reason !== WAITING.podInitializing;
  });
  const waiting = stuck?.status?.state?.waiting;
  if (stuck === undefined || waiting === undefined) return undefined;
  const text = [waiting.reason, waiting.message].filter(Boolean).join(': ');
  return { kind: 'start', container: stuck.container.name, text: `${nameContainer(stuck)} cannot start: ${text}` };
}

/** A volume that cannot be set up: it holds back every container. */
function mountCause(pod: StoredPod, { events }: RecordedEvidence): Cause | undefined {
  const mount = blockingMount(pod, events);
  return (
    mount && { kind: 'start', container: undefined, text: `volume ${mount.volume} cannot be set up: ${mount.why}` }
  );
}

/** A running container that is not ready. */
function readinessCause(pod: StoredPod, { attempts }: RecordedEvidence): Cause | undefined {
  const unready = containersOf(pod).find(
    ({ role, status }) => (role === 'regular' || role === 'sidecar') && status?.state?.running && !status.ready,
  );
  if (unready) return { kind: 'readiness', container: unready.container.name, text: unreadiness(unready, attempts) };
  const ready = conditionOf(pod.status, 'Ready');
  if (ready?.reason !== CONDITION.readinessGatesNotReady) return undefined;
  return { kind: 'readiness', container: undefined, text: ready.message ?? 'a readiness gate is not open' };
}

/** The text `container main is not ready: readiness probe failed 7 times in a row, last result: HTTP 503`. */
function unreadiness(view: PodContainer, attempts: RecordedEvidence['attempts']): string {
  const isStarting = view.status?.started === false;
  const type = isStarting ? 'startup' : 'readiness';
  const what = `${nameContainer(view)} ${isStarting ? 'has not started up' : 'is not ready'}`;
  const own = attemptsOf(view, type, attempts);
  // Without the current time, the text leaves out when the first attempt is due.
  return own.length === 0 ? what : `${what}: ${probeProgress(view, type, own, Number.POSITIVE_INFINITY)}`;
}
