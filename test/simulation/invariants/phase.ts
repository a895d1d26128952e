import { isTerminalPhase } from '../../../src/api/base/objects.ts';
import type { Chronicle } from '../scenario/chronicle.ts';
import type { Entry } from '../scenario/entry.ts';

/** Succeeded and Failed are final. Source: API convention, status_manager.go mergePodStatus. */
export function terminalPhaseNeverChanges(entry: Entry, { before, pod }: Chronicle): string | undefined {
  if (entry.type !== 'pod' || before === undefined || !isTerminalPhase(before.status.phase)) return undefined;
  return pod.status.phase === before.status.phase ? undefined : `${before.status.phase} became ${pod.status.phase}`;
}

/**
 * Phases go Pending, Running, end. Only a Pod whose containers were all removed by a RestartAllContainers rule goes
 * back to Pending. Source: lifecycle of a Pod in the Kubernetes docs; kubelet_pods.go getPhase.
 */
export function phaseMovesForward(entry: Entry, { before, pod, round, restartsAll }: Chronicle): string | undefined {
  if (entry.type !== 'pod' || before?.status.phase !== 'Running' || pod.status.phase !== 'Pending') return undefined;
  return round > 0 || restartsAll ? undefined : 'Running became Pending';
}

/** A Pod with a terminal phase has no process left, no child either. Source: KEP-3329. */
export function terminalPhaseMeansNothingRuns(entry: Entry, past: Chronicle): string | undefined {
  if (!isTerminalPhase(past.pod.status.phase) || (entry.type !== 'pod' && entry.type !== 'machine')) return undefined;
  const left = past.lives.find(({ failedAtMs, sweptAtMs }) => failedAtMs === undefined && sweptAtMs === undefined);
  return left === undefined ? undefined : `${past.pod.status.phase} while ${left.id} is not gone`;
}

/**
 * Succeeded: every regular container has ended with 0. Failed: any other end, and every Pod that exceeded its deadline.
 * Source: kubelet_pods.go getPhase with podIsTerminal; active_deadline.go.
 */
export function finalPhaseFollowsExitCodes(entry: Entry, past: Chronicle): string | undefined {
  const { phase, reason, containerStatuses = [] } = past.pod.status;
  if (entry.type !== 'pod' || !isTerminalPhase(phase)) return undefined;
  const allGood = containerStatuses.every(({ state }) => state?.terminated?.exitCode === 0);
  const initGood = past.plainInit.every(({ name }) => past.status(name)?.state?.terminated?.exitCode === 0);
  const expected = reason === undefined && allGood && initGood ? 'Succeeded' : 'Failed';
  return phase === expected ? undefined : `${phase}, although the containers say ${expected}`;
}

/**
 * The reason is DeadlineExceeded exactly when the deadline ended the Pod, and only at its end. Source:
 * active_deadline.go.
 */
export function deadlineIsTheReason(entry: Entry, { pod, ending }: Chronicle): string | undefined {
  if (entry.type !== 'pod') return undefined;
  const { phase, reason } = pod.status;
  const expected = ending?.cause === 'deadlineExceeded' && isTerminalPhase(phase) ? 'DeadlineExceeded' : undefined;
  // A Pod that was ended before it was scheduled has its own reason.
  if (reason === 'Terminated' && pod.spec.nodeName === undefined) return undefined;
  return reason === expected ? undefined : `reason is ${reason}, expected ${expected}`;
}

/** A Pod ends at its deadline, not before. Source: active_deadline.go. */
export function deadlineIsKept(entry: Entry, past: Chronicle): string | undefined {
  const seconds = past.pod.spec.activeDeadlineSeconds;
  const { startedAtMs, ending } = past;
  if (seconds === undefined || startedAtMs === undefined) return undefined;
  const dueAtMs = startedAtMs + seconds * 1000;
  if (entry.type === 'event' && entry.event.reason === 'DeadlineExceeded' && entry.atMs < dueAtMs) return 'too early';
  if (entry.type !== 'settled' || ending !== undefined || past.isDone || past.isOver) return undefined;
  // While a postStart hook runs, the deadline is not checked.
  return entry.atMs > dueAtMs && !past.isHookUnderWay ? 'not ended' : undefined;
}
