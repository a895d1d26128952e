import { isLost, isTerminalPhase, type StoredPod } from '../../api/index.ts';
import { hasRestartAllRule, restartsAfterKill, shouldRestart } from '../base/restart-policy.ts';
import { CONDITION } from '../texts/condition-reasons.ts';

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
