import type { CoordinationLease, StorageStorageClass } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, invalid } from '../base/field-error.ts';
import { notNegative, oneOfIfSet, requiredText } from './checks.ts';

/** Kinds of which the API server checks little. */

/** Source: pkg/apis/coordination/validation/validation.go, ValidateLease. */
export function validateLease({ spec = {} }: Decoded<CoordinationLease>): FieldError[] {
  const { leaseDurationSeconds: seconds, leaseTransitions } = spec;
  const isPositive = seconds === undefined || seconds > 0;
  return [
    ...(isPositive ? [] : [invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]),
    ...notNegative('spec.leaseTransitions', leaseTransitions),
  ];
}

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];

/** Source: pkg/apis/storage/validation/validation.go, ValidateStorageClass. */
export function validateStorageClass({
  provisioner,
  reclaimPolicy = '',
  volumeBindingMode = '',
}: Decoded<StorageStorageClass>): FieldError[] {
  return [
    ...requiredText('provisioner', provisioner),
    ...oneOfIfSet('reclaimPolicy', reclaimPolicy, RECLAIM_POLICIES),
    ...oneOfIfSet('volumeBindingMode', volumeBindingMode, BINDING_MODES),
  ];
}
