import type { RunOutcome } from '../../agent/runs/apply-run.ts';
import type { StoredPod } from '../../api/objects.ts';
import { type PodGoal, goalText } from '../../lifecycle/requests/goal.ts';
import { causeOf, firstCause } from '../../print/live/first-cause.ts';
import { goalPhrase } from '../../print/waits/goal-phrase.ts';
import type { PodEvidence } from '../../history/evidence.ts';
import type { GlobalFlags } from '../flags/global-flags.ts';
import type { ApplyFlags } from './apply-flags.ts';
import { isThere } from './run-progress.ts';
import { decidedEnd } from '../../lifecycle/requests/unattainable.ts';
import type { Lapse } from '../../lifecycle/requests/run-outcome.ts';
import { missingImageLines } from '../../print/waits/image-advice.ts';
import { whyLapsed } from '../../print/waits/why-lapsed.ts';
import { explainPod } from '../../print/waits/explain-pod.ts';
import { whyNever } from '../../print/waits/why-never.ts';

/** The number of Pods with a full explanation. Other Pods have one line about what they waited for. */
const EXPLAINED_MAX = 5;
/** The number of Pods at the goal that are named. More of them are only counted. */
const MET_NAMED_MAX = 3;

export interface Explanation {
  readonly outcome: RunOutcome;
  /** The Pods in their final state. */
  readonly pods: readonly StoredPod[];
  /** The answer of `podsToExplain`. */
  readonly seen: readonly StoredPod[];
  /** The evidence from the time when the outcome was decided. */
  readonly evidenceOf: (pod: StoredPod) => PodEvidence;
  readonly goal: PodGoal | undefined;
  readonly flags: Pick<ApplyFlags & GlobalFlags, 'stateDir' | 'timeout' | 'settle' | 'allowRestarts'>;
  /** Advice about entries of podrun.yaml that map the images of these Pods to programs; see `adviseImages`. */
  readonly imageAdvice: (pods: readonly StoredPod[]) => string;
  /** The time of the decision, milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * The Pods that explain an outcome, in their state when it was decided.
 * @param pods all Pods of the run
 */
export function podsToExplain(
  outcome: RunOutcome,
  goal: PodGoal | undefined,
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

/** The last text on standard error: the reasons of a failure. Empty when there is nothing to explain. */
export function explainOutcome(explanation: Explanation): string {
  const { outcome, pods } = explanation;
  switch (outcome.type) {
    case 'ended': {
      const failed = pods.filter(({ status }) => status.phase === 'Failed');
      return failed.map((pod, index) => failure(explanation, pod, index < EXPLAINED_MAX)).join('');
    }
    case 'goalImpossible':
      return unreachableGoal(explanation, outcome.pod);
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
 * Explains a goal that became impossible. Uses the Pod from the time of the decision, because podrun ended the Pod
 * afterwards. Uses the final Pod when only its status has a reason, such as a deadline.
 */
function unreachableGoal({ evidenceOf, goal, nowMs, pods, flags: { stateDir } }: Explanation, seen: StoredPod): string {
  const evidence = evidenceOf(seen);
  const last = pods.find(({ metadata }) => metadata.uid === seen.metadata.uid);
  const pod = last?.status.reason !== undefined && causeOf(seen) === undefined ? last : seen;
  const why = whyNever(pod, goal, evidence);
  const what = `cannot become ${goal === undefined ? '' : goalText(goal)}`;
  const block = explainPod({ pod, evidence, untilMs: nowMs, stateDir });
  return `error: pod "${pod.metadata.name}" ${what}: ${why}\n${block}`;
}

/** Explains a Pod that reached the goal and broke before podrun began to end it. */
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

/** Explains a run in which all Pods that are left wait for images that no program stands for. */
function stuck({ evidenceOf, imageAdvice, pods: all }: Explanation, pods: readonly StoredPod[]): string {
  const failed = all.filter(({ status, metadata: { uid } }) => {
    return status.phase === 'Failed' && !pods.some(({ metadata }) => metadata.uid === uid);
  });
  const causeLine = (pod: StoredPod): string => `pod/${pod.metadata.name}: ${firstCause(pod, evidenceOf(pod))}\n`;
  const lines = pods.flatMap((pod) => {
    const images = missingImageLines(pod);
    return images.length === 0 ? [causeLine(pod)] : images;
  });
  const first = 'error: the run cannot finish: the remaining Pods wait for images that have no program\n';
  return `${first}${lines.join('')}${failed.map(causeLine).join('')}${imageAdvice(pods)}`;
}

/** Explains a Pod that left its goal while COMMAND ran: COMMAND may have failed for that reason. */
function absence({ evidenceOf, goal, nowMs, flags: { stateDir } }: Explanation, pod: StoredPod): string {
  const evidence = evidenceOf(pod);
  const what = goal === undefined ? pod.status.phase : goalText(goal);
  const why = whyNever(pod, goal, evidence);
  const block = explainPod({ pod, evidence, untilMs: nowMs, stateDir });
  return `pod "${pod.metadata.name}" stopped being ${what} while COMMAND was running: ${why}\n${block}`;
}

function timeOut(explanation: Explanation, outcome: Extract<RunOutcome, { type: 'timedOut' }>): string {
  const { goal, evidenceOf } = explanation;
  const { timeout, settle, stateDir } = explanation.flags;
  if (outcome.duringCommand) {
    const lapses = explanation.seen.map((pod) => absence(explanation, pod)).join('');
    return `error: timed out after ${timeout} while COMMAND was running\n${lapses}`;
  }
  const isEndWanted = goal === undefined || goal.type === 'succeeded';
  // Ends the explanation at the decision: later events come from podrun ending the Pods.
  const untilMs = outcome.atMs;
  // Without a goal, a Pod in phase Failed has reached its end. Its failure is still worth a line.
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
  return `error: timed out after ${timeout}\n${lines.join('')}${existingPods(met, goal)}`;
}

/** Names a few Pods at their goal, and counts many. */
function existingPods(met: readonly StoredPod[], goal: Explanation['goal']): string {
  if (met.length > MET_NAMED_MAX) {
    return `${met.length} more Pods: done, they ${goal === undefined ? 'have ended' : `are ${goalText(goal)}`}\n`;
  }
  return met
    .map((pod) => `pod/${pod.metadata.name}: done, it is ${goal === undefined ? pod.status.phase : goalText(goal)}\n`)
    .join('');
}
