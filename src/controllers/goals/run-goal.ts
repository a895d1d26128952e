import { mostSimilar, type PodSpec } from '../../api/index.ts';
import {
  type GoalState,
  goalText,
  includesReady,
  NODE_CONDITIONS,
  parseGoal,
  type PodGoal,
  type Root,
} from '../../lifecycle/index.ts';
import { isLookedAt, podGoal, rootGoalState } from './root-goal.ts';

type RunObject = Root['object'];

/** A goal of some objects of a run. */
interface PartOfGoal {
  readonly goal: PodGoal;
  /** Default: all objects whose kind can reach the goal. */
  readonly of?: 'Jobs' | 'everything but Jobs';
}

/** The goal of a run: every object must reach the parts that concern it. */
export type RunGoal = readonly [PartOfGoal, ...PartOfGoal[]];

const READY: PodGoal = { type: 'condition', condition: 'Ready', status: 'True' };

/** Every Pod is Ready. */
export const ALL_READY: RunGoal = [{ goal: READY }];

/** The goal `up`: servers are Ready, and Jobs are Complete. A COMMAND waits for it by default. */
export const UP: RunGoal = [
  { goal: READY, of: 'everything but Jobs' },
  { goal: { type: 'succeeded' }, of: 'Jobs' },
];

/** Jobs and Pods that end by themselves succeed, and everything else is Ready. */
export const READY_OR_SUCCEEDED: RunGoal = [{ goal: READY }, { goal: { type: 'succeeded' } }];

/** The goal that all of these texts describe together; see `parseGoal`. Undefined: no text, or one that is no goal. */
export function parseRunGoal(texts: readonly string[]): RunGoal | undefined {
  const parts = texts.map((text): readonly PartOfGoal[] => {
    if (text.toLowerCase() === 'up') return UP;
    const goal = parseGoal(text);
    return goal === undefined ? [] : [{ goal }];
  });
  const [first, ...rest] = parts.flat();
  return first === undefined || parts.some(({ length }) => length === 0) ? undefined : [first, ...rest];
}

/** The goal as a person would write it: `Ready`, `Ready and example.com/lb`. */
export function runGoalText(goal: RunGoal): string {
  return [...new Set(goal.map((part) => (part.of === 'Jobs' ? 'Complete' : goalText(part.goal))))].join(' and ');
}

/**
 * The goals that concern an object. Where an end is wanted beside something else, it is all that is wanted of what ends
 * by itself, and nothing of what does not.
 */
export function goalsOf(goal: RunGoal, object: RunObject): readonly PodGoal[] {
  const goals = goal.flatMap((part) => (concerns(part, object) ? [part.goal] : []));
  const isEnd = ({ type }: PodGoal): boolean => type !== 'condition';
  const isMixed = goals.some(isEnd) && !goals.every(isEnd);
  return isMixed ? goals.filter((each) => isEnd(each) === endsByItself(object)) : goals;
}

function concerns({ goal, of }: PartOfGoal, { kind }: RunObject): boolean {
  return isLookedAt(goal, kind) && (of === undefined || (of === 'Jobs') === (kind === 'Job'));
}

function endsByItself(object: RunObject): boolean {
  return object.kind === 'Job' || (object.kind === 'Pod' && object.spec.restartPolicy !== 'Always');
}

/** The state of the goal for one root. `met` for a root that no part of the goal concerns. */
export function runGoalState(goal: RunGoal, root: Root): GoalState {
  const states = goalsOf(goal, root.object).map((each) => rootGoalState(each, root));
  return states.find((state) => state === 'impossible') ?? states.find((state) => state === 'pending') ?? 'met';
}

/** The first part of the goal that a root lacks, or else the first part. Undefined: none concerns it. */
export function wantedOf(goal: RunGoal, root: Root): PodGoal | undefined {
  const goals = goalsOf(goal, root.object);
  return goals.find((each) => rootGoalState(each, root) !== 'met') ?? goals[0];
}

/** The part of the goal that decides how Pods have to keep it: Ready, if that is wanted of any. */
export function keptGoal(goal: RunGoal): PodGoal {
  const goals = goal.map((part) => podGoal(part.goal));
  return goals.find(includesReady) ?? podGoal(goal[0].goal);
}

/** The part that the Pods of an object have to keep once it has reached the goal: Ready, if that is wanted of it. */
export function keptGoalOf(goal: RunGoal, object: RunObject): PodGoal {
  const own = goalsOf(goal, object).map(podGoal);
  return own.find(includesReady) ?? own[0] ?? keptGoal(goal);
}

/** True for a goal that includes Ready: it has to hold for some time. */
export function mustHold(goal: RunGoal): boolean {
  return includesReady(keptGoal(goal));
}

/** The conditions that Kubernetes sets on workloads, and on Pods by other components than the kubelet. */
const CONDITIONS = [
  'Available',
  'Progressing',
  'ReplicaFailure',
  'Complete',
  'Failed',
  'FailureTarget',
  'SuccessCriteriaMet',
  'Suspended',
  'DisruptionTarget',
  'PodResizePending',
  'PodResizeInProgress',
];

/** A condition that none of the objects can have. */
export interface UnknownCondition {
  readonly condition: string;
  /** The name that the user may have meant. Undefined: nothing is similar. */
  readonly meant: string | undefined;
}

/**
 * The first condition in a goal that neither Kubernetes sets nor a readiness gate of the objects names. Any program
 * may set a condition whose name has a domain.
 */
export function unknownCondition(goal: RunGoal, objects: readonly RunObject[]): UnknownCondition | undefined {
  const gates = objects.flatMap(readinessGates);
  const known = new Set([...NODE_CONDITIONS, ...CONDITIONS, ...gates].map((name) => name.toLowerCase()));
  const named = goal.flatMap((part) => (part.goal.type === 'condition' ? [part.goal.condition] : []));
  const condition = named.find((name) => !name.includes('/') && !known.has(name.toLowerCase()));
  if (condition === undefined) return undefined;
  const words = ['ready', 'up', 'available', 'complete', 'succeeded', 'failed'];
  return { condition, meant: mostSimilar(condition, [...words, ...gates, ...NODE_CONDITIONS, ...CONDITIONS]) };
}

function readinessGates(object: RunObject): readonly string[] {
  const { spec } = object as { readonly spec: PodSpec & { readonly template?: { readonly spec?: PodSpec } } };
  return (object.kind === 'Pod' ? spec : spec.template?.spec)?.readinessGates?.map((gate) => gate.conditionType) ?? [];
}
