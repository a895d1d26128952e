import { isLost, isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import { hasRestartAllRule, restartsAfterKill, shouldRestart } from '../plan/restart-policy.ts';
import { CONDITION } from '../texts/condition-reasons.ts';

/** How somebody wants a Pod to be. */
export type Wanted =
  | { readonly type: 'succeeded' }
  | { readonly type: 'failed' }
  | { readonly type: 'condition'; readonly condition: string; readonly status: 'True' | 'False' | 'Unknown' }
  /** `status.phase`, as it was written: it may be no phase at all. */
  | { readonly type: 'phase'; readonly phase: string };

/** The conditions that the kubelet and the scheduler alone decide. Any other one may be set by anybody at any time. */
export const NODE_CONDITIONS: readonly string[] = [
  'Ready',
  'ContainersReady',
  'Initialized',
  'PodScheduled',
  'PodReadyToStartContainers',
];

/** Is it one of those conditions, in upper or lower case? */
export function isNodeCondition(name: string): boolean {
  return NODE_CONDITIONS.some((type) => type.toLowerCase() === name.toLowerCase());
}

const PHASES: ReadonlySet<string> = new Set(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']);

/**
 * Can a Pod never be as it is wanted any more, whatever happens, given that it is not so now? By the rules of the
 * kubelet: a Pod that has ended stays so; one that is being deleted gets no further; a container that its policy does
 * not start again stays ended. What may change is not final: a container that crashes is started again, an image may
 * come or be exchanged, a ConfigMap that is missing may be made.
 */
export function isHopeless(wanted: Wanted, pod: StoredPod): boolean {
  if (wanted.type === 'condition') return isConditionHopeless(wanted, pod);
  const end = decidedEnd(pod);
  if (wanted.type === 'succeeded') return end === 'Failed' || isLost(pod.status);
  if (wanted.type === 'failed') return end === 'Succeeded' || isLost(pod.status);
  if (!PHASES.has(wanted.phase)) return true;
  if (wanted.phase === 'Unknown') return isTerminalPhase(pod.status.phase);
  if (end !== undefined) return wanted.phase !== end;
  return isLost(pod.status);
}

function isConditionHopeless(wanted: Extract<Wanted, { type: 'condition' }>, pod: StoredPod): boolean {
  const condition = wanted.condition.toLowerCase();
  if (!isNodeCondition(condition)) return false;
  if (decidedEnd(pod) !== undefined || isLost(pod.status)) return true;
  if (wanted.status !== 'True') return false;
  // Some containers may still run, but none is started any more, and who is about to go is of no use.
  if (pod.metadata.deletionTimestamp !== undefined) return true;
  return (condition === 'ready' || condition === 'containersready') && someContainerIsDone(pod);
}

/** How a Pod ends: the conditions tell it before its phase does. */
export function decidedEnd(pod: StoredPod): 'Succeeded' | 'Failed' | undefined {
  const ready = pod.status.conditions?.find(({ type }) => type === 'ContainersReady');
  if (pod.status.phase === 'Failed' || ready?.reason === CONDITION.podFailed) return 'Failed';
  if (pod.status.phase === 'Succeeded' || ready?.reason === CONDITION.podCompleted) return 'Succeeded';
  return undefined;
}

/** A regular container, which Ready needs, has ended for good. */
function someContainerIsDone(pod: StoredPod): boolean {
  // Another one that still runs may bring it back.
  if (hasRestartAllRule(pod.spec)) return false;
  return pod.spec.containers.some((container) => {
    // One that a probe has killed is started again whatever its exit code is.
    const mayBeKilled = container.livenessProbe !== undefined || container.startupProbe !== undefined;
    if (mayBeKilled && restartsAfterKill(pod.spec.restartPolicy, container)) return false;
    const ended = pod.status.containerStatuses?.find(({ name }) => name === container.name)?.state?.terminated;
    return ended !== undefined && !shouldRestart(pod.spec.restartPolicy, container, ended.exitCode);
  });
}
