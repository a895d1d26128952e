import type { Taint, Toleration } from '../../../api/index.ts';
import { matchesTerms } from '../../node/node-affinity.ts';
import { allocatable, type ResourceAmounts } from '../../node/node-resources.ts';
import { hasUntoleratedTaint } from '../../node/taints.ts';
import { MAX_NODE_SCORE, normalizeByMaximum, type NodeScores, type ScorePlugin } from '../base/plugin.ts';
import { heldRequests, heldScoredRequests, ownScoredRequests, podRequests } from '../base/pod-requests.ts';
import type { NodeState, SchedulingNode } from '../base/snapshot.ts';

/** The resources by which nodes are compared. */
const COMPARED = ['cpu', 'memory'] as const;

const MIB = 1024 * 1024;
/** An image below this size, in bytes, does not count. */
const SMALL_IMAGE = 23 * MIB;
/** More than this for each container does not count either. */
const LARGE_IMAGE = 1000 * MIB;

/** Prefers nodes without taints of the effect PreferNoSchedule. Source: plugins/tainttoleration/taint_toleration.go. */
export const taintTolerationScore: ScorePlugin = {
  name: 'TaintToleration',
  weight: 3,
  score: ({ spec }, _snapshot, feasible) => {
    const softTolerations = (spec.tolerations ?? []).filter(
      ({ effect }: Toleration) => !effect || effect === 'PreferNoSchedule',
    );
    const isAgainst = (taint: Taint): boolean =>
      hasUntoleratedTaint({ ...spec, tolerations: softTolerations }, [taint], ['PreferNoSchedule']);
    const raw = feasible.map(({ node }) => node.taints.filter(isAgainst).length);
    return { raw, normalized: normalizeByMaximum(raw, true) };
  },
};

/** Prefers nodes of the preferred node affinity. Source: plugins/nodeaffinity/node_affinity.go. */
export const nodeAffinityScore: ScorePlugin = {
  name: 'NodeAffinity',
  weight: 2,
  score: ({ spec }, _snapshot, feasible) => {
    const preferred = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    if (preferred.length === 0) return undefined;
    const raw = feasible.map(({ node }) => {
      const matching = preferred.filter(({ preference }) => matchesTerms([preference], node));
      return matching.reduce((sum, { weight }) => sum + weight, 0);
    });
    return { raw, normalized: normalizeByMaximum(raw, false) };
  },
};

/** Prefers nodes with the most room left. Source: plugins/noderesources/least_allocated.go. */
export const leastAllocated: ScorePlugin = {
  name: 'NodeResourcesFit',
  weight: 1,
  score: (pod, _snapshot, feasible) => {
    const own = ownScoredRequests(pod);
    return unscaled(
      feasible.map(({ node, pods }) => {
        const { amounts } = heldScoredRequests(pods);
        const scores = COMPARED.flatMap((resource) => {
          const held = (own.get(resource) ?? 0n) + (amounts.get(resource) ?? 0n);
          return roomScore(resource, node, held) ?? [];
        });
        return scores.length === 0 ? 0 : Math.trunc(scores.reduce((sum, score) => sum + score, 0) / scores.length);
      }),
    );
  },
};

/** The part of a resource that is left, in percent. Undefined: the node has none of it. */
function roomScore(resource: string, node: SchedulingNode, held: bigint): number | undefined {
  const capacity = allocatable(node, resource);
  if (capacity === 0n) return undefined;
  return held > capacity ? 0 : Number(((capacity - held) * BigInt(MAX_NODE_SCORE)) / capacity);
}

/** Prefers nodes whose CPU and memory are used alike. Source: plugins/noderesources/balanced_allocation.go. */
export const balancedAllocation: ScorePlugin = {
  name: 'NodeResourcesBalancedAllocation',
  weight: 1,
  score: (pod, _snapshot, feasible) => {
    const own = podRequests(pod);
    const nothing: ResourceAmounts = new Map();
    if (COMPARED.every((resource) => (own.get(resource) ?? 0n) === 0n)) return undefined;
    return unscaled(
      feasible.map((state) => {
        const change = balanceOf(state, own) - balanceOf(state, nothing);
        return MAX_NODE_SCORE / 2 + Math.trunc((MAX_NODE_SCORE / 2 + change) / 2);
      }),
    );
  },
};

/**
 * 100 when CPU and memory of the node are used alike, less the more they differ.
 * @param more requests beside its Pods
 */
function balanceOf({ node, pods }: NodeState, more: ResourceAmounts): number {
  const { amounts } = heldRequests(pods);
  const fractions = COMPARED.flatMap((resource) => {
    const capacity = allocatable(node, resource);
    if (capacity === 0n) return [];
    const held = (amounts.get(resource) ?? 0n) + (more.get(resource) ?? 0n);
    return Math.min(1, Number(held) / Number(capacity));
  });
  const [cpu = 0, memory = cpu] = fractions;
  return Math.trunc((1 - Math.abs(cpu - memory) / 2) * MAX_NODE_SCORE);
}

/** Prefers nodes that have the Pod's images. Source: plugins/imagelocality/image_locality.go. */
export const imageLocality: ScorePlugin = {
  name: 'ImageLocality',
  weight: 1,
  score: ({ spec }, { nodes }, feasible) => {
    const { containers, initContainers = [], volumes = [] } = spec;
    const images = [
      ...[...initContainers, ...containers].map(({ image = '' }) => image),
      ...volumes.flatMap(({ image }) => image?.reference ?? []),
    ].map(withTag);
    const largest = LARGE_IMAGE * (containers.length + initContainers.length);
    const spread = new Map(
      images.map((image) => [image, nodes.filter(({ node }) => node.images?.has(image)).length / nodes.length]),
    );
    return unscaled(
      feasible.map(({ node }) => {
        const sizes = images.map((image) => Math.trunc((node.images?.get(image) ?? 0) * (spread.get(image) ?? 0)));
        const sum = sizes.reduce((total, size) => total + size, 0);
        const counted = Math.min(Math.max(sum, SMALL_IMAGE), largest);
        return Math.trunc((MAX_NODE_SCORE * (counted - SMALL_IMAGE)) / (largest - SMALL_IMAGE));
      }),
    );
  },
};

function withTag(image: string): string {
  return image.lastIndexOf(':') > image.lastIndexOf('/') ? image : `${image}:latest`;
}

/** Devices that a claim would rather have count here. podrun takes the first alternative, so no node is better. */
export const dynamicResourcesScore: ScorePlugin = {
  name: 'DynamicResources',
  weight: 2,
  score: (_pod, _snapshot, feasible) => unscaled(feasible.map(() => 0)),
};

/** Volumes say nothing about nodes while StorageCapacityScoring is off. Source: plugins/volumebinding. */
export const volumeBindingScore: ScorePlugin = { name: 'VolumeBinding', weight: 1, score: () => undefined };

function unscaled(raw: readonly number[]): NodeScores {
  return { raw, normalized: raw };
}
