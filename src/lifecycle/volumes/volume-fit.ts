import {
  compareQuantities,
  type ParsedQuantity,
  parseQuantity,
  type StoredClaim,
  type StoredVolume,
  ZERO_QUANTITY,
} from '../../api/index.ts';

/** The old annotation of a class wins over the field. Source: component-helpers/storage/volume/helpers.go. */
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** The StorageClass of a claim or volume. Undefined: it names none. */
export function storageClassOf({ metadata, spec }: StoredClaim | StoredVolume): string | undefined {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName;
}

/** True for a volume whose claimRef means this claim: by uid, or by name alone. Source: IsVolumeBoundToClaim. */
export function isMeantFor({ spec: { claimRef } }: StoredVolume, { metadata }: StoredClaim): boolean {
  if (claimRef === undefined) return false;
  const isNamed = claimRef.name === metadata.name && claimRef.namespace === metadata.namespace;
  return isNamed && (!claimRef.uid || claimRef.uid === metadata.uid);
}

/** The property of a volume that does not fit a claim. Undefined: it fits. Source: checkVolumeSatisfyClaim. */
export function volumeMismatch(
  claim: StoredClaim,
  volume: StoredVolume,
): 'access' | 'class' | 'mode' | 'size' | undefined {
  if (compareQuantities(sizeOfVolume(volume), sizeOfClaim(claim)) < 0) return 'size';
  if ((storageClassOf(claim) ?? '') !== (storageClassOf(volume) ?? '')) return 'class';
  if ((claim.spec.volumeMode ?? 'Filesystem') !== (volume.spec.volumeMode ?? 'Filesystem')) return 'mode';
  const modes: readonly string[] = volume.spec.accessModes ?? [];
  return (claim.spec.accessModes ?? []).every((mode) => modes.includes(mode)) ? undefined : 'access';
}

/** The bytes that a claim requests. */
export function sizeOfClaim({ spec }: StoredClaim): ParsedQuantity {
  const size = spec.resources?.requests?.['storage'];
  return size === undefined ? ZERO_QUANTITY : parseQuantity(size);
}

/** The bytes that a volume has. */
export function sizeOfVolume({ spec }: StoredVolume): ParsedQuantity {
  const size = spec.capacity?.['storage'];
  return size === undefined ? ZERO_QUANTITY : parseQuantity(size);
}
