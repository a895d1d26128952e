import type { EndpointSlice, IngressClass, PriorityClass, ResourceQuota, RuntimeClass } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, forbidden } from '../base/field-error.ts';
import { immutable } from './immutable.ts';

/** Source: pkg/apis/scheduling/validation/validation.go, ValidatePriorityClassUpdate. */
export function validatePriorityClassUpdate(
  stored: Decoded<PriorityClass>,
  changed: Decoded<PriorityClass>,
): FieldError[] {
  const isChanged = (stored.value ?? 0) !== (changed.value ?? 0);
  return [
    ...(isChanged ? [forbidden('value', 'may not be changed in an update.')] : []),
    ...immutable('preemptionPolicy', stored.preemptionPolicy, changed.preemptionPolicy, 'string'),
  ];
}

/** Source: pkg/apis/node/validation/validation.go, ValidateRuntimeClassUpdate. */
export function validateRuntimeClassUpdate(
  stored: Decoded<RuntimeClass>,
  changed: Decoded<RuntimeClass>,
): FieldError[] {
  return immutable('handler', stored.handler, changed.handler, 'string');
}

/** Source: pkg/apis/core/validation/validation.go, ValidateResourceQuotaUpdate. */
export function validateQuotaUpdate(stored: Decoded<ResourceQuota>, changed: Decoded<ResourceQuota>): FieldError[] {
  const scopesOf = ({ spec }: Decoded<ResourceQuota>): string[] => [...new Set(spec?.scopes)].sort();
  const [before, after] = [scopesOf(stored), scopesOf(changed)];
  return immutable('spec.scopes', before, after, '[]string');
}

/** Source: pkg/apis/discovery/validation/validation.go, ValidateEndpointSliceUpdate. */
export function validateEndpointSliceUpdate(
  stored: Decoded<EndpointSlice>,
  changed: Decoded<EndpointSlice>,
): FieldError[] {
  return immutable('addressType', stored.addressType, changed.addressType, 'string');
}

/** Source: pkg/apis/networking/validation/validation.go, ValidateIngressClassUpdate. */
export function validateIngressClassUpdate(
  stored: Decoded<IngressClass>,
  changed: Decoded<IngressClass>,
): FieldError[] {
  return immutable('spec.controller', stored.spec?.controller, changed.spec?.controller, 'string');
}
