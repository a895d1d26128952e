import type { EventDraft } from './events.ts';
import { podrunEvent } from './podrun-events.ts';
import type { Shortage } from './resize.ts';

// The messages of the condition PodScheduled and of the event FailedScheduling.

/** The reasons of the scheduler's filters. */
export const MISFIT = {
  /** Source: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go errReasonConflict. */
  conflictingTerms: 'pod affinity terms conflict',
  /** Source: pkg/scheduler/framework/types.go FitError, for nodes that PreFilter left out. */
  leftOut: (plugins: readonly string[]): string => `node(s) didn't satisfy plugin(s) [${plugins.join(' ')}]`,
  /** Source: pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go. */
  cordoned: 'node(s) were unschedulable',
  /** Source: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go ErrReasonPod. */
  affinity: "node(s) didn't match Pod's node affinity/selector",
  /** Source: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go Filter. */
  taints: 'node(s) had untolerated taint(s)',
  /** Source: pkg/scheduler/framework/plugins/nodeports/node_ports.go ErrReason. */
  hostPorts: "node(s) didn't have free ports for the requested pod ports",
  /** Source: pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest. */
  tooManyPods: 'Too many pods',
  /** Source: pkg/scheduler/framework/plugins/volumebinding/binder.go. */
  volumeNode: "node(s) didn't match PersistentVolume's node affinity",
  noVolume: "node(s) didn't find available persistent volumes to bind",
  /** Source: pkg/scheduler/framework/plugins/volumezone/volume_zone.go ErrReasonConflict. */
  volumeZone: 'node(s) had no available volume zone',
  /** Source: pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go. */
  volumeInUse:
    'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
  diskInUse: 'node(s) had no available disk',
  /** Source: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go ErrReasonMaxVolumeCountExceeded. */
  volumeLimit: 'node(s) exceed max volume count',
  /** Source: pkg/scheduler/framework/plugins/podtopologyspread/filtering.go. */
  spread: "node(s) didn't match pod topology spread constraints",
  spreadLabel: "node(s) didn't match pod topology spread constraints (missing required label)",
  /** Source: pkg/scheduler/framework/plugins/interpodaffinity/filtering.go. */
  podAffinity: "node(s) didn't match pod affinity rules",
  podAntiAffinity: "node(s) didn't match pod anti-affinity rules",
  existingAntiAffinity: "node(s) didn't satisfy existing pods anti-affinity rules",
  /** Source: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go. */
  devices: 'cannot allocate all claims',
  /** Source: pkg/scheduler/framework/plugins/nodedeclaredfeatures. */
  features: "node(s) didn't match Pod's required features",
} as const;

/** Source: pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest. */
export function insufficient(resource: string): string {
  return `Insufficient ${resource}`;
}

/** Source: pkg/scheduler/schedule_one.go ErrNoNodesAvailable. */
export const NO_NODES = 'no nodes available to schedule pods';

/**
 * Says why no node takes a Pod. Source: pkg/scheduler/framework/types.go FitError.
 * @param nodes the number of nodes
 * @param reasons each reason as often as a node gives it
 */
