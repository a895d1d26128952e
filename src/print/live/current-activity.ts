import { type Instant, isKeptByFinalizers, isTerminalPhase, type StoredPod } from '../../api/index.ts';
import {
  CONDITION,
  type ContainerActivity,
  type PlannedProbe,
  type PodActivity,
  WAITING,
} from '../../lifecycle/index.ts';
import { briefDuration, timestampMs } from '../base/age.ts';
import { describeExitCode } from '../base/exit-code.ts';
import { conditionOf } from '../table/pod-status.ts';
import type { PodContainer } from '../base/pod-container.ts';
import { causeOf } from './first-cause.ts';
import { waitingFor } from './waiting-for.ts';

/**
 * The current activity of a Pod as a whole: `24s of grace left`, `deadline in 3s`, the reason why it failed or cannot
 * start. Empty when the lines of its containers say everything.
 */
export function podActivityText(pod: StoredPod, activity: PodActivity | undefined, now: Instant): string {
  const { metadata, status } = pod;
  if (isTerminalPhase(status.phase) && isKeptByFinalizers(pod)) return 'waiting for its finalizers to be removed';
  if (status.phase === 'Failed') return causeOf(pod)?.text ?? '';
  if (isTerminalPhase(status.phase)) return '';
  if (metadata.deletionTimestamp) {
    const leftMs = (timestampMs(metadata.deletionTimestamp) ?? now.wallMs) - now.wallMs;
    return leftMs > 0 ? `${timeLeft(leftMs)} of grace left` : 'the grace period is over';
  }
  const ready = conditionOf(status, 'Ready');
  const areContainersReady = conditionOf(status, 'ContainersReady')?.status === 'True';
  const isKeptBack =
    conditionOf(status, 'PodScheduled')?.status === 'False' ||
    (areContainersReady && ready?.reason === CONDITION.readinessGatesNotReady);
  if (isKeptBack || status.phase === 'Unknown') return `waiting for ${waitingFor(pod, now.wallMs)}`;
  // The node lifecycle controller writes no reason.
  if (areContainersReady && ready?.status === 'False') return 'its node is not ready';
  if (activity?.deadlineMs === undefined) return '';
  return `deadline in ${timeLeft(activity.deadlineMs - now.monotonicMs)}`;
}

/**
 * The current activity of a container: `back-off 8s left, exit code 1`, `init 1 of 2`, `startup probe 4 of 30 in 3s`,
 * `stopping, 5s of grace left`. Empty when its state says everything.
 */
export function containerActivityText(view: PodContainer, activity: PodActivity | undefined, now: Instant): string {
  const { container, status, role, position, total } = view;
  const own = activity?.containers[container.name];
  const { running, terminated, waiting } = status?.state ?? {};
  const part = role === 'init' ? `init ${position} of ${total}` : '';
  const withPart = (text: string): string => [part, text].filter(Boolean).join(', ');
  if (own?.stop !== undefined) return withPart(stopText(own.stop, now));
  if (own?.isInPostStart === true) return withPart('postStart hook runs');
  if (running) return withPart(probeText(view, activity?.probes ?? [], now));
  if (waiting?.reason && waiting.reason !== WAITING.podInitializing) return withPart(waitingText(view, own, now));
  if (terminated && terminated.exitCode !== 0) return withPart(describeExitCode(terminated.exitCode));
  return terminated ? '' : part;
}

function waitingText({ status }: PodContainer, own: ContainerActivity | undefined, now: Instant): string {
  const { reason, message } = status?.state?.waiting ?? {};
  if (reason === WAITING.containerCreating) return '';
  const ended = status?.lastState?.terminated;
  const exit = ended === undefined ? '' : describeExitCode(ended.exitCode);
  const leftMs = own?.retryAtMs === undefined ? undefined : own.retryAtMs - now.monotonicMs;
  const left = leftMs === undefined || leftMs <= 0 ? '' : `back-off ${timeLeft(leftMs)} left`;
  if (reason === WAITING.crashLoopBackOff) return [left || 'back-off', exit].filter(Boolean).join(', ');
  return [left, message].filter(Boolean).join(': ');
}

function stopText({ stage, untilMs }: NonNullable<ContainerActivity['stop']>, { monotonicMs }: Instant): string {
  const left = `${timeLeft(untilMs - monotonicMs)} of grace left`;
  switch (stage) {
    case 'preStopDue':
    case 'preStop':
      return `preStop hook, ${left}`;
    case 'turn':
      return 'waits for its turn';
    case 'signalled':
      return `stopping, ${left}`;
    case 'killed':
      return 'killed';
    default:
      return stage satisfies never;
  }
}

/** The most important probe: first one that holds the container back, then a failing one, then the next one due. */
function probeText({ container, status }: PodContainer, probes: readonly PlannedProbe[], now: Instant): string {
  const own = probes.filter((probe) => probe.container === container.name);
  const isFailing = ({ lastOutcome }: PlannedProbe): boolean => lastOutcome === 'failure';
  const decisive = own.find(({ type }) => type === 'startup' || (type === 'readiness' && status?.ready === false));
  const next = own.toSorted((a, b) => (a.dueMs ?? 0) - (b.dueMs ?? 0)).at(0);
  const probe = decisive ?? own.find(isFailing) ?? next;
  if (probe === undefined) return '';
  const when = probe.dueMs === undefined ? 'running' : `in ${timeLeft(probe.dueMs - now.monotonicMs)}`;
  const { attempt, count } = countTexts(probe, status?.ready === true);
  return `${probe.type} probe ${attempt}${when}${count}`;
}

/** The number of the next attempt, if one attempt can decide; else the count of attempts so far. */
function countTexts(probe: PlannedProbe, isReady: boolean): { readonly attempt: string; readonly count: string } {
  const { type, lastOutcome, run, successThreshold, failureThreshold } = probe;
  const fails = lastOutcome === 'failure';
  if (type === 'startup' || (fails && (type === 'liveness' || isReady))) {
    const number = Math.min((fails ? run : 0) + 1, failureThreshold);
    return { attempt: `${number} of ${failureThreshold} `, count: '' };
  }
  if (fails) return { attempt: '', count: `, ${run} failed` };
  const isCounting = type === 'readiness' && !isReady && lastOutcome === 'success' && successThreshold > 1;
  return { attempt: '', count: isCounting ? `, ${run} of ${successThreshold} succeeded` : '' };
}

/** Rounds up to seconds: a positive rest is never 0. */
function timeLeft(ms: number): string {
  return briefDuration(Math.max(0, Math.ceil(ms / 1000)) * 1000).replace(/^0ms$/, '0s');
}
