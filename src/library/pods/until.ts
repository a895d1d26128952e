import { formatGoDuration, PodrunError, type StoredPod, usage } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { parseRunGoal } from '../../controllers/index.ts';
import { type AwaitedGoal, awaitedGoal, type BesideRoots, type FindUnservable, GoalWait } from '../../engine/index.ts';
import type { PodEvidence } from '../../history/index.ts';
import {
  type GoalProgress,
  type GoalRules,
  podRoot,
  type Root,
  rootEnd,
  type RunRecord,
  unservableText,
  verdictOf,
} from '../../lifecycle/index.ts';
import {
  goalOf,
  RECORD_FAILURE,
  rootEvidence,
  rootName,
  troubledState,
  waitingFor,
  whyLapsed,
  whyRootNever,
} from '../../print/index.ts';
import { evidenceAbout, type FileStore } from '../../store/index.ts';
import { GoalError, TimeoutError } from '../base/errors.ts';
import { asLibraryAdvice, asLibraryCalls } from '../base/library-errors.ts';
import type { Goal } from '../base/types.ts';

/** Pods and workloads to wait for, or other objects. */
export interface WaitSubject {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly roots: () => readonly Root[];
  /** True: the wait is not about roots. */
  readonly mayBeEmpty: boolean;
  readonly isDeleted: (pod: StoredPod) => boolean;
  /** A line about each Service of the manifests that leads to Pods of these roots and has no ready endpoint. */
  readonly unserved: (roots: readonly Root[]) => readonly string[];
  /** Finds what was applied and can never serve. */
  readonly unservable: FindUnservable;
  /** Finds what has to end well beside the roots. */
  readonly beside: () => BesideRoots;
  /** True for a Pod that waits for room which Pods of other runs have. */
  readonly waitsForOthers: (uid: string) => boolean;
  /** Returns the record of the run, with what could not be written of it. */
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
 * Resolves when all roots have reached the goal and stayed there for the settle time. A goal that includes Ready waits
 * for the endpoints of their Services, too. Rejects with a `GoalError` when
 * one can no longer reach the goal or has left it, with a `TimeoutError` at the time limit, with the reason of an
 * aborted signal, and with a `PodrunError` when none can ever reach the goal, or a part of the record could not be
 * written.
 */
export async function waitUntil(awaited: WaitSubject, goal: AwaitedGoal, patience: WaitLimits): Promise<void> {
  const { timeoutMs, signals, rules } = patience;
  for (const signal of signals) signal.throwIfAborted();
  const { clock, roots, mayBeEmpty, unserved, unservable, beside, waitsForOthers } = awaited;
  refuseIdleGoal(awaited, goal);
  const ends: Array<() => void> = [];
  const wait = new Promise<void>((resolve, reject) => {
    const look = (): void => {
      try {
        const progress = goalWait.look();
        const failed = goalWait.unservable.map(unservableText);
        if (failed.length > 0) throw new PodrunError('GoalNotReached', failed.join('\n'));
        if (isThere(awaited, goal, progress)) resolve();
      } catch (error) {
        reject(error);
      }
    };
    const finds = { mayBeEmpty, unserved, unservable, beside, waitsForOthers };
    const goalWait = new GoalWait({ clock, goal, rules, roots, ...finds, onDue: look });
    const subscription = awaited.onChange(look);
    ends.push(
      () => subscription.close(),
      () => goalWait.close(),
    );
    for (const signal of signals) {
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener('abort', onAbort);
      ends.push(() => signal.removeEventListener('abort', onAbort));
    }
    if (Number.isFinite(timeoutMs)) {
      const onTimeout = (): void => reject(timedOut(awaited, goal, { timeoutMs, unserved: goalWait.unserved }));
      const alarm = clock.wakeAt(clock.now().monotonicMs + timeoutMs, onTimeout);
      ends.push(() => alarm.cancel());
    }
    look();
  });
  await wait.finally(() => ends.forEach((end) => end()));
}

/** @throws {PodrunError} (usage) for a goal that none of the objects can reach */
function refuseIdleGoal({ roots }: WaitSubject, goal: AwaitedGoal): void {
  const all = roots();
  if (all.length === 0) return;
  const unknown = goal.unknownFor?.(all);
  if (unknown !== undefined) {
    const { condition, meant } = unknown;
    throw usage(
      `until() cannot wait for ${goal.text}: no object has a condition ${condition}`,
      meant && `Did you mean ${JSON.stringify(meant)}?`,
    );
  }
  if (all.some(goal.isAbout)) return;
  const kinds = [...new Set(all.map(({ object }) => object.kind))].join(' or ');
  throw usage(`until() cannot wait for ${goal.text}: no ${kinds} can reach it`);
}

/**
 * True when all roots have reached the goal.
 * @throws {GoalError} when a root can never reach the goal, or has left it again
 * @throws {PodrunError} when all roots have reached the goal, and a part of their record could not be written
 */
function isThere(awaited: WaitSubject, goal: AwaitedGoal, progress: GoalProgress<Root>): boolean {
  const { roots, isDeleted, record } = awaited;
  switch (progress.type) {
    case 'met':
      if (verdictOf({ type: 'goalMet' }, [], record()).result === 'failed')
        throw new PodrunError('Disk', RECORD_FAILURE);
      return true;
    case 'settling':
      return false;
    case 'impossible': {
      const { subject } = progress;
      const why = withEvidence(awaited, subject, (evidenceOf) => whyRootNever(subject, undefined, evidenceOf));
      const lacking = goal.textFor?.(subject) ?? goal.text;
      throw new GoalError(goalOf(subject, lacking), structuredClone(subject.object), why);
    }
    case 'lapsed': {
      const { lapse } = progress;
      const why = withEvidence(awaited, podRoot(lapse.pod), (evidenceOf) => whyLapsed(lapse, evidenceOf(lapse.pod)));
      throw new GoalError(goal.text, structuredClone(lapse.pod), why, 'did not stay');
    }
    case 'pending': {
      const isGone = (root: Root): boolean => root.object.kind === 'Pod' && isDeleted(root.object);
      const gone = roots().find((root) => isGone(root) && goal.isAbout(root) && goal.stateOf(root) === 'pending');
      if (gone !== undefined) throw new GoalError(goal.text, structuredClone(gone.object), 'it was deleted');
      return false;
    }
    default:
      return progress satisfies never;
  }
}

function timedOut(
  awaited: WaitSubject,
  goal: AwaitedGoal,
  { timeoutMs, unserved }: { readonly timeoutMs: number; readonly unserved: readonly string[] },
): TimeoutError {
  const missing = awaited.roots().filter((root) => goal.isAbout(root) && goal.stateOf(root) !== 'met');
  const lines = missing.map((root) =>
    withEvidence(awaited, root, (evidenceOf, nowMs) => `${rootName(root)}: ${stateOf(root, nowMs, evidenceOf)}`),
  );
  const what = `timed out after ${formatGoDuration(timeoutMs)}, waiting for ${goal.text}`;
  const message = [what, ...lines, ...(missing.length === 0 ? unserved : [])].join('\n');
  const objects = structuredClone(missing.map(({ object }) => object));
  return new TimeoutError(message, { goal: goal.text, timeoutMs, objects });
}

type EvidenceOf = (object: Root['object']) => PodEvidence;

function stateOf(root: Root, nowMs: number, evidenceOf: EvidenceOf): string {
  const { object } = root;
  return object.kind === 'Pod' ? waitingFor(object, nowMs, evidenceOf(object)) : troubledState(root, evidenceOf);
}

/** A sentence about a root, and below it the evidence, indented. */
function withEvidence(
  { store, clock }: WaitSubject,
  root: Root,
  sentence: (evidenceOf: EvidenceOf, nowMs: number) => string,
): string {
  const evidenceOf: EvidenceOf = (object) => evidenceAbout(store, object);
  const nowMs = clock.now().wallMs;
  const block = rootEvidence(root, evidenceOf, { untilMs: nowMs, reworded: asLibraryAdvice });
  // The block quotes output and events, and has its advice reworded already.
  return `${asLibraryCalls(sentence(evidenceOf, nowMs))}\n${block}`.trimEnd();
}

/** @throws {PodrunError} (usage) for a text that is no goal */
export function readGoal(goal: Goal): AwaitedGoal {
  if (typeof goal === 'function') return predicateGoal(goal);
  const text = typeof goal === 'string' ? goal.replace(/^condition=/i, '') : '';
  const parsed = parseRunGoal([text]);
  if (parsed === undefined) {
    throw usage(
      `until() cannot wait for ${JSON.stringify(goal)}`,
      "Use 'Ready', 'up', 'Available', 'Succeeded', 'Failed', a condition (with =False or =Unknown), or a function.",
    );
  }
  return awaitedGoal(parsed);
}

/** The function may throw whatever it likes. */
function predicateGoal(predicate: (pod: StoredPod) => boolean): AwaitedGoal {
  return {
    text: `the condition of ${predicate.name || 'the function'}`,
    ofPods: undefined,
    isAbout: () => true,
    stateOf: predicateState(predicate),
  };
}

/**
 * Asks a function of the user about a Pod, or about each Pod of a workload, which must have one. A Pod or Job that has
 * ended no longer changes, so a "no" about it is final.
 */
function predicateState(predicate: (pod: StoredPod) => boolean): AwaitedGoal['stateOf'] {
  return (root) => {
    const judged = root.object.kind === 'Pod' ? root.pods : root.pods.filter(isPresent);
    if (judged.length > 0 && judged.every((pod) => predicate(structuredClone(pod)))) return 'met';
    return rootEnd(root) === 'running' ? 'pending' : 'impossible';
  };
}

/** False for a Pod that its controller replaces, or has replaced. */
function isPresent({ metadata, status }: StoredPod): boolean {
  return metadata.deletionTimestamp === undefined && status.phase !== 'Failed';
}
