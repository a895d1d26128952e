import { usage } from '../../api/errors.ts';
import { isLookedAt, rootGoalState } from '../../controllers/index.ts';
import { type PodGoal, type GoalState, goalText, parseGoal } from '../../lifecycle/requests/goal.ts';
import { type Root, rootEnd } from '../../lifecycle/requests/root.ts';
import type { StoredPod } from '../../api/objects.ts';
import type { Goal } from '../types.ts';

/** Something to wait for. */
export interface ParsedGoal {
  /** The goal in the user's notation. */
  readonly text: string;
  /** Undefined when a function of the user decides. */
  readonly goal: PodGoal | undefined;
  /** False for a kind that cannot reach the goal: a wait passes over it. */
  readonly isAbout: (root: Root) => boolean;
  /** Throws whatever the function of the user throws. */
  readonly stateOf: (root: Root) => GoalState;
}

/** @throws {PodrunError} (usage) for a text that is no goal */
export function readGoal(goal: Goal): ParsedGoal {
  if (typeof goal === 'function') return predicateGoal(goal);
  const text = typeof goal === 'string' ? goal.replace(/^condition=/i, '') : '';
  const parsed: PodGoal | undefined = parseGoal(text);
  if (parsed === undefined) {
    throw usage(
      `until() cannot wait for ${JSON.stringify(goal)}`,
      "Use 'Ready', 'Available', 'Succeeded', 'Failed', a type of condition (with =False or =Unknown), or a function.",
    );
  }
  return {
    text: goalText(parsed),
    goal: parsed,
    isAbout: ({ object }) => isLookedAt(parsed, object.kind),
    stateOf: (root) => rootGoalState(parsed, root),
  };
}

function predicateGoal(predicate: (pod: StoredPod) => boolean): ParsedGoal {
  return {
    text: `the condition of ${predicate.name || 'the function'}`,
    goal: undefined,
    isAbout: () => true,
    stateOf: predicateState(predicate),
  };
}

/**
 * Asks a function of the user about a Pod, or about each Pod of a workload, which must have one. A Pod or Job that has
 * ended no longer changes, so a "no" about it is final.
 */
function predicateState(predicate: (pod: StoredPod) => boolean): ParsedGoal['stateOf'] {
  return (root) => {
    const asked = root.object.kind === 'Pod' ? root.pods : root.pods.filter(isPresent);
    if (asked.length > 0 && asked.every((pod) => predicate(structuredClone(pod)))) return 'met';
    return rootEnd(root) === 'running' ? 'pending' : 'impossible';
  };
}

/** False for a Pod that its controller replaces, or has replaced. */
function isPresent({ metadata, status }: StoredPod): boolean {
  return metadata.deletionTimestamp === undefined && status.phase !== 'Failed';
}
