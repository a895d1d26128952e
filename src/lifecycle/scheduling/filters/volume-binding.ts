import {
  compareQuantities,
  makesVolumes,
  matchesSelector,
  SELECTED_NODE,
  type StoredClaim,
  type StoredPod,
  type StoredVolume,
  waitsForPod,
} from '../../../api/index.ts';
import { matchesTerms } from '../../node/node-affinity.ts';
import { isMeantFor, sizeOfClaim, sizeOfVolume, storageClassOf, volumeMismatch } from '../../volumes/volume-fit.ts';
import { CLAIM, MISFIT } from '../../texts/scheduling.ts';
import { type FilterPlugin, PASSES } from '../base/plugin.ts';
import type { SchedulingNode, Snapshot } from '../base/snapshot.ts';
import { labelOf } from './topology-spread.ts';
import { claimNames } from './volume-restrictions.ts';

/** A claim that waits for its first Pod, and its volume on a node. Undefined: one is made there. */
export interface VolumeChoice {
  readonly claim: StoredClaim;
  readonly volume: StoredVolume | undefined;
}

/**
 * Finds nodes that reach the volumes of the Pod's claims, or where volumes can be had for claims that wait for their
 * first Pod. Source: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go, binder.go.
 */
export const volumeBinding: FilterPlugin = {
  name: 'VolumeBinding',
  prepare: (pod, snapshot) => {
    const claims = claimsOf(pod, snapshot);
    if (claims.length === 0) return PASSES;
    const problem = claims.map(problemOf).find((text) => text !== undefined);
    if (problem !== undefined) return { type: 'rejects', reasons: [problem] };
    const unbound = claims.filter((claim) => !isBound(claim));
    if (unbound.some((claim) => !isLate(claim, snapshot))) return { type: 'rejects', reasons: [CLAIM.unbound] };
    const bound = claims.filter(isBound).map((claim) => volumeOf(claim, snapshot));
    return {
      type: 'filters',
      filter: ({ node }) => {
        const reasons = [
          ...(bound.every((volume) => isReached(volume, node)) ? [] : [MISFIT.volumeNode]),
          ...(chooseVolumes(unbound, node, snapshot) === undefined ? [MISFIT.noVolume] : []),
        ];
        return reasons.length === 0 ? undefined : { reasons, isFinal: true };
      },
    };
  },
};

/** The volumes that claims of a Pod get on a node which the filter passes. */
export function volumeChoices(pod: StoredPod, node: SchedulingNode, snapshot: Snapshot): readonly VolumeChoice[] {
  const unbound = claimsOf(pod, snapshot).filter((claim) => !isBound(claim));
  return chooseVolumes(unbound, node, snapshot) ?? [];
}

/** The claims of a Pod that exist. */
export function claimsOf(pod: StoredPod, { claim }: Snapshot): StoredClaim[] {
  return claimNames(pod).flatMap((name) => claim(pod.metadata.namespace, name) ?? []);
}

/** The volume that a claim names, if it exists. */
export function volumeOf({ spec: { volumeName } }: StoredClaim, { volume }: Snapshot): StoredVolume | undefined {
  return volumeName ? volume(volumeName) : undefined;
}

/** Source: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go podHasPVCs. */
function problemOf({ metadata, spec, status }: StoredClaim): string | undefined {
  if (status?.phase === 'Lost') return CLAIM.lost(metadata.name, spec.volumeName ?? '');
  return metadata.deletionTimestamp === undefined ? undefined : CLAIM.deleted(metadata.name);
}

/** A claim of an older podrun is bound to a folder that has no PersistentVolume. */
function isBound({ status }: StoredClaim): boolean {
  return status?.phase === 'Bound';
}

/** True for a claim that gets its volume when its first Pod is placed. */
function isLate(claim: StoredClaim, { storageClass }: Snapshot): boolean {
  const type = storageClass(storageClassOf(claim) ?? '');
  return type !== undefined && waitsForPod(type);
}

function isReached(volume: StoredVolume | undefined, node: SchedulingNode): boolean {
  const required = volume?.spec.nodeAffinity?.required;
  return required === undefined || matchesTerms(required.nodeSelectorTerms, node);
}

/**
 * A volume of its own on the node for each claim, or one that is made there. Small claims choose first. Undefined: a
 * claim gets none.
 */
function chooseVolumes(
  unbound: readonly StoredClaim[],
  node: SchedulingNode,
  snapshot: Snapshot,
): readonly VolumeChoice[] | undefined {
  const bySize = unbound.toSorted((one, other) => compareQuantities(sizeOfClaim(one), sizeOfClaim(other)));
  const choices: VolumeChoice[] = [];
  for (const claim of bySize) {
    const selected = claim.metadata.annotations?.[SELECTED_NODE];
    if (selected !== undefined && selected !== node.name) return undefined;
    const taken = new Set(choices.flatMap(({ volume }) => volume ?? []));
    const volume = selected === undefined ? smallestFor(claim, node, snapshot.volumes(), taken) : undefined;
    if (volume === undefined && !canProvision(claim, node, snapshot)) return undefined;
    choices.push({ claim, volume });
  }
  return choices;
}

/** Source: staging/src/k8s.io/component-helpers/storage/volume/pv_helpers.go FindMatchingVolume. */
function smallestFor(
  claim: StoredClaim,
  node: SchedulingNode,
  volumes: readonly StoredVolume[],
  taken: ReadonlySet<StoredVolume>,
): StoredVolume | undefined {
  const fitting = volumes.filter((volume) => !taken.has(volume) && isFor(volume, claim) && isReached(volume, node));
  return fitting.toSorted((one, other) => compareQuantities(sizeOfVolume(one), sizeOfVolume(other)))[0];
}

function isFor(volume: StoredVolume, claim: StoredClaim): boolean {
  if (volumeMismatch(claim, volume) !== undefined) return false;
  if (volume.spec.claimRef !== undefined) return isMeantFor(volume, claim);
  return (
    volume.status?.phase === 'Available' &&
    volume.metadata.deletionTimestamp === undefined &&
    (claim.spec.selector === undefined || matchesSelector(claim.spec.selector, volume.metadata.labels))
  );
}

/** True when the provisioner of the claim's class makes volumes for the node. */
function canProvision(claim: StoredClaim, node: SchedulingNode, { storageClass }: Snapshot): boolean {
  const type = storageClass(storageClassOf(claim) ?? '');
  if (type === undefined || !makesVolumes(type)) return false;
  const topologies = type.allowedTopologies ?? [];
  if (topologies.length === 0) return true;
  return topologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key = '', values = [] }) => values.includes(labelOf(node, key) ?? '\0')),
  );
}
