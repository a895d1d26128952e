import { allContainerStatuses, type StoredPod } from '../../api/objects.ts';
import { decidedEnd, isHopeless, type Wanted } from './hopeless.ts';
import { CONDITION } from '../texts/condition-reasons.ts';

/** What `apply --until` and COMMAND wait for. */
export type Goal = Exclude<Wanted, { type: 'phase' }>;

export type GoalState = 'met' | 'pending' | 'impossible';

/**
 * Reads `ready`, `succeeded`, `failed` or `CONDITION[=STATUS]`; conditions are taken in any case, as `kubectl wait`
 * does. Undefined when it is none of them.
 */
export function parseGoal(text: string): Goal | undefined {
  const phase = text.toLowerCase();
  if (phase === 'succeeded' || phase === 'failed') return { type: phase };
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
export function goalText(goal: Goal): string {
  if (goal.type === 'succeeded') return 'Succeeded';
  if (goal.type === 'failed') return 'Failed';
  return goal.status === 'True' ? goal.condition : `${goal.condition}=${goal.status}`;
}

/** True for a goal that is about a Pod that serves: `Ready`, and `ContainersReady` below it. */
export function includesReady(goal: Goal): boolean {
  if (goal.type !== 'condition' || goal.status !== 'True') return false;
  return ['ready', 'containersready'].includes(goal.condition.toLowerCase());
}

/**
 * Has the Pod got there, can it still, or never any more? `impossible` is said as soon as it is certain: no later
 * than the Pod's end, and before its processes are gone. What this machine and its podrun will not change while the Pod
 * runs, no place to run and unusable images, counts as certain.
 */
export function goalState(goal: Goal, pod: StoredPod): GoalState {
  if (isThere(goal, pod)) return 'met';
  // Nobody sets conditions of a Pod any more that has ended: the run is over.
  if (isHopeless(goal, pod) || (goal.type === 'condition' && decidedEnd(pod) !== undefined)) return 'impossible';
  return isAboutStarting(goal) && cannotStart(pod) ? 'impossible' : 'pending';
}

function isThere(goal: Goal, pod: StoredPod): boolean {
  if (goal.type === 'succeeded') return pod.status.phase === 'Succeeded';
  if (goal.type === 'failed') return pod.status.phase === 'Failed';
  const wanted = goal.condition.toLowerCase();
  const condition = pod.status.conditions?.find(({ type }) => type.toLowerCase() === wanted);
  return condition?.status === goal.status && isUpToDate(pod);
}

/** False and Unknown are what conditions of a Pod may well be that never starts. */
function isAboutStarting(goal: Goal): boolean {
  return goal.type === 'succeeded' || (goal.type === 'condition' && goal.status === 'True');
}

/** Does what the status says hold for the spec as it is now? After a change the old containers run on for a while. */
function isUpToDate({ metadata, spec, status }: StoredPod): boolean {
  const { generation = 0 } = metadata;
  if (status.observedGeneration !== undefined && status.observedGeneration < generation) return false;
  const images = new Map([...(spec.initContainers ?? []), ...spec.containers].map(({ name, image }) => [name, image]));
  return allContainerStatuses(status).every(({ name, image, state }) => {
    return state?.running === undefined || !images.has(name) || images.get(name) === image;
  });
}

const UNUSABLE_IMAGE = new Set(['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName']);

/** What stands in the way will not change while podrun runs: the node is what it is, and so are the images. */
function cannotStart(pod: StoredPod): boolean {
  const scheduled = pod.status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.reason === CONDITION.unschedulable) return true;
  return allContainerStatuses(pod.status).some(({ state }) => UNUSABLE_IMAGE.has(state?.waiting?.reason ?? ''));
}
