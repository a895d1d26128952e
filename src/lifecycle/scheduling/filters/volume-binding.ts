import {
  compareQuantities,
  matchesSelector,
  parseQuantity,
  type ParsedQuantity,
  type StoredClaim,
  type StoredPod,
  type StoredVolume,
  ZERO_QUANTITY,
} from '../../../api/index.ts';
import { matchesTerms } from '../../node/node-affinity.ts';
import { CLAIM, MISFIT } from '../../texts/scheduling.ts';
import { type FilterPlugin, PASSES } from '../base/plugin.ts';
import type { SchedulingNode, Snapshot } from '../base/snapshot.ts';
import { labelOf } from './topology-spread.ts';
import { claimNames } from './volume-restrictions.ts';

/** The provisioner of classes whose volumes a person makes. */
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

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
    if (unbound.some((claim) => !waitsForPod(claim, snapshot))) return { type: 'rejects', reasons: [CLAIM.unbound] };
    const bound = claims.filter(isBound).map((claim) => volumeOf(claim, snapshot));
    return {
      type: 'filters',
      filter: ({ node }) => {
        const reasons = [
          ...(bound.every((volume) => isReached(volume, node)) ? [] : [MISFIT.volumeNode]),
          ...(canBind(unbound, node, snapshot) ? [] : [MISFIT.noVolume]),
        ];
        return reasons.length === 0 ? undefined : { reasons, isFinal: true };
      },
    };
  },
};

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
function waitsForPod({ spec }: StoredClaim, { storageClass }: Snapshot): boolean {
  return storageClass(spec.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer';
}

function isReached(volume: StoredVolume | undefined, node: SchedulingNode): boolean {
  const required = volume?.spec.nodeAffinity?.required;
  return required === undefined || matchesTerms(required.nodeSelectorTerms, node);
}

/** True when each claim gets a volume of its own on the node, or one that is made there. Small claims choose first. */
function canBind(unbound: readonly StoredClaim[], node: SchedulingNode, snapshot: Snapshot): boolean {
  const taken = new Set<StoredVolume>();
  const bySize = unbound.toSorted((one, other) => compareQuantities(sizeOfClaim(one), sizeOfClaim(other)));
  return bySize.every((claim) => {
    const volume = smallestFor(claim, node, snapshot.volumes, taken);
    if (volume === undefined) return canProvision(claim, node, snapshot);
    taken.add(volume);
    return true;
  });
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
  const { claimRef, storageClassName = '', accessModes = [], volumeMode = 'Filesystem' } = volume.spec;
  const { namespace, name } = claim.metadata;
  if (compareQuantities(sizeOfVolume(volume), sizeOfClaim(claim)) < 0) return false;
  if (volumeMode !== (claim.spec.volumeMode ?? 'Filesystem')) return false;
  if (claimRef !== undefined) return claimRef.namespace === namespace && claimRef.name === name;
  return (
    volume.status?.phase === 'Available' &&
    volume.metadata.deletionTimestamp === undefined &&
    storageClassName === (claim.spec.storageClassName ?? '') &&
    (claim.spec.selector === undefined || matchesSelector(claim.spec.selector, volume.metadata.labels)) &&
    (claim.spec.accessModes ?? []).every((mode) => accessModes.includes(mode))
  );
}

/** True when the provisioner of the claim's class makes volumes for the node. */
function canProvision({ spec }: StoredClaim, node: SchedulingNode, { storageClass }: Snapshot): boolean {
  const type = storageClass(spec.storageClassName ?? '');
  if (type === undefined || type.provisioner === NO_PROVISIONER) return false;
  const topologies = type.allowedTopologies ?? [];
  if (topologies.length === 0) return true;
  return topologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key = '', values = [] }) => values.includes(labelOf(node, key) ?? '\0')),
  );
}

function sizeOfClaim({ spec }: StoredClaim): ParsedQuantity {
  const size = spec.resources?.requests?.['storage'];
  return size === undefined ? ZERO_QUANTITY : parseQuantity(size);
}

function sizeOfVolume({ spec }: StoredVolume): ParsedQuantity {
  const size = spec.capacity?.['storage'];
  return size === undefined ? ZERO_QUANTITY : parseQuantity(size);
}
