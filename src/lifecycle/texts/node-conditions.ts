import type { EventDraft } from './event-draft.ts';

/** One status of a condition of the node. */
interface NodeConditionText {
  readonly reason: string;
  readonly message: string;
  /** The event of a change to this status. */
  readonly event: string;
}

type NodeConditionTexts = Readonly<
  Record<'MemoryPressure' | 'DiskPressure', Readonly<Record<'True' | 'False', NodeConditionText>>>
>;

/** Source: pkg/kubelet/nodestatus/setters.go. */
export const NODE_CONDITION: NodeConditionTexts = {
  MemoryPressure: {
    True: {
      reason: 'KubeletHasInsufficientMemory',
      message: 'kubelet has insufficient memory available',
      event: 'NodeHasInsufficientMemory',
    },
    False: {
      reason: 'KubeletHasSufficientMemory',
      message: 'kubelet has sufficient memory available',
      event: 'NodeHasSufficientMemory',
    },
  },
  DiskPressure: {
    True: { reason: 'KubeletHasDiskPressure', message: 'kubelet has disk pressure', event: 'NodeHasDiskPressure' },
    False: {
      reason: 'KubeletHasNoDiskPressure',
      message: 'kubelet has no disk pressure',
      event: 'NodeHasNoDiskPressure',
    },
  },
};

/** podrun does not measure process IDs. Source: pkg/kubelet/nodestatus/setters.go PIDPressureCondition. */
export const SUFFICIENT_PID = {
  reason: 'KubeletHasSufficientPID',
  message: 'kubelet has sufficient PID available',
} as const;

/** The message is podrun's own. Source of the reason: pkg/kubelet/nodestatus/setters.go ReadyCondition. */
export const NODE_READY = { reason: 'KubeletReady', message: 'podrun runs Pods on this machine' } as const;

/** A condition of the node has changed. Source: pkg/kubelet/kubelet_node_status.go recordNodeStatusEvent. */
export function nodeStatusIs(nodeName: string, type: keyof NodeConditionTexts, status: 'True' | 'False'): EventDraft {
  const { event } = NODE_CONDITION[type][status];
  return { type: 'Normal', reason: event, message: `Node ${nodeName} status is now: ${event}` };
}

/** An eviction threshold is met. Source: pkg/kubelet/eviction/eviction_manager.go synchronize. */
export function evictionThresholdMet(resource: string): EventDraft {
  return { type: 'Warning', reason: 'EvictionThresholdMet', message: `Attempting to reclaim ${resource}` };
}
