import type { ContainerState } from '../../api/generated/types.ts';
import type { StoredPod } from '../../api/objects.ts';
import type { ProbeAttempt } from '../../lifecycle/probes/probe-attempt.ts';
import { CONDITION } from '../../lifecycle/texts/condition-reasons.ts';
import { TERMINATED } from '../../lifecycle/texts/terminated.ts';
import { WAITING } from '../../lifecycle/texts/waiting.ts';
import { timestampMs } from '../age.ts';
import { excerpt } from '../excerpt.ts';
import { type ContainerView, containersOf, nameContainer } from './container-view.ts';
import { describeEnd, describeExitCode, reasonOfEnd } from '../exit-code.ts';
import { conditionOf } from '../pod-status.ts';
import { attemptsOf, briefResult, decidesToKill, probeProgress } from '../waits/probe-attempts.ts';

/** What keeps a Pod from being Ready or from succeeding, or what made it fail. */
export interface Cause {
  /** Is it how a container ended, why one cannot start, that one is not ready, or something about the whole Pod? */
  readonly kind: 'end' | 'start' | 'readiness' | 'pod';
  /** The container to blame; undefined: it is nothing in the Pod. */
  readonly container: string | undefined;
  /** One clause, for example `container main exited with code 3`. */
  readonly text: string;
}

/**
 * One sentence without its full stop: why a Pod failed or cannot become Ready, for example
 * `container main exited with code 127 (command not found)`.
 * @param attempts the latest of the probe journal, where that is at hand
 */
export function firstCause(pod: StoredPod, attempts: readonly ProbeAttempt[] = []): string {
  return causeOf(pod, attempts)?.text ?? `its phase is ${pod.status.phase ?? 'Unknown'}`;
}

/** The first thing that went wrong in a Pod; undefined when nothing did, not yet, or nobody knows. */
export function causeOf(pod: StoredPod, attempts: readonly ProbeAttempt[] = []): Cause | undefined {
  if (pod.status.phase === 'Succeeded' || pod.status.phase === 'Unknown') return undefined;
  return podCause(pod) ?? endCause(pod, attempts) ?? waitingCause(pod) ?? readinessCause(pod, attempts);
}

/** A reason that the Pod itself carries: a deadline, an eviction, a scheduler that finds no place. */
function podCause({ status }: StoredPod): Cause | undefined {
  if (status.reason) {
    const text = [status.reason, status.message?.trim()].filter(Boolean).join(': ');
    return { kind: 'pod', container: undefined, text };
  }
  const scheduled = conditionOf(status, 'PodScheduled');
  if (scheduled?.status !== 'False') return undefined;
  return {
    kind: 'pod',
    container: undefined,
    text: `it cannot be scheduled: ${scheduled.message ?? scheduled.reason ?? ''}`,
  };
}

/** An ephemeral container, whatever becomes of it, changes nothing for its Pod. */
function containersThatCount(pod: StoredPod): ContainerView[] {
  return containersOf(pod).filter(({ role }) => role !== 'ephemeral');
}

/** The container that failed first. A sidecar is not to blame when others ended as well: it was stopped. */
function endCause(pod: StoredPod, attempts: readonly ProbeAttempt[]): Cause | undefined {
  const failures = containersThatCount(pod)
    .map((view) => ({ view, ended: lastEnd(view.status?.state, view.status?.lastState) }))
    .filter(
      ({ ended }) => ended !== undefined && ended.exitCode !== 0 && ended.reason !== TERMINATED.restartingAllContainers,
    )
    .sort((a, b) => weight(a.view) - weight(b.view) || endMs(a.ended) - endMs(b.ended));
  const [first] = failures;
  if (first?.ended === undefined) return undefined;
  const { view, ended } = first;
  const container = view.container.name;
  const probe = killingProbe(container, view.status?.restartCount ?? 0, attempts);
  if (probe !== undefined) {
    const code = describeExitCode(ended.exitCode);
    return {
      kind: 'end',
      container,
      text: `${nameContainer(view)} was killed by its ${probe}, and ended with ${code}`,
    };
  }
  const why = reasonOfEnd(ended);
  return {
    kind: 'end',
    container,
    text: `${nameContainer(view)} ${describeEnd(ended)}${why === undefined ? '' : `: ${excerpt(why)}`}`,
  };
}

/** `liveness probe, which failed 3 times in a row (HTTP 503)`, when that is why a run of a container ended. */
export function killingProbe(
  container: string,
  restartCount: number,
  attempts: readonly ProbeAttempt[],
): string | undefined {
  const last = attempts.findLast(
    (one) => one.container === container && one.restartCount === restartCount && decidesToKill(one),
  );
  if (last === undefined) return undefined;
  const times = last.failures === 1 ? 'once' : `${last.failures} times in a row`;
  return `${last.probe} probe, which failed ${times} (${briefResult(last)})`;
}

/** How the latest run of a container ended, unless a later one is under way and well. */
function lastEnd(
  state: ContainerState | undefined,
  lastState: ContainerState | undefined,
): ContainerState['terminated'] {
  if (state?.running) return undefined;
  return state?.terminated ?? lastState?.terminated;
}

function weight({ role }: ContainerView): number {
  return role === 'sidecar' ? 1 : 0;
}

function endMs(ended: ContainerState['terminated']): number {
  return timestampMs(ended?.finishedAt) ?? Number.POSITIVE_INFINITY;
}

/** A container that cannot start: its image, its configuration. */
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

/** Everything runs, but not everything is ready. */
function readinessCause(pod: StoredPod, attempts: readonly ProbeAttempt[]): Cause | undefined {
  const unready = containersOf(pod).find(
    ({ role, status }) => (role === 'regular' || role === 'sidecar') && status?.state?.running && !status.ready,
  );
  if (unready) return { kind: 'readiness', container: unready.container.name, text: unreadiness(unready, attempts) };
  const ready = conditionOf(pod.status, 'Ready');
  if (ready?.reason !== CONDITION.readinessGatesNotReady) return undefined;
  return { kind: 'readiness', container: undefined, text: ready.message ?? 'a readiness gate is not open' };
}

/** `container main is not ready: readiness probe failed 7 times in a row, last result: HTTP 503`. */
function unreadiness(view: ContainerView, attempts: readonly ProbeAttempt[]): string {
  const isStarting = view.status?.started === false;
  const type = isStarting ? 'startup' : 'readiness';
  const what = `${nameContainer(view)} ${isStarting ? 'has not started up' : 'is not ready'}`;
  const own = attemptsOf(view, type, attempts);
  // Without a clock: of a first attempt that is still to come nothing is said.
  return own.length === 0 ? what : `${what}: ${probeProgress(view, type, own, Number.POSITIVE_INFINITY)}`;
}
