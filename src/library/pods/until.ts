import { formatGoDuration } from '../../api/duration.ts';
import { PodrunError } from '../../api/errors.ts';
import type { StoredPod } from '../../api/objects.ts';
import type { Alarm, Clock } from '../../clock.ts';
import { type GoalProgress, type GoalRules, NOT_REACHED, watchGoal } from '../../lifecycle/requests/goal-watch.ts';
import { type RunRecord, verdictOf } from '../../lifecycle/requests/verdict.ts';
import { waitingFor } from '../../print/live/waiting-for.ts';
import { RECORD_FAILURE } from '../../print/report/fit-verdict.ts';
import { explainPod } from '../../print/waits/explain-pod.ts';
import { whyLapsed } from '../../print/waits/why-lapsed.ts';
import { whyNever } from '../../print/waits/why-never.ts';
import { podEvidence } from '../../store/records/pod-evidence.ts';
import type { FileStore } from '../../store/file-store.ts';
import { asLibraryAdvice, asLibraryCalls } from '../library-calls.ts';
import { GoalError, TimeoutError } from '../errors.ts';
import type { ParsedGoal } from './goal.ts';
import { type PodEvidence } from '../../history/evidence.ts';

/** Pods to wait for. */
export interface WaitSubject {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly pods: () => readonly StoredPod[];
  readonly isDeleted: (pod: StoredPod) => boolean;
  /** How much of the run is on record. */
  readonly record: () => RunRecord;
  /** Calls back after every change. */
  readonly onChange: (look: () => void) => { close(): void };
}

export interface WaitLimits {
  readonly timeoutMs: number;
  readonly rules: GoalRules;
  /** Aborting one of these signals ends the wait. */
  readonly signals: readonly AbortSignal[];
}

/**
 * Resolves when all Pods have reached the goal and stayed there for the settle time. Rejects with a `GoalError` when a
 * Pod can no longer reach the goal or has left it, with a `TimeoutError` at the time limit, with the reason of an
 * aborted signal, and with a `PodrunError` when a part of the record could not be written.
 */
export async function waitUntil(awaited: WaitSubject, goal: ParsedGoal, patience: WaitLimits): Promise<void> {
  const { timeoutMs, signals, rules } = patience;
  for (const signal of signals) signal.throwIfAborted();
  const { clock } = awaited;
  const ends: Array<() => void> = [];
  const wait = new Promise<void>((resolve, reject) => {
    let watch = NOT_REACHED;
    let nextLook: Alarm | undefined;
    const look = (): void => {
      nextLook?.cancel();
      try {
        const pods = awaited.pods();
        const { goal: known, stateOf } = goal;
        const looked = watchGoal(watch, { goal: known, rules, subjects: pods, pods, now: clock.now(), stateOf });
        watch = looked.watch;
        const untilMs = nextCheckMs(awaited, goal, looked.progress);
        if (untilMs === 0) resolve();
        else if (untilMs !== undefined) nextLook = clock.wakeAt(untilMs, look);
      } catch (error) {
        reject(error);
      }
    };
    const subscription = awaited.onChange(look);
    ends.push(
      () => subscription.close(),
      () => nextLook?.cancel(),
    );
    for (const signal of signals) {
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener('abort', onAbort);
      ends.push(() => signal.removeEventListener('abort', onAbort));
    }
    if (Number.isFinite(timeoutMs)) {
      const alarm = clock.wakeAt(clock.now().monotonicMs + timeoutMs, () => reject(timedOut(awaited, goal, timeoutMs)));
      ends.push(() => alarm.cancel());
    }
    look();
  });
  await wait.finally(() => ends.forEach((end) => end()));
}

/**
 * The monotonic time of the next look. Undefined: look at the next change. 0: all Pods have reached the goal.
 * @throws {GoalError} when a Pod can never reach the goal, or has left it again
 * @throws {PodrunError} when all Pods have reached the goal, and a part of their record could not be written
 */
function nextCheckMs(awaited: WaitSubject, goal: ParsedGoal, progress: GoalProgress<StoredPod>): number | undefined {
  const { pods, isDeleted, record } = awaited;
  switch (progress.type) {
    case 'met':
      if (verdictOf({ type: 'goalMet' }, [], record()).result === 'failed')
        throw new PodrunError('Disk', RECORD_FAILURE);
      return 0;
    case 'settling':
      return progress.untilMs;
    case 'impossible': {
      const why = withEvidence(awaited, progress.subject, (evidence) =>
        whyNever(progress.subject, undefined, evidence),
      );
      throw new GoalError(goal.text, structuredClone(progress.subject), why);
    }
    case 'lapsed': {
      const { lapse } = progress;
      const why = withEvidence(awaited, lapse.pod, (evidence) => whyLapsed(lapse, evidence));
      throw new GoalError(goal.text, structuredClone(lapse.pod), why, 'did not stay');
    }
    case 'pending': {
      const gone = pods().find((pod) => isDeleted(pod) && goal.stateOf(pod) === 'pending');
      if (gone !== undefined) throw new GoalError(goal.text, structuredClone(gone), 'it was deleted');
      return undefined;
    }
    default:
      return progress satisfies never;
  }
}

function timedOut(awaited: WaitSubject, goal: ParsedGoal, timeoutMs: number): TimeoutError {
  const missing = awaited.pods().filter((pod) => goal.stateOf(pod) !== 'met');
  const lines = missing.map((pod) =>
    withEvidence(awaited, pod, (evidence, nowMs) => `pod/${pod.metadata.name}: ${waitingFor(pod, nowMs, evidence)}`),
  );
  const message = [`timed out after ${formatGoDuration(timeoutMs)}, waiting for ${goal.text}`, ...lines].join('\n');
  return new TimeoutError(message, { goal: goal.text, timeoutMs, pods: structuredClone(missing) });
}

/** A sentence about a Pod, and below it the evidence, indented. */
function withEvidence(
  { store, clock }: WaitSubject,
  pod: StoredPod,
  sentence: (evidence: PodEvidence, nowMs: number) => string,
): string {
  const evidence = podEvidence(store, pod);
  const nowMs = clock.now().wallMs;
  const block = explainPod({ pod, evidence, untilMs: nowMs, reworded: asLibraryAdvice });
  return asLibraryCalls(`${sentence(evidence, nowMs)}\n${block}`.trimEnd());
}
