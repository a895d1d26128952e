import type { ContainerStateTerminated, StoredEvent, StoredPod } from '../../api/index.ts';
import { containerOfEvent, eventSubject, type RecordedEvidence } from '../../history/index.ts';
import {
  causedKill,
  DEADLINE_EXCEEDED,
  decidedEnd,
  endedByFault,
  EVENT_REASON,
  EVICTED,
  FAULT_INJECTED,
  HOOK_FAILED,
  type HookRun,
  stopping,
} from '../../lifecycle/index.ts';
import { timestampMs } from '../base/age.ts';
import { describeExitCode } from '../base/exit-code.ts';
import { nameContainer, type PodContainer } from '../base/pod-container.ts';
import { briefResult } from '../base/probe-attempts.ts';

/**
 * The reason why podrun ended a run of a container. `pod`: with the whole Pod. `change`: for a new image or size.
 * `fault`: for `--inject`.
 */
export type StopReason = 'hook' | 'probe' | 'change' | 'pod' | 'fault';

/** The reason why podrun ended a run of a container. Undefined without evidence that podrun ended it. */
export function stopReason(
  pod: StoredPod,
  { container }: PodContainer,
  ended: ContainerStateTerminated,
  { events }: RecordedEvidence,
): StopReason | undefined {
  const [startedMs, finishedMs] = [timestampMs(ended.startedAt), timestampMs(ended.finishedAt)];
  const kill = events.find((event) => {
    const atMs = timestampMs(event.lastTimestamp);
    if (containerOfEvent(event) !== container.name || !isKill(event, container.name) || atMs === undefined)
      return false;
    return atMs >= (startedMs ?? 0) && atMs <= (finishedMs ?? Number.POSITIVE_INFINITY);
  });
  if (kill?.reason === FAULT_INJECTED) return 'fault';
  if (kill !== undefined) return reasonOfKill(eventSubject(kill).message, container.name);
  const requestedMs = deletionRequestMs(pod);
  return requestedMs !== undefined && (finishedMs ?? requestedMs) >= requestedMs ? 'pod' : undefined;
}

function isKill({ reason, message = '' }: StoredEvent, container: string): boolean {
  return reason === EVENT_REASON.killing || (reason === FAULT_INJECTED && message.startsWith(endedByFault(container)));
}

/** The reason in the message of a Killing event. */
function reasonOfKill(text: string, container: string): StopReason {
  if (text === HOOK_FAILED) return 'hook';
  if (/ failed (?:liveness|startup) probe/.test(text)) return 'probe';
  return text === stopping(container) ? 'pod' : 'change';
}

function deletionRequestMs({ metadata }: StoredPod): number | undefined {
  const deadlineMs = timestampMs(metadata.deletionTimestamp);
  return deadlineMs === undefined ? undefined : deadlineMs - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
}

const SIGTERM = 143;
const SIGKILL = 137;

/** True when SIGKILL ended a container at the end of its grace period. */
export function isGraceOver(pod: StoredPod, { exitCode }: ContainerStateTerminated): boolean {
  return exitCode === SIGKILL && pod.metadata.deletionGracePeriodSeconds !== 0;
}

/**
 * A clause about a Pod that was ended while its containers ran: `it was deleted`, with the exit of a container where
 * that is worth mentioning.
 */
export function podStopText(pod: StoredPod, view: PodContainer, ended: ContainerStateTerminated): string {
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  const isForced = deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
  if (isForced) return 'it was deleted by force, which kills its containers at once';
  const how = deletionTimestamp === undefined ? 'the podrun that ran it has ended it' : 'it was deleted';
  const { exitCode } = ended;
  if (!ended.startedAt || exitCode === 0 || exitCode === SIGTERM) return how;
  if (!isGraceOver(pod, ended)) return `${how}, and ${nameContainer(view)} ended with ${describeExitCode(exitCode)}`;
  const seconds = deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds;
  const period = seconds === undefined ? 'its grace period' : `its grace period of ${seconds}s`;
  return `${how}, and ${nameContainer(view)} did not end within ${period}: podrun killed it`;
}

/** The text `liveness probe, which failed 3 times in a row (HTTP 503)`, if that ended a run of a container. */
export function killingProbe(
  container: string,
  restartCount: number,
  attempts: RecordedEvidence['attempts'],
): string | undefined {
  const last = attempts.findLast(
    (attempt) => attempt.container === container && attempt.restartCount === restartCount && causedKill(attempt),
  );
  if (last === undefined) return undefined;
  const times = last.failures === 1 ? 'once' : `${last.failures} times in a row`;
  return `${last.probe} probe, which failed ${times} (${briefResult(last)})`;
}

/** The failed postStart hook of a run of a container, by default the latest run. Undefined when none is recorded. */
export function failedPostStart(
  { container, status }: PodContainer,
  { hooks }: RecordedEvidence,
  restartCount: number = status?.restartCount ?? 0,
): HookRun | undefined {
  return hooks.findLast(
    (run) =>
      run.container === container.name &&
      run.hook === 'postStart' &&
      run.result === 'failure' &&
      run.restartCount === restartCount,
  );
}

/** The text `postStart hook failed with exit code 4: cannot reach the database`. */
export function postStartText(run: HookRun | undefined): string {
  // On a node, and for exec probes, the words of containerd come before the cause.
  const lines = (run?.output ?? '')
    .trim()
    .replace(/^.*unable to start container process: /s, '')
    .split('\n');
  const words = lines.at(-1)?.trim() ?? '';
  const code = run?.exitCode === undefined ? '' : ` with ${describeExitCode(run.exitCode)}`;
  return `postStart hook failed${code}${words === '' ? '' : `: ${words}`}`;
}

/**
 * The reason for which the Pod itself ends or has ended, such as its deadline. While its last processes end, only the
 * kubelet's event has the reason. Undefined: the containers decide, or the Pod does not end.
 */
export function ownEnd(
  pod: StoredPod,
  events: readonly StoredEvent[],
): { readonly reason: string; readonly message: string } | undefined {
  const { reason, message } = pod.status;
  if (reason) return { reason, message: message?.trim() ?? '' };
  if (decidedEnd(pod) !== 'Failed') return undefined;
  const event = events.findLast((one) => one.reason === DEADLINE_EXCEEDED.reason || one.reason === EVICTED);
  return event && { reason: event.reason ?? '', message: event.message?.trim() ?? '' };
}
