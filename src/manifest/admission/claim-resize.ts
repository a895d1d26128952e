import { compareQuantities, type ParsedQuantity, parseQuantity, type PersistentVolumeClaim } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';

/**
 * The reason why a claim cannot ask for more storage, as with a storage class without allowVolumeExpansion. Undefined:
 * it does not. Source: plugin/pkg/admission/storage/persistentvolume/resize/admission.go.
 */
export function claimResizeProblem(
  claim: PersistentVolumeClaim,
  before: PersistentVolumeClaim | undefined,
): string | undefined {
  if (before === undefined || compareRequests(claim, before) <= 0) return undefined;
  const rule = 'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc';
  return `${rule} must support resize`;
}

/** Compares what two claims ask for: negative when the first asks for less. */
export function compareRequests(a: Decoded<PersistentVolumeClaim>, b: Decoded<PersistentVolumeClaim>): number {
  return compareQuantities(requestOf(a), requestOf(b));
}

function requestOf({ spec }: Decoded<PersistentVolumeClaim>): ParsedQuantity {
  return parseQuantity(spec?.resources?.requests?.['storage'] ?? 0);
}
