import { dynamicResources } from './filters/dynamic-resources.ts';
import { interPodAffinity } from './filters/inter-pod-affinity.ts';
import {
  nodeAffinity,
  nodeDeclaredFeatures,
  nodePorts,
  nodeResourcesFit,
  nodeUnschedulable,
  taintToleration,
} from './filters/node-filters.ts';
import { podTopologySpread } from './filters/topology-spread.ts';
import { volumeBinding } from './filters/volume-binding.ts';
import { nodeVolumeLimits, volumeZone } from './filters/volume-places.ts';
import { volumeRestrictions } from './filters/volume-restrictions.ts';
import type { FilterPlugin, ScorePlugin } from './base/plugin.ts';
import { interPodAffinityScore } from './scores/inter-pod-affinity-score.ts';
import {
  balancedAllocation,
  dynamicResourcesScore,
  imageLocality,
  leastAllocated,
  nodeAffinityScore,
  taintTolerationScore,
  volumeBindingScore,
} from './scores/node-scores.ts';
import { podTopologySpreadScore } from './scores/topology-spread-score.ts';

/** The plugins that decide where Pods go. */
export interface Profile {
  /** In the order in which a node is asked. */
  readonly filters: readonly FilterPlugin[];
  readonly scores: readonly ScorePlugin[];
}

/**
 * The default profile. NodeName is left out: a Pod with a node's name is not scheduled. Source:
 * pkg/scheduler/apis/config/v1/default_plugins.go.
 */
export const DEFAULT_PLUGINS: Profile = {
  filters: [
    nodeUnschedulable,
    taintToleration,
    nodeAffinity,
    nodePorts,
    nodeResourcesFit,
    volumeRestrictions,
    nodeVolumeLimits,
    volumeBinding,
    volumeZone,
    podTopologySpread,
    interPodAffinity,
    dynamicResources,
    nodeDeclaredFeatures,
  ],
  scores: [
    taintTolerationScore,
    nodeAffinityScore,
    leastAllocated,
    volumeBindingScore,
    podTopologySpreadScore,
    interPodAffinityScore,
    dynamicResourcesScore,
    balancedAllocation,
    imageLocality,
  ],
};
