import {
  allContainerStatuses,
  type ContainerState,
  type ContainerStatus,
  isTerminalPhase,
  parseTime,
  PodrunError,
  type PodStatus,
  type StoredEvent,
  type StoredPod,
  type WatchEvent,
} from '../../api/index.ts';
import type { HookRun, ProbeAttempt } from '../../lifecycle/index.ts';

/** A state of a Pod, or an Event about the Pod, as recorded. */
export interface RecordedTransition {
  /** Milliseconds since 1970, fractions allowed. Never before the previous transition. */
  readonly at: number;
  readonly type: WatchEvent['type'];
  /** `object.kind` distinguishes Pods and Events. */
  readonly object: StoredPod | StoredEvent;
}

/** The record of one run of a Pod, from its creation on. Contains everything but the logs. */
export interface RecordedRun {
  readonly namespace: string;
  /** The name of the Pod. */
  readonly name: string;
  readonly uid: string;
  /**
   * The transitions in the order in which they were written. The run of a replaced or deleted Pod ends with DELETED.
   */
  readonly transitions: readonly RecordedTransition[];
  /** The probe journal, in order. */
  readonly probes: readonly ProbeAttempt[];
  /** The hook journal, in the order in which hooks returned. */
  readonly hooks: readonly HookRun[];
}

/**
 * The length of a run in milliseconds: from the creation of the Pod to its end, or to `nowMs` while it lives.
 * Undefined: the end of the Pod is unknown.
 */
export function runLengthMs(pod: StoredPod, nowMs: number): number | undefined {
  const { phase } = pod.status;
  if (phase === 'Unknown') return undefined;
  const endMs = isTerminalPhase(phase) ? latestMomentIn(pod) : nowMs;
  return Math.max(0, endMs - parseTime(pod.metadata.creationTimestamp));
}

/** The last recorded state of the Pod. Its deletion is not a state. Undefined: no state is recorded. */
export function lastStateOf({ transitions }: RecordedRun): StoredPod | undefined {
  const last = transitions.findLast(({ type, object }) => object.kind === 'Pod' && type !== 'DELETED');
  return last?.object.kind === 'Pod' ? last.object : undefined;
}

/** True when the run has ended. */
export function isOver(run: RecordedRun): boolean {
  if (run.transitions.some(({ type, object }) => object.kind === 'Pod' && type === 'DELETED')) return true;
  return isTerminalPhase(lastStateOf(run)?.status.phase);
}

/** A timestamp in an object. Servers may answer null. */
type Timestamp = string | null | undefined;

/**
 * The latest timestamp in an object, milliseconds since 1970. Dates an object whose watch event has no time of its own.
 * Future times, such as a deletionTimestamp, do not count.
 */
export function latestMomentIn(object: StoredPod | StoredEvent): number {
  const moments = object.kind === 'Pod' ? podMoments(object.status) : eventMoments(object);
  const times = [object.metadata.creationTimestamp, ...moments].map((text) => parseTime(text ?? ''));
  return Math.max(0, ...times.filter((time) => !Number.isNaN(time)));
}

function podMoments(status: PodStatus): Timestamp[] {
  const conditions = (status.conditions ?? []).map(({ lastTransitionTime }) => lastTransitionTime);
  return [status.startTime, ...conditions, ...allContainerStatuses(status).flatMap(containerMoments)];
}

function containerMoments({ state, lastState }: ContainerStatus): Timestamp[] {
  return [state, lastState].flatMap((one: ContainerState | undefined) => [
    one?.running?.startedAt,
    one?.terminated?.startedAt,
    one?.terminated?.finishedAt,
  ]);
}

function eventMoments(event: StoredEvent): Timestamp[] {
  return [event.firstTimestamp, event.lastTimestamp, event.eventTime, event.series?.lastObservedTime];
}

/** The error of a run whose transition log is lost, or was never written. */
export function noTransitions(run: string): PodrunError {
  return new PodrunError('NotFound', `run ${run} has no recorded transitions`);
}
