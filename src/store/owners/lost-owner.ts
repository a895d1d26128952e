import {
  formatTime,
  isTerminalPhase,
  NODE_STATUS_UNKNOWN,
  type PodCondition,
  type PodStatus,
  type StoredPod,
} from '../../api/index.ts';

/** The message of a node's conditions. Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go. */
const STOPPED_POSTING = 'Kubelet stopped posting node status.';

/**
 * A Pod as readers see it, after its agent has disappeared: its phase is Unknown, its message names the agent, and it
 * is not Ready, like the Pods of a lost node. A Pod that has ended, or that no agent has taken up yet, stays unchanged.
 */
export function asLost(pod: StoredPod, lostOwner: { readonly pid: number } | undefined): StoredPod {
  if (lostOwner === undefined || isTerminalPhase(pod.status.phase)) return pod;
  const message = `podrun (process ${lostOwner.pid}), which ran this Pod, is gone: the state of the Pod is unknown`;
  const conditions = withReady(pod.status, (ready) => ({ ...ready, status: 'False' }));
  return { ...pod, status: { ...pod.status, ...conditions, phase: 'Unknown', message } };
}

/**
 * A Pod as readers see it while its agent gives no sign of life: the agent was stopped, or runs elsewhere. The agent
 * may come back, and its containers may still run.
 * @param agent the agent and its place
 * @param renewedMs time of the last renewal of the agent's lease, milliseconds since 1970; undefined without a lease
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
  return {
    conditions: status.conditions.map((condition) => (condition.type === 'Ready' ? change(condition) : condition)),
  };
}
