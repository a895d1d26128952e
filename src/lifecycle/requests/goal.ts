import { allContainerStatuses, type StoredPod } from '../../api/index.ts';
import { decidedEnd, isUnattainable, type WantedState } from './unattainable.ts';
import { CONDITION } from '../texts/condition-reasons.ts';

/** The goal of `apply --until` and of COMMAND. */
export type PodGoal = Exclude<WantedState, { type: 'phase' }>;

export type GoalState = 'met' | 'pending' | 'impossible';

/**
 * Parses `ready`, `succeeded`, which may be called `complete`, `failed`, or `CONDITION[=STATUS]`. Upper and lower case
 * are the same, as in `kubectl wait`. Undefined for any other text.
 */
export function parseGoal(text: string): PodGoal | undefined {
  const phase = text.toLowerCase();
  if (phase === 'succeeded' || phase === 'complete') return { type: 'succeeded' };
  if (phase === 'failed') return { type: 'failed' };
  const match = /^([A-Za-z][A-Za-z0-9./-]*)(?:=(true|false|unknown))?$/i.exec(text);
  if (match === null) return undefined;
  const status = (match[2] ?? 'true').toLowerCase();
  return {
    type: 'condition',
    condition: match[1] ?? '',
    status: status === 'false' ? 'False' : status === 'unknown' ? 'Unknown' : 'True',
  };
}

/** The goal as a person would write it. */
export function goalText(goal: PodGoal): string {
  if (goal.type === 'succeeded') return 'Succeeded';
  if (goal.type === 'failed') return 'Failed';
  return goal.status === 'True' ? goal.condition : `${goal.condition}=${goal.status}`;
}

/** True for a goal that includes a serving Pod: `Ready` and `ContainersReady`. */
export function includesReady(goal: PodGoal): boolean {
  if (goal.type !== 'condition' || goal.status !== 'True') return false;
  return ['ready', 'containersready'].includes(goal.condition.toLowerCase());
}

/**
 * Returns whether the Pod has reached the goal, still can, or no longer can. Returns `impossible` as soon as it is
 * certain, before the last processes of the Pod end. Obstacles that stay while podrun runs are certain, too: a Pod that
 * cannot be scheduled on this machine and unusable images.
 */
export function goalState(goal: PodGoal, pod: StoredPod): GoalState {
  if (isReached(goal, pod)) return 'met';
  // The run is over: no agent sets conditions of an ended Pod.
  if (isUnattainable(goal, pod) || (goal.type === 'condition' && decidedEnd(pod) !== undefined)) return 'impossible';
  return isAboutStarting(goal) && cannotStart(pod) ? 'impossible' : 'pending';
}

function isReached(goal: PodGoal, pod: StoredPod): boolean {
  if (goal.type === 'succeeded') return pod.status.phase === 'Succeeded';
  if (goal.type === 'failed') return pod.status.phase === 'Failed';
  const wanted = goal.condition.toLowerCase();
  const condition = pod.status.conditions?.find(({ type }) => type.toLowerCase() === wanted);
  return condition?.status === goal.status && isUpToDate(pod);
}

/** False and Unknown may be conditions of a Pod that never starts. */
function isAboutStarting(goal: PodGoal): boolean {
  return goal.type === 'succeeded' || (goal.type === 'condition' && goal.status === 'True');
}

/** True when the status is about the current spec. After a change the old containers run on for a while. */
function isUpToDate({ metadata, spec, status }: StoredPod): boolean {
  const { generation = 0 } = metadata;
  if (status.observedGeneration !== undefined && status.observedGeneration < generation) return false;
  const images = new Map([...(spec.initContainers ?? []), ...spec.containers].map(({ name, image }) => [name, image]));
  return allContainerStatuses(status).every(({ name, image, state }) => {
    return state?.running === undefined || !images.has(name) || images.get(name) === image;
  });
}

const UNUSABLE_IMAGE = new Set(['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName']);

/** True when the Pod cannot start while podrun runs: the node and the images do not change. */
export function cannotStart(pod: StoredPod): boolean {
  const scheduled = pod.status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.reason === CONDITION.unschedulable) return true;
  return allContainerStatuses(pod.status).some(({ state }) => UNUSABLE_IMAGE.has(state?.waiting?.reason ?? ''));
}
