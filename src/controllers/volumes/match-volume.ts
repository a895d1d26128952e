import {
  compareQuantities,
  matchesSelector,
  type ParsedQuantity,
  parseQuantity,
  ZERO_QUANTITY,
} from '../../api/index.ts';
import type { StoredClaim, StoredVolume } from '../base/reconcile.ts';
import { MISMATCH } from '../texts/volumes.ts';

/** The old annotation of a class wins over the field. Source: component-helpers/storage/volume/helpers.go. */
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export function classOf({ metadata, spec }: StoredClaim | StoredVolume): string | undefined {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName;
}

/** True for a volume whose claimRef means this claim: by uid, or by name alone. Source: IsVolumeBoundToClaim. */
export function isMeantFor({ spec: { claimRef } }: StoredVolume, { metadata }: StoredClaim): boolean {
  if (claimRef === undefined) return false;
  const isNamed = claimRef.name === metadata.name && claimRef.namespace === metadata.namespace;
  return isNamed && (!claimRef.uid || claimRef.uid === metadata.uid);
}

/**
 * The volume for a claim: one that is meant for it, else the smallest that is large enough, of those with the fewest
 * access modes. Undefined: none fits. Source: pkg/volume/util, FindMatchingVolume, and
 * pkg/controller/volume/persistentvolume/index.go.
 */
export function findVolume(claim: StoredClaim, volumes: readonly StoredVolume[]): StoredVolume | undefined {
  const fitting = volumes.filter(
    (volume) => volume.metadata.deletionTimestamp === undefined && mismatch(claim, volume) === undefined,
  );
  const meant = fitting.find((volume) => isMeantFor(volume, claim));
  if (meant !== undefined) return meant;
  const { selector = {} } = claim.spec;
  const [best] = fitting
    .filter(({ metadata, spec }) => spec.claimRef === undefined && matchesSelector(selector, metadata.labels))
    .toSorted((one, other) => modesOf(one) - modesOf(other) || compareQuantities(sizeOf(one), sizeOf(other)));
  return best;
}

/** The reason why a volume does not fit a claim. Undefined: it fits. Source: checkVolumeSatisfyClaim. */
export function mismatch(claim: StoredClaim, volume: StoredVolume): string | undefined {
  const wanted = parseQuantity(claim.spec.resources?.requests?.['storage'] ?? '0');
  if (compareQuantities(sizeOf(volume), wanted) < 0) return MISMATCH.size;
  if ((classOf(claim) ?? '') !== (classOf(volume) ?? '')) return MISMATCH.class;
  if ((claim.spec.volumeMode ?? 'Filesystem') !== (volume.spec.volumeMode ?? 'Filesystem')) return MISMATCH.mode;
  const modes: readonly string[] = volume.spec.accessModes ?? [];
  return (claim.spec.accessModes ?? []).every((mode) => modes.includes(mode)) ? undefined : MISMATCH.access;
}

const modesOf = ({ spec }: StoredVolume): number => spec.accessModes?.length ?? 0;

function sizeOf({ spec }: StoredVolume): ParsedQuantity {
  const text = spec.capacity?.['storage'];
  return text === undefined ? ZERO_QUANTITY : parseQuantity(text);
}
