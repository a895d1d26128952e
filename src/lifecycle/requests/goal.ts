import { allContainerStatuses, isLost, isShownAs, isTerminalPhase, type StoredPod } from '../../api/index.ts';
import { hasRestartAllRule, restartsAfterKill, shouldRestart } from '../base/restart-policy.ts';
import { CONDITION } from '../texts/condition-reasons.ts';
import { mayBePulledLater } from '../texts/image-errors.ts';

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
    const written = images.get(name);
    return state?.running === undefined || written === undefined || isShownAs(written, image);
  });
}

const UNUSABLE_IMAGE = new Set(['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName']);

/**
 * True when the Pod cannot start while podrun runs: no Pod goes for it, and the node and images do not change. A
 * registry that had no time for a pull is asked again.
 */
export function cannotStart(pod: StoredPod): boolean {
  const scheduled = pod.status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.reason === CONDITION.unschedulable) return pod.status.nominatedNodeName === undefined;
  return allContainerStatuses(pod.status).some(({ state }) => {
    const { reason = '', message = '' } = state?.waiting ?? {};
    return UNUSABLE_IMAGE.has(reason) && !mayBePulledLater(message);
  });
}

/** The state in which a user wants a Pod to be. */
export type WantedState =
  | { readonly type: 'succeeded' }
  | { readonly type: 'failed' }
  | { readonly type: 'condition'; readonly condition: string; readonly status: 'True' | 'False' | 'Unknown' }
  /** `status.phase` as the user wrote it, which may be no valid phase. */
  | { readonly type: 'phase'; readonly phase: string };

/** The conditions that only the kubelet and the scheduler set. Anybody may set any other condition at any time. */
export const NODE_CONDITIONS: readonly string[] = [
  'Ready',
  'ContainersReady',
  'Initialized',
  'PodScheduled',
  'PodReadyToStartContainers',
];

/** True for one of these conditions, in upper or lower case. */
export function isNodeCondition(name: string): boolean {
  return NODE_CONDITIONS.some((type) => type.toLowerCase() === name.toLowerCase());
}

const PHASES: ReadonlySet<string> = new Set(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']);

/**
 * True when a Pod can no longer get into the wanted state, if it is not there now. Follows the rules of the kubelet: a
 * terminal phase stays, a Pod that is being deleted starts nothing, and a container that its policy does not restart
 * stays ended. Not final: a crashing container restarts, an image may be changed, a missing ConfigMap may be created.
 */
export function isUnattainable(wanted: WantedState, pod: StoredPod): boolean {
  if (wanted.type === 'condition') return isConditionUnattainable(wanted, pod);
  const end = decidedEnd(pod);
  if (wanted.type === 'succeeded') return end === 'Failed' || isLost(pod.status);
  if (wanted.type === 'failed') return end === 'Succeeded' || isLost(pod.status);
  if (!PHASES.has(wanted.phase)) return true;
  if (wanted.phase === 'Unknown') return isTerminalPhase(pod.status.phase);
  if (end !== undefined) return wanted.phase !== end;
  return isLost(pod.status);
}

function isConditionUnattainable(wanted: Extract<WantedState, { type: 'condition' }>, pod: StoredPod): boolean {
  const condition = wanted.condition.toLowerCase();
  if (!isNodeCondition(condition)) return false;
  if (decidedEnd(pod) !== undefined || isLost(pod.status)) return true;
  if (wanted.status !== 'True') return false;
  // Some containers may still run, but none starts any more, and a Pod that is being deleted serves no purpose.
  if (pod.metadata.deletionTimestamp !== undefined) return true;
  return (condition === 'ready' || condition === 'containersready') && someContainerIsDone(pod);
}

/** The end of a Pod. The conditions show the end before the phase does. */
export function decidedEnd(pod: StoredPod): 'Succeeded' | 'Failed' | undefined {
  const ready = pod.status.conditions?.find(({ type }) => type === 'ContainersReady');
  if (pod.status.phase === 'Failed' || ready?.reason === CONDITION.podFailed) return 'Failed';
  if (pod.status.phase === 'Succeeded' || ready?.reason === CONDITION.podCompleted) return 'Succeeded';
  return undefined;
}

/** True when a regular container, which Ready needs, has ended for good. */
function someContainerIsDone(pod: StoredPod): boolean {
  // A RestartAllContainers rule of another container may restart it.
  if (hasRestartAllRule(pod.spec)) return false;
  return pod.spec.containers.some((container) => {
    // A container that a probe has killed restarts whatever its exit code is.
    const mayBeKilled = container.livenessProbe !== undefined || container.startupProbe !== undefined;
    if (mayBeKilled && restartsAfterKill(pod.spec.restartPolicy, container)) return false;
    const ended = pod.status.containerStatuses?.find(({ name }) => name === container.name)?.state?.terminated;
    return ended !== undefined && !shouldRestart(pod.spec.restartPolicy, container, ended.exitCode);
  });
}
