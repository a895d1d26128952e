import { allContainerStatuses, isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import { restartsAfterKill, shouldRestart } from '../plan/restart-policy.ts';
import { CONDITION } from '../texts/condition-reasons.ts';

/** What `apply --until` and COMMAND wait for. */
export type Goal =
  | { readonly type: 'succeeded' }
  | { readonly type: 'failed' }
  | { readonly type: 'condition'; readonly condition: string; readonly status: 'True' | 'False' | 'Unknown' };

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

/**
 * Has the Pod got there, can it still, or never any more? `impossible` is said as soon as it is certain: no later
 * than the Pod's end, and before its processes are gone.
 */
export function goalState(goal: Goal, pod: StoredPod): GoalState {
  if (goal.type === 'succeeded') {
    if (pod.status.phase === 'Succeeded') return 'met';
    return phaseIsDecided(pod) === 'Failed' || cannotStart(pod) ? 'impossible' : 'pending';
  }
  if (goal.type === 'failed') {
    if (pod.status.phase === 'Failed') return 'met';
    return phaseIsDecided(pod) === 'Succeeded' ? 'impossible' : 'pending';
  }
  const wanted = goal.condition.toLowerCase();
  const conditions = pod.status.conditions ?? [];
  const condition = conditions.find(({ type }) => type.toLowerCase() === wanted);
  if (condition?.status === goal.status && isUpToDate(pod)) return 'met';
  if (isTerminalPhase(pod.status.phase) || phaseIsDecided(pod) !== undefined) return 'impossible';
  if (goal.status !== 'True') return 'pending';
  if (cannotStart(pod)) return 'impossible';
  const needsEveryContainer = wanted === 'ready' || wanted === 'containersready';
  return needsEveryContainer && someContainerIsDone(pod) ? 'impossible' : 'pending';
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

/** The conditions tell how a Pod ends before its phase does. */
function phaseIsDecided(pod: StoredPod): 'Succeeded' | 'Failed' | undefined {
  const ready = pod.status.conditions?.find(({ type }) => type === 'ContainersReady');
  if (pod.status.phase === 'Failed' || ready?.reason === CONDITION.podFailed) return 'Failed';
  if (pod.status.phase === 'Succeeded' || ready?.reason === CONDITION.podCompleted) return 'Succeeded';
  return undefined;
}

const UNUSABLE_IMAGE = new Set(['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName']);

/** What stands in the way will not change while podrun runs: the node is what it is, and so are the images. */
function cannotStart(pod: StoredPod): boolean {
  const scheduled = pod.status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.reason === CONDITION.unschedulable) return true;
  return allContainerStatuses(pod.status).some(({ state }) => UNUSABLE_IMAGE.has(state?.waiting?.reason ?? ''));
}

/** A regular container, which Ready needs, has ended for good. */
function someContainerIsDone(pod: StoredPod): boolean {
  return pod.spec.containers.some((container) => {
    // One that a probe has killed is started again whatever its exit code is.
    const mayBeKilled = container.livenessProbe !== undefined || container.startupProbe !== undefined;
    if (mayBeKilled && restartsAfterKill(pod.spec.restartPolicy, container)) return false;
    const ended = pod.status.containerStatuses?.find(({ name }) => name === container.name)?.state?.terminated;
    return ended !== undefined && !shouldRestart(pod.spec.restartPolicy, container, ended.exitCode);
  });
}
