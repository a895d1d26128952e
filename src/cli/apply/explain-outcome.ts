import type { RunOutcome } from '../../agent/apply-run.ts';
import type { StoredPod } from '../../api/objects.ts';
import { type Goal, goalText } from '../../lifecycle/requests/goal.ts';
import { causeOf, firstCause } from '../../print/live/first-cause.ts';
import { goalPhrase } from '../../print/waits/goal-phrase.ts';
import type { PodEvidence } from '../../print/waits/evidence.ts';
import type { ApplyFlags } from './apply-flags.ts';
import { isThere } from './run-progress.ts';
import { decidedEnd } from '../../lifecycle/requests/unattainable.ts';
import type { Lapse } from '../../lifecycle/requests/run-outcome.ts';
import { missingImageLines } from '../../print/waits/image-advice.ts';
import { whyLapsed } from '../../print/waits/why-lapsed.ts';
import { explainPod } from '../../print/waits/explain-pod.ts';
import { whyNever } from '../../print/waits/why-never.ts';

/** Pods that are explained with all there is to say; of others, only what they were waiting for is told. */
const EXPLAINED_MAX = 5;
/** Pods that are where they should be: more than these are counted. */
const MET_NAMED_MAX = 3;

export interface Explanation {
  readonly outcome: RunOutcome;
  /** The Pods as they ended. */
  readonly pods: readonly StoredPod[];
  /** Of `podsToExplain`. */
  readonly seen: readonly StoredPod[];
  /** As it was when the outcome was decided. */
  readonly evidenceOf: (pod: StoredPod) => PodEvidence;
  readonly goal: Goal | undefined;
  readonly flags: Pick<ApplyFlags, 'stateDir' | 'timeout' | 'settle' | 'allowRestarts'>;
  /** What to write where so that these Pods find the programs of their images; see `adviseImages`. */
  readonly imageAdvice: (pods: readonly StoredPod[]) => string;
  /** When the outcome was decided, milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * The Pods that an outcome is to be explained by, as they were when it was decided.
 * @param pods all of them
 */
export function podsToExplain(
  outcome: RunOutcome,
  goal: Goal | undefined,
  pods: readonly StoredPod[],
): readonly StoredPod[] {
  switch (outcome.type) {
    case 'goalImpossible':
      return [outcome.pod];
    case 'goalLapsed':
      return [outcome.lapse.pod];
    case 'stuck':
      return outcome.pods;
    case 'timedOut':
      return pods.filter((pod) => !isThere(pod, goal)).slice(0, EXPLAINED_MAX);
    case 'commandEnded': {
      const { lapse, exitCode } = outcome;
      const others = pods.filter(({ metadata }) => metadata.uid !== lapse?.pod.metadata.uid);
      const late = exitCode === 0 ? [] : others.filter((pod) => !isThere(pod, goal));
      return [...(lapse === undefined ? [] : [lapse.pod]), ...late].slice(0, EXPLAINED_MAX);
    }
    case 'ended':
    case 'goalMet':
    case 'interrupted':
      return [];
    default:
      return outcome satisfies never;
  }
}

/** What is said last, on standard error: why it did not end well. Empty when there is nothing to explain. */
export function explainOutcome(explanation: Explanation): string {
  const { outcome, pods } = explanation;
  switch (outcome.type) {
    case 'ended': {
      const failed = pods.filter(({ status }) => status.phase === 'Failed');
      return failed.map((pod, index) => failure(explanation, pod, index < EXPLAINED_MAX)).join('');
    }
    case 'goalImpossible':
      return hopelessness(explanation, outcome.pod);
    case 'timedOut':
      return timeOut(explanation, outcome);
    case 'goalLapsed':
      return lapsed(explanation, outcome.lapse, '');
    case 'stuck':
      return stuck(explanation, outcome.pods);
    case 'commandEnded': {
      const { lapse } = outcome;
      const others = explanation.seen.filter((pod) => pod !== lapse?.pod);
      const first = lapse === undefined ? '' : lapsed(explanation, lapse, ' while COMMAND was running');
      return first + others.map((pod) => absence(explanation, pod)).join('');
    }
    case 'goalMet':
    case 'interrupted':
      return '';
    default:
      return outcome satisfies never;
  }
}

function failure(
  { evidenceOf, nowMs, flags: { stateDir } }: Explanation,
  pod: StoredPod,
  isExplained: boolean,
): string {
  const evidence = evidenceOf(pod);
  const block = isExplained ? explainPod({ pod, evidence, untilMs: nowMs, stateDir }) : '';
  return `error: pod "${pod.metadata.name}" failed: ${firstCause(pod, evidence)}\n${block}`;
}

/**
 * With the Pod as it was when that became certain: afterwards it was ended, which is not the cause. What is written
 * into its status only then, a deadline for example, is.
 */
function hopelessness({ evidenceOf, goal, nowMs, pods, flags: { stateDir } }: Explanation, seen: StoredPod): string {
  const evidence = evidenceOf(seen);
  const last = pods.find(({ metadata }) => metadata.uid === seen.metadata.uid);
  const pod = last?.status.reason !== undefined && causeOf(seen) === undefined ? last : seen;
  const why = whyNever(pod, goal, evidence);
  const what = `cannot become ${goal === undefined ? '' : goalText(goal)}`;
  const block = explainPod({ pod, evidence, untilMs: nowMs, stateDir });
  return `error: pod "${pod.metadata.name}" ${what}: ${why}\n${block}`;
}

/** A Pod that had reached the goal and broke down before podrun began to end it. */
function lapsed({ evidenceOf, goal, nowMs, flags }: Explanation, lapse: Lapse, when: string): string {
  const { pod, container } = lapse;
  const { stateDir, allowRestarts } = flags;
  const evidence = evidenceOf(pod);
  const what = goal === undefined ? '' : `did not stay ${goalText(goal)}`;
  const block = explainPod({ pod, evidence, untilMs: nowMs, stateDir });
  const mayComeBack = !allowRestarts && container !== undefined && decidedEnd(pod) === undefined;
  const hint = mayComeBack ? '  --allow-restarts tolerates a container that comes back and is Ready in the end\n' : '';
  return `error: pod "${pod.metadata.name}" ${what}${when}: ${whyLapsed(lapse, evidence)}\n${block}${hint}`;
}

/** Nothing runs, and nothing will: all that is left waits for images. */
function stuck({ evidenceOf, imageAdvice, pods: all }: Explanation, pods: readonly StoredPod[]): string {
  const failed = all.filter(({ status, metadata: { uid } }) => {
    return status.phase === 'Failed' && !pods.some(({ metadata }) => metadata.uid === uid);
  });
  const causeLine = (pod: StoredPod): string => `pod/${pod.metadata.name}: ${firstCause(pod, evidenceOf(pod))}\n`;
  const lines = pods.flatMap((pod) => {
    const images = missingImageLines(pod);
    return images.length === 0 ? [causeLine(pod)] : images;
  });
  const first = 'error: nothing can happen any more: all that is left waits for images that no program stands for\n';
  return `${first}${lines.join('')}${failed.map(causeLine).join('')}${imageAdvice(pods)}`;
}

/** A check may well have failed because a Pod did: while COMMAND ran, nothing else was waited for. */
function absence({ evidenceOf, goal, nowMs, flags: { stateDir } }: Explanation, pod: StoredPod): string {
  const evidence = evidenceOf(pod);
  const what = goal === undefined ? pod.status.phase : goalText(goal);
  const why = whyNever(pod, goal, evidence);
  const block = explainPod({ pod, evidence, untilMs: nowMs, stateDir });
  return `pod "${pod.metadata.name}" was not ${what} any more while COMMAND was running: ${why}\n${block}`;
}

function timeOut(explanation: Explanation, outcome: Extract<RunOutcome, { type: 'timedOut' }>): string {
  const { goal, evidenceOf } = explanation;
  const { timeout, settle, stateDir } = explanation.flags;
  if (outcome.duringCommand) {
    const lapses = explanation.seen.map((pod) => absence(explanation, pod)).join('');
    return `error: timed out after ${timeout} while COMMAND was running\n${lapses}`;
  }
  const isEndWanted = goal === undefined || goal.type === 'succeeded';
  // How a Pod was ended afterwards is not why it did not get there.
  const untilMs = outcome.atMs;
  // Without a goal, a Pod that Failed is at its end, and still the news.
  const isLate = (pod: StoredPod): boolean =>
    !isThere(pod, goal) || (goal === undefined && pod.status.phase === 'Failed');
  const [late, met] = [outcome.pods.filter(isLate), outcome.pods.filter((pod) => !isLate(pod))];
  if (late.length === 0 && goal !== undefined) {
    return `error: timed out after ${timeout}\nevery Pod is ${goalText(goal)}, but not for ${settle} yet (--settle)\n`;
  }
  const lines = late.map((pod, index) => {
    const evidence = evidenceOf(pod);
    const block =
      index < EXPLAINED_MAX ? explainPod({ pod, evidence, untilMs, isEndWanted, wanted: goal, stateDir }) : '';
    return `pod/${pod.metadata.name}: ${goalPhrase(pod, goal, untilMs, evidence)}\n${block}`;
  });
  return `error: timed out after ${timeout}\n${lines.join('')}${thoseThatAreThere(met, goal)}`;
}

/** Few are named, many are counted: they are not the news. */
function thoseThatAreThere(met: readonly StoredPod[], goal: Explanation['goal']): string {
  if (met.length > MET_NAMED_MAX) {
    return `${met.length} more Pods: nothing, they ${goal === undefined ? 'have ended' : `are ${goalText(goal)}`}\n`;
  }
  return met
    .map(
      (pod) => `pod/${pod.metadata.name}: nothing, it is ${goal === undefined ? pod.status.phase : goalText(goal)}\n`,
    )
    .join('');
}
