import type { RunOutcome } from '../../engine/index.ts';
import type { StoredPod } from '../../api/index.ts';
import { podGoal, type RunGoal, runGoalText, wantedOf } from '../../controllers/index.ts';
import type { PodEvidence } from '../../history/index.ts';
import {
  decidedEnd,
  goalText,
  type Lapse,
  type PodGoal,
  podRoot,
  type Root,
  rootEnd,
  type Unservable,
  unservableText,
} from '../../lifecycle/index.ts';
import {
  blamedPod,
  causeOf,
  deletionText,
  explainPod,
  type ExplainPodOptions,
  firstCause,
  goalOf,
  missingImageLines,
  progressText,
  quotedRoot,
  rootEvidence,
  rootName,
  rootPhrase,
  troubledState,
  whyLapsed,
  whyNever,
  whyRootNever,
} from '../../print/index.ts';
import type { GlobalFlags } from '../base/global-flags.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { isThere } from './run-progress.ts';

/** The number of Pods with a full explanation. Other Pods have one line about what they waited for. */
const EXPLAINED_MAX = 5;
/** The number of Pods at the goal that are named. More of them are only counted. */
const MET_NAMED_MAX = 3;

export interface Explanation {
  readonly outcome: RunOutcome;
  /** The roots in their final state. */
  readonly roots: readonly Root[];
  /** The answer of `rootsToExplain`. */
  readonly seen: readonly Root[];
  /** The evidence from the time when the outcome was decided. */
  readonly evidenceOf: (object: Root['object']) => PodEvidence;
  readonly goal: RunGoal | undefined;
  readonly flags: Pick<ApplyFlags & GlobalFlags, 'stateDir' | 'timeout' | 'settle' | 'allowRestarts'>;
  /** Advice about entries of podrun.yaml that map the images of these Pods to programs; see `adviseImages`. */
  readonly imageAdvice: (pods: readonly StoredPod[]) => string;
  /** The time of the decision, milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * The roots that explain an outcome, in their state when it was decided.
 * @param roots all roots of the run
 */
export function rootsToExplain(
  outcome: RunOutcome,
  goal: RunGoal | undefined,
  roots: readonly Root[],
): readonly Root[] {
  switch (outcome.type) {
    case 'goalImpossible':
      return [outcome.root];
    case 'timedOut':
      return roots.filter((root) => !isThere(root, goal)).slice(0, EXPLAINED_MAX);
    case 'commandEnded': {
      return outcome.missing.slice(0, EXPLAINED_MAX);
    }
    case 'unservable':
    case 'broken':
    case 'ended':
    case 'goalMet':
    case 'goalLapsed':
    case 'interrupted':
    case 'stuck':
      return [];
    default:
      return outcome satisfies never;
  }
}

/** The Pods that explain an outcome, in their state when it was decided. Their records have the evidence. */
export function podsToExplain(outcome: RunOutcome, seen: readonly Root[]): readonly StoredPod[] {
  const blamed = seen.map(blamedPod).filter((pod) => pod !== undefined);
  switch (outcome.type) {
    case 'goalLapsed':
    case 'commandEnded':
      return outcome.lapse === undefined ? blamed : [outcome.lapse.pod, ...blamed];
    case 'stuck':
      return outcome.pods;
    case 'goalImpossible':
    case 'timedOut':
    case 'unservable':
    case 'broken':
    case 'ended':
    case 'goalMet':
    case 'interrupted':
      return blamed;
    default:
      return outcome satisfies never;
  }
}

/** The last text on standard error: the reasons of a failure. Empty when there is nothing to explain. */
export function explainOutcome(explanation: Explanation): string {
  const { outcome, roots } = explanation;
  switch (outcome.type) {
    case 'ended': {
      const failed = roots.filter((root) => rootEnd(root) === 'failed');
      return failed.map((root, index) => failure(explanation, root, index < EXPLAINED_MAX)).join('');
    }
    case 'goalImpossible':
      return unreachableGoal(explanation, outcome.root);
    case 'timedOut':
      return timeOut(explanation, outcome);
    case 'goalLapsed':
      return lapsed(explanation, outcome.lapse, '');
    case 'stuck':
      return stuck(explanation, outcome.pods);
    case 'unservable':
      return unservableLines(outcome.objects);
    case 'commandEnded': {
      const { lapse } = outcome;
      const first = lapse === undefined ? '' : lapsed(explanation, lapse, ' while COMMAND was running');
      const tell = (root: Root): string =>
        rootEnd(root) === 'failed' ? failure(explanation, root, true) : `error: ${absence(explanation, root)}`;
      const deleted = (outcome.deleted ?? []).map((deletion) => `error: ${deletionText(deletion)}\n`);
      return first + deleted.join('') + explanation.seen.map(tell).join('') + unservableLines(outcome.unservable);
    }
    case 'broken':
    case 'goalMet':
    case 'interrupted':
      return '';
    default:
      return outcome satisfies never;
  }
}

function unservableLines(objects: readonly Unservable[]): string {
  return objects.map((object) => `error: ${unservableText(object)}\n`).join('');
}

/** The part of the goal of the run that a root lacks, or else the first one about it. Undefined: there is none. */
function wantedIn(goal: RunGoal | undefined, root: Root): PodGoal | undefined {
  return goal && wantedOf(goal, root);
}

function failure(explanation: Explanation, root: Root, isExplained: boolean): string {
  const { evidenceOf } = explanation;
  const { object } = root;
  const why =
    object.kind === 'Pod' ? firstCause(object, evidenceOf(object)) : whyRootNever(root, undefined, evidenceOf);
  return `error: ${quotedRoot(root)} failed: ${why}\n${isExplained ? evidenceBlock(explanation, root) : ''}`;
}

function evidenceBlock(
  { evidenceOf, nowMs, flags: { stateDir } }: Explanation,
  root: Root,
  about: Pick<ExplainPodOptions, 'isEndWanted' | 'wanted'> & { readonly untilMs?: number } = {},
): string {
  return rootEvidence(root, evidenceOf, { untilMs: nowMs, stateDir, ...about });
}

/**
 * Explains a goal that became impossible. Uses the root from the time of the decision, because podrun ended its Pods
 * afterwards. Uses the final Pod when only its status has a reason, such as a deadline.
 */
function unreachableGoal(explanation: Explanation, seen: Root): string {
  const { evidenceOf, goal, roots } = explanation;
  const last = roots.find(({ object }) => object.metadata.uid === seen.object.metadata.uid);
  const isInLast = last?.object.kind === 'Pod' && last.object.status.reason !== undefined;
  const root = isInLast && seen.object.kind === 'Pod' && causeOf(seen.object) === undefined ? last : seen;
  const wanted = wantedIn(goal, root);
  const what = wanted === undefined ? '' : goalOf(root, goalText(wanted));
  const why = whyRootNever(root, wanted && podGoal(wanted), evidenceOf);
  return `error: ${quotedRoot(root)} cannot become ${what}: ${why}\n${evidenceBlock(explanation, root)}`;
}

/** Explains a Pod that reached the goal and broke before podrun began to end it. */
function lapsed({ evidenceOf, goal, nowMs, flags }: Explanation, lapse: Lapse, when: string): string {
  const { pod, container } = lapse;
  const { stateDir, allowRestarts } = flags;
  const evidence = evidenceOf(pod);
  const wanted = wantedIn(goal, podRoot(pod));
  const what = wanted === undefined ? '' : `did not stay ${goalText(wanted)}`;
  const block = explainPod({ pod, evidence, untilMs: nowMs, stateDir });
  const mayComeBack = !allowRestarts && container !== undefined && decidedEnd(pod) === undefined;
  const hint = mayComeBack ? '  --allow-restarts tolerates a container that comes back and is Ready in the end\n' : '';
  return `error: pod "${pod.metadata.name}" ${what}${when}: ${whyLapsed(lapse, evidence)}\n${block}${hint}`;
}

/** Explains a run in which all Pods that are left wait for images that no program stands for. */
function stuck({ evidenceOf, imageAdvice, roots }: Explanation, pods: readonly StoredPod[]): string {
  const failed = roots
    .flatMap(({ pods: all }) => all)
    .filter(({ status, metadata: { uid } }) => {
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

/** Explains a root that left its goal while COMMAND ran: COMMAND may have failed for that reason. */
function absence(explanation: Explanation, root: Root): string {
  const { evidenceOf, goal } = explanation;
  const { object } = root;
  const wanted = wantedIn(goal, root);
  const what = wanted !== undefined ? goalOf(root, goalText(wanted)) : object.kind === 'Pod' ? object.status.phase : '';
  const why =
    object.kind === 'Pod' ? whyNever(object, wanted && podGoal(wanted), evidenceOf(object)) : progressText(object);
  const block = evidenceBlock(explanation, root);
  return `${quotedRoot(root)} stopped being ${what} while COMMAND was running: ${why}\n${block}`;
}

function timeOut(explanation: Explanation, outcome: Extract<RunOutcome, { type: 'timedOut' }>): string {
  const { evidenceOf } = explanation;
  const goal = explanation.goal;
  const { timeout, settle } = explanation.flags;
  if (outcome.duringCommand) {
    const lapses = explanation.seen.map((root) => absence(explanation, root)).join('');
    return `error: timed out after ${timeout} while COMMAND was running\n${lapses}`;
  }
  // Ends the explanation at the decision: later events come from podrun ending the Pods.
  const untilMs = outcome.atMs;
  // Without a goal, a root that has failed has reached its end. Its failure is still worth a line.
  const isLate = (root: Root): boolean => !isThere(root, goal) || (goal === undefined && rootEnd(root) === 'failed');
  const [late, met] = [outcome.roots.filter(isLate), outcome.roots.filter((root) => !isLate(root))];
  if (late.length === 0 && goal !== undefined) {
    const text = runGoalText(goal);
    const { unserved } = outcome;
    if (unserved.length > 0) return `error: timed out after ${timeout}\n${unserved.join('\n')}\n`;
    const all = met.every(({ object }) => object.kind === 'Pod') ? 'every Pod is' : 'everything is';
    return `error: timed out after ${timeout}\n${all} ${text}, but not for ${settle} yet (--settle)\n`;
  }
  const lines = late.map((root, index) => {
    const goalOfRoot = wantedIn(goal, root);
    const wanted = goalOfRoot && podGoal(goalOfRoot);
    const isEndWanted = wanted === undefined || wanted.type === 'succeeded';
    const block = index < EXPLAINED_MAX ? evidenceBlock(explanation, root, { untilMs, isEndWanted, wanted }) : '';
    const phrase =
      block === '' || root.object.kind === 'Pod'
        ? rootPhrase(root, wanted, untilMs, evidenceOf)
        : troubledState(root, evidenceOf);
    return `${rootName(root)}: ${phrase}\n${block}`;
  });
  return `error: timed out after ${timeout}\n${lines.join('')}${existingRoots(met, goal)}`;
}

/** Names a few roots at their goal, and counts many. */
function existingRoots(met: readonly Root[], goal: Explanation['goal']): string {
  if (met.length > MET_NAMED_MAX) {
    const what = met.every(({ object }) => object.kind === 'Pod') ? 'Pods' : 'objects';
    return `${met.length} more ${what}: done, they ${goal === undefined ? 'have ended' : `are ${runGoalText(goal)}`}\n`;
  }
  return met.map((root) => `${rootName(root)}: done, it ${isWhat(root, goal)}\n`).join('');
}

function isWhat(root: Root, goal: Explanation['goal']): string {
  const { object } = root;
  if (goal !== undefined) {
    const wanted = wantedOf(goal, root);
    return wanted === undefined ? 'does not count for this goal' : `is ${goalOf(root, goalText(wanted))}`;
  }
  if (object.kind === 'Pod') return `is ${object.status.phase}`;
  return object.kind === 'Job' ? 'is Complete' : 'was deleted';
}
