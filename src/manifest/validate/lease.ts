import { subdomainMessages } from '../../api/names.ts';
import type { CoordinationLease, StorageStorageClass } from '../../api/generated/types.ts';
import type { Decoded } from '../decoded.ts';
import { type FieldError, invalid, notSupported, required } from '../field-error.ts';
import { validateMetadata } from './metadata.ts';

/** Kinds of which the API server checks little. */

/** Source: pkg/apis/coordination/validation/validation.go, ValidateLease. */
export function validateLease({ metadata, spec = {} }: Decoded<CoordinationLease>): FieldError[] {
  const { leaseDurationSeconds, leaseTransitions } = spec;
  const errors = validateMetadata(metadata, subdomainMessages);
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0)
    errors.push(invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0'));
  if (leaseTransitions !== undefined && leaseTransitions < 0)
    errors.push(invalid('spec.leaseTransitions', leaseTransitions, 'must be greater than or equal to 0'));
  return errors;
}

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];

/** Source: pkg/apis/storage/validation/validation.go, ValidateStorageClass. */
export function validateStorageClass({
  metadata,
  provisioner = '',
  ...more
}: Decoded<StorageStorageClass>): FieldError[] {
  const { reclaimPolicy = '', volumeBindingMode = '' } = more;
  const errors = validateMetadata(metadata, subdomainMessages);
  if (provisioner === '') errors.push(required('provisioner'));
  if (!RECLAIM_POLICIES.includes(reclaimPolicy))
    errors.push(notSupported('reclaimPolicy', reclaimPolicy, RECLAIM_POLICIES));
  if (!BINDING_MODES.includes(volumeBindingMode))
    errors.push(notSupported('volumeBindingMode', volumeBindingMode, BINDING_MODES));
  return errors;
}