export function noNode(nodes: number, reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const counted = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes} nodes are available: ${counted.join(', ')}.`;
}

/** The reasons why no other Pod goes. Source: pkg/scheduler/framework/preemption/preemption.go. */
export const PREEMPTION = {
  noVictims: 'No preemption victims found for incoming pod',
  notHelpful: 'Preemption is not helpful for scheduling',
  never: 'not eligible due to preemptionPolicy=Never.',
  underWay: 'not eligible due to a terminating pod on the nominated node.',
} as const;

/**
 * The whole message of a Pod for which no other Pod goes. Source: pkg/scheduler/framework/types.go FitError.
 * @param misfit why no node takes the Pod
 * @param why the reason why no other Pod goes
 * @param claimsDevices true when the plugin DynamicResources had claims to look at
 */
export function withoutPreemption(misfit: string, why: string, claimsDevices: boolean): string {
  return `${misfit} ${claimsDevices ? 'still not schedulable' : 'no new claims to deallocate'}, preemption: ${why}`;
}

/** Source: pkg/scheduler/framework/plugins/schedulinggates/scheduling_gates.go. */
export function waitsForGates(gates: readonly string[]): string {
  return `waiting for scheduling gates: [${gates.join(' ')}]`;
}

/** DisruptionTarget of a Pod that goes. Source: pkg/scheduler/framework/preemption/executor.go. */
export const PREEMPTED = {
  reason: 'PreemptionByScheduler',
  message: 'default-scheduler: preempting to accommodate a higher priority pod',
} as const;

/**
 * The problems of a Pod's claims. Source: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go,
 * volumerestrictions/volume_restrictions.go.
 */
export const CLAIM = {
  notFound: (claim: string): string => `persistentvolumeclaim "${claim}" not found`,
  deleted: (claim: string): string => `persistentvolumeclaim "${claim}" is being deleted`,
  lost: (claim: string, volume: string): string =>
    `persistentvolumeclaim "${claim}" bound to non-existent persistentvolume "${volume}"`,
  unbound: 'pod has unbound immediate PersistentVolumeClaims',
  /** Source: pkg/scheduler/framework/plugins/volumezone/volume_zone.go. */
  noVolume: (volume: string): string => `persistentvolume "${volume}" not found`,
  /** Source: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go. */
  noDeviceClass: (request: string, name: string): string => `request ${request}: device class ${name} does not exist`,
  noDeviceClaim: (namespace: string, name: string): string => `could not find ResourceClaim "${namespace}/${name}"`,
} as const;

/** The message for a problem that no node can solve. Source: pkg/scheduler/framework/types.go FitError. */
export function noNodeFor(nodes: number, problem: string): string {
  return `0/${nodes} nodes are available: ${problem}.`;
}

/**
 * The whole message when a plugin before DynamicResources rejects all nodes: preemption misses the notes of that
 * plugin. Source: pkg/scheduler/framework/types.go FitError; observed on 1.36.
 */
export function withoutPreemptionState(misfit: string): string {
  return `${misfit} not found`;
}

/** podrun's own: the reason of `noRoom`. */
export const NO_ROOM = 'NoRoomOnNode';

const REMEDY = 'podrun apply --overcommit records requests and does not count them';

/** podrun's own: the scheduler's message tells neither what the node has nor what can be done. */
export function noRoom(node: string, lacking: readonly Shortage[]): EventDraft {
  const parts = lacking.map(({ resource, requested, used, capacity }) => {
    const others = used > 0n ? `, of which other Pods request ${amount(resource, used)}` : '';
    return `${amountWithUnit(resource, capacity)}${others}, and this Pod requests ${amount(resource, requested)}`;
  });
  return podrunEvent(NO_ROOM, `node ${node} has ${[...parts, REMEDY].join('; ')}`);
}

/** podrun's own: what the node has and what the Pod requests, in a message of `noRoom`. */
export function roomIn(message: string): string {
  return message.replace(`; ${REMEDY}`, '');
}

/** podrun's own: the advice to overcommit the node. */
export const OVERCOMMIT_REMEDY: string = `run it all the same: ${REMEDY}`;

function amountWithUnit(resource: string, quantity: bigint): string {
  const text = amount(resource, quantity);
  if (resource !== 'cpu') return `${text} of ${resource}`;
  return `${text} ${text === '1' ? 'CPU' : 'CPUs'}`;
}

/** A quantity as people write it: `1500m`, `2`, `7.5Gi`. */
function amount(resource: string, quantity: bigint): string {
  if (resource === 'cpu') return quantity % 1000n === 0n ? String(quantity / 1000n) : `${quantity}m`;
  const [unit, bytes] = quantity >= 2n ** 30n ? (['Gi', 2 ** 30] as const) : (['Mi', 2 ** 20] as const);
  return `${Number((Number(quantity) / bytes).toFixed(1))}${unit}`;
}

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

/** Source: pkg/kubelet/nodestatus/setters.go ReadyCondition; nodeshutdown_manager.go ShutdownStatus. */
export const NODE_SHUTS_DOWN = { reason: 'KubeletNotReady', message: 'node is shutting down' } as const;

/** A kubelet begins on a node that was off. Source: pkg/kubelet/kubelet_node_status.go, NodeRebooted. */
export function nodeRebooted(nodeName: string, bootId: string): EventDraft {
  return { type: 'Warning', reason: 'Rebooted', message: `Node ${nodeName} has been rebooted, boot id: ${bootId}` };
}

/** A condition of the node has changed. Source: pkg/kubelet/kubelet_node_status.go recordNodeStatusEvent. */
export function nodeStatusIs(nodeName: string, type: keyof NodeConditionTexts, status: 'True' | 'False'): EventDraft {
  return nodeIs(nodeName, NODE_CONDITION[type][status].event);
}

function nodeIs(nodeName: string, event: string): EventDraft {
  return { type: 'Normal', reason: event, message: `Node ${nodeName} status is now: ${event}` };
}

/**
 * The kubelet has started, before its node is Ready. Source: pkg/kubelet/kubelet.go BirthCry;
 * kubelet_node_status.go; cm/node_container_manager_linux.go.
 * @param lacked the conditions of the node that are True
 */
export function startOfNode(nodeName: string, lacked: readonly (keyof NodeConditionTexts)[]): EventDraft[] {
  const status = (type: keyof NodeConditionTexts): 'True' | 'False' => (lacked.includes(type) ? 'True' : 'False');
  return [
    { type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' },
    nodeStatusIs(nodeName, 'MemoryPressure', status('MemoryPressure')),
    nodeStatusIs(nodeName, 'DiskPressure', status('DiskPressure')),
    nodeIs(nodeName, 'NodeHasSufficientPID'),
    {
      type: 'Normal',
      reason: 'NodeAllocatableEnforced',
      message: 'Updated Node Allocatable limit across pods',
    },
  ];
}

/** Source: pkg/kubelet/kubelet_node_status.go recordNodeStatusEvent. */
export function nodeIsReady(nodeName: string): EventDraft {
  return nodeIs(nodeName, 'NodeReady');
}

/**
 * The node is silent, or shuts down. Source: pkg/controller/util/node/controller_utils.go RecordNodeStatusChange;
 * pkg/kubelet/kubelet_node_status.go recordNodeStatusEvent.
 */
export function nodeIsNotReady(nodeName: string): EventDraft {
  return nodeIs(nodeName, 'NodeNotReady');
}

/** Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go. */
export function registeredInController(nodeName: string): EventDraft {
  const message = `Node ${nodeName} event: Registered Node ${nodeName} in Controller`;
  return { type: 'Normal', reason: 'RegisteredNode', message };
}

/** Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go. */
export function removedFromController(nodeName: string): EventDraft {
  const message = `Node ${nodeName} event: Removing Node ${nodeName} from Controller`;
  return { type: 'Normal', reason: 'RemovingNode', message };
}

/**
 * Reason and message of conditions of a node that is silent, or never reported them. Source:
 * pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth.
 */
export const NODE_SILENT = {
  stopped: { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' },
  never: { reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' },
} as const;

/** An eviction threshold is met. Source: pkg/kubelet/eviction/eviction_manager.go synchronize. */
export function evictionThresholdMet(resource: string): EventDraft {
  return { type: 'Warning', reason: 'EvictionThresholdMet', message: `Attempting to reclaim ${resource}` };
}
