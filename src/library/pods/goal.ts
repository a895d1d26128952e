import { usage } from '../../api/errors.ts';
import { isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import { type PodGoal, goalState, type GoalState, goalText, parseGoal } from '../../lifecycle/requests/goal.ts';
import type { Goal } from '../types.ts';

/** Something to wait for. */
export interface ParsedGoal {
  /** The goal in the user's notation. */
  readonly text: string;
  /** Undefined when a function of the user decides. */
  readonly goal: PodGoal | undefined;
  /** Throws whatever the function of the user throws. */
  readonly stateOf: (pod: StoredPod) => GoalState;
}

/** @throws {PodrunError} (usage) for a text that is no goal */
export function readGoal(goal: Goal): ParsedGoal {
  if (typeof goal === 'function') return predicateGoal(goal);
  const text = typeof goal === 'string' ? goal.replace(/^condition=/i, '') : '';
  const parsed: PodGoal | undefined = parseGoal(text);
  if (parsed === undefined) {
    throw usage(
      `until() cannot wait for ${JSON.stringify(goal)}`,
      "Use 'Ready', 'Succeeded', 'Failed', the type of a condition (with =False or =Unknown), or a function.",
    );
  }
  return { text: goalText(parsed), goal: parsed, stateOf: (pod) => goalState(parsed, pod) };
}

function predicateGoal(predicate: (pod: StoredPod) => boolean): ParsedGoal {
  return {
    text: `the condition of ${predicate.name || 'the function'}`,
    goal: undefined,
    stateOf: predicateState(predicate),
  };
}

/** Asks a function of the user. A Pod that has ended no longer changes, so a "no" about it is final. */
function predicateState(predicate: (pod: StoredPod) => boolean): ParsedGoal['stateOf'] {
  return (pod) => {
    if (predicate(structuredClone(pod))) return 'met';
    return isTerminalPhase(pod.status.phase) ? 'impossible' : 'pending';
  };
}
