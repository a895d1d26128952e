import type { PodCondition, PodStatus } from '../api/generated/types.ts';
import { isTerminalPhase, NODE_STATUS_UNKNOWN, type StoredPod } from '../api/objects.ts';
import { formatTime } from '../api/time.ts';

/** Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go, of the conditions of a node. */
const STOPPED_POSTING = 'Kubelet stopped posting node status.';

/**
 * A Pod whose agent is gone, as readers see it. Nobody knows what became of the Pod: phase Unknown, a message that
 * names the agent, and not Ready, as the Pods of a lost node are not. A Pod that has ended stays as it ended; one that
 * nobody has taken up yet is as it was created.
 */
export function asReadersSeeIt(pod: StoredPod, lostOwner: { readonly pid: number } | undefined): StoredPod {
  if (lostOwner === undefined || isTerminalPhase(pod.status.phase)) return pod;
  const message = `podrun (process ${lostOwner.pid}), which ran this Pod, is gone; what became of it is not known`;
  const conditions = withReady(pod.status, (ready) => ({ ...ready, status: 'False' }));
  return { ...pod, status: { ...pod.status, ...conditions, phase: 'Unknown', message } };
}

/**
 * A Pod whose agent may live, but gives no sign of it: it was stopped, or runs where nobody can see it from here. It
 * may come back, and what it runs may run on.
 * @param agent the agent and its place
 * @param renewedMs when it last renewed its lease, milliseconds since 1970; undefined: it has no lease
 */
export function asUnreachable(pod: StoredPod, agent: string, renewedMs: number | undefined): StoredPod {
  if (isTerminalPhase(pod.status.phase)) return pod;
  const since = renewedMs === undefined ? {} : { lastTransitionTime: formatTime(renewedMs) };
  const last = renewedMs === undefined ? 'it has no lease' : `it last renewed its lease at ${formatTime(renewedMs)}`;
  const conditions = withReady(pod.status, (ready) => ({
    ...ready,
    ...since,
    status: 'Unknown',
    reason: NODE_STATUS_UNKNOWN,
    message: STOPPED_POSTING,
  }));
  const message = `podrun (${agent}), which runs this Pod, does not answer: ${last}`;
  return { ...pod, status: { ...pod.status, ...conditions, phase: 'Unknown', reason: NODE_STATUS_UNKNOWN, message } };
}

/** Source: pkg/controller/util/node/controller_utils.go MarkPodsNotReady. */
function withReady(status: PodStatus, change: (ready: PodCondition) => PodCondition): Pick<PodStatus, 'conditions'> {
  if (status.conditions === undefined) return {};
  return { conditions: status.conditions.map((one) => (one.type === 'Ready' ? change(one) : one)) };
}
