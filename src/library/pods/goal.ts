import { type StoredPod, usage } from '../../api/index.ts';
import { awaitedGoal, type AwaitedGoal } from '../../engine/index.ts';
import { parseGoal, type PodGoal, rootEnd } from '../../lifecycle/index.ts';
import type { Goal } from '../base/types.ts';

/** @throws {PodrunError} (usage) for a text that is no goal */
export function readGoal(goal: Goal): AwaitedGoal {
  if (typeof goal === 'function') return predicateGoal(goal);
  const text = typeof goal === 'string' ? goal.replace(/^condition=/i, '') : '';
  const parsed: PodGoal | undefined = parseGoal(text);
  if (parsed === undefined) {
    throw usage(
      `until() cannot wait for ${JSON.stringify(goal)}`,
      "Use 'Ready', 'Available', 'Succeeded', 'Failed', a type of condition (with =False or =Unknown), or a function.",
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
    const asked = root.object.kind === 'Pod' ? root.pods : root.pods.filter(isPresent);
    if (asked.length > 0 && asked.every((pod) => predicate(structuredClone(pod)))) return 'met';
    return rootEnd(root) === 'running' ? 'pending' : 'impossible';
  };
}

/** False for a Pod that its controller replaces, or has replaced. */
function isPresent({ metadata, status }: StoredPod): boolean {
  return metadata.deletionTimestamp === undefined && status.phase !== 'Failed';
}
