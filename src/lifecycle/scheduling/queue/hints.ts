import type { ResourceResourceClaim, StoredClaim, StoredPod } from '../../../api/index.ts';
import type { SchedulingNode } from '../base/snapshot.ts';
import { deviceClaimNames } from '../filters/dynamic-resources.ts';
import { nodeAffinity, nodeDeclaredFeatures, nodeUnschedulable, taintToleration } from '../filters/node-filters.ts';
import { claimNames } from '../filters/volume-restrictions.ts';
import type { ClusterEvent } from './cluster-event.ts';
import {
  ANY_ADDED,
  ANY_PRESENT,
  type HintFacts,
  isEqual,
  type PluginHints,
  type QueueingHint,
  whenPresent,
} from './hint.ts';
import { beginsToPass, changesDomain, changesDomains, hasGrown } from './node-hints.ts';
import {
  changesAffinity,
  changesSpread,
  freesAttachment,
  freesPort,
  freesResources,
  freesVolume,
  getsToleration,
  toleratesCordon,
} from './pod-hints.ts';

/** A claim helps the Pods that name it. */
const IS_CLAIM_OF: QueueingHint<StoredClaim> = whenPresent(
  (pod, { metadata: { namespace, name } }) => namespace === pod.metadata.namespace && claimNames(pod).includes(name),
);

/** Labels of a node decide which volumes it reaches. */
const IS_RELABELLED: QueueingHint<SchedulingNode> = whenPresent(
  (_pod, after, before) => !isEqual(before?.labels, after.labels),
);

/** A resource claim helps the Pods that name it, and any Pod when it gives up its devices. */
const MAY_GIVE_DEVICES: QueueingHint<ResourceResourceClaim> = (pod, { before, after }) => {
  if (before?.status?.allocation !== undefined && after?.status?.allocation === undefined) return true;
  const { namespace, name = '' } = after?.metadata ?? {};
  return namespace === pod.metadata.namespace && deviceClaimNames(pod).includes(name);
};

/** Changes that may help a Pod that a plugin has rejected. Source: EventsToRegister of the plugins. */
const HINTS: Readonly<Record<string, PluginHints>> = {
  NodeUnschedulable: { Node: beginsToPass(nodeUnschedulable), Pod: toleratesCordon },
  TaintToleration: { Node: beginsToPass(taintToleration), Pod: getsToleration },
  NodeAffinity: { Node: beginsToPass(nodeAffinity) },
  NodePorts: { Node: ANY_ADDED, Pod: freesPort },
  NodeResourcesFit: { Node: hasGrown, Pod: freesResources },
  VolumeRestrictions: { Node: ANY_ADDED, Pod: freesVolume, PersistentVolumeClaim: IS_CLAIM_OF },
  NodeVolumeLimits: {
    Node: whenPresent(
      (_pod, after, before) => !isEqual([...(before?.volumeLimits ?? [])], [...(after.volumeLimits ?? [])]),
    ),
    Pod: freesAttachment,
    PersistentVolumeClaim: IS_CLAIM_OF,
  },
  VolumeBinding: {
    Node: IS_RELABELLED,
    PersistentVolumeClaim: IS_CLAIM_OF,
    PersistentVolume: ANY_PRESENT,
    StorageClass: ANY_PRESENT,
  },
  VolumeZone: {
    Node: IS_RELABELLED,
    PersistentVolumeClaim: IS_CLAIM_OF,
    PersistentVolume: ANY_PRESENT,
    StorageClass: ANY_ADDED,
  },
  PodTopologySpread: { Node: changesDomains, Pod: changesSpread },
  InterPodAffinity: { Node: changesDomain, Pod: changesAffinity },
  DynamicResources: {
    Node: IS_RELABELLED,
    ResourceClaim: MAY_GIVE_DEVICES,
    ResourceSlice: ANY_PRESENT,
    DeviceClass: ANY_PRESENT,
  },
  NodeDeclaredFeatures: { Node: beginsToPass(nodeDeclaredFeatures) },
};

/** Plugins that hear of taints. The stop-gap is for all other plugins that hear of nodes. */
const HEAR_OF_TAINTS = new Set(['NodeUnschedulable', 'TaintToleration', 'PodTopologySpread']);

/**
 * True when a change may help a Pod that these plugins have rejected: one of them that thinks so is enough. Source:
 * pkg/scheduler/backend/queue/scheduling_queue.go isPodWorthRequeuing.
 */
export function mayHelp(pod: StoredPod, plugins: readonly string[], event: ClusterEvent, facts: HintFacts): boolean {
  return plugins.some((plugin) => {
    const hint = HINTS[plugin]?.[event.kind] as QueueingHint<unknown> | undefined;
    if (hint === undefined) return false;
    return hint(pod, event, facts) || (isTaintChange(event) && !HEAR_OF_TAINTS.has(plugin));
  });
}

/**
 * Any change of taints tries the Pods of most plugins again, also where it cannot help: Kubernetes' stop-gap for its
 * issue 109437. The end of a cordon counts as such a change. Source: pkg/scheduler/scheduler.go buildQueueingHintMap,
 * pkg/scheduler/framework/events.go.
 */
function isTaintChange(event: ClusterEvent): boolean {
  if (event.kind !== 'Node' || event.before === undefined || event.after === undefined) return false;
  const isUncordoned = event.before.isCordoned === true && event.after.isCordoned !== true;
  return isUncordoned || !isEqual(event.before.taints, event.after.taints);
}
