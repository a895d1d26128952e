import type {
  AutoscalingV2HorizontalPodAutoscaler,
  ConfigMap,
  EndpointSlice,
  IngressClass,
  IPAddress,
  KubeObject,
  PriorityClass,
  ResourceQuota,
  RuntimeClass,
  Secret,
  ServiceCIDR,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, forbidden, item } from '../base/field-error.ts';
import { validateObject } from '../validate/index.ts';
import { validateAnyPod } from '../validate/pod.ts';
import { immutable, isSameValue } from './differences.ts';
import { validatePodUpdate } from './pod.ts';
import { sealedFieldErrors, validateCsiNodeUpdate, validateNodeUpdate } from './sealed.ts';
import { validateServiceUpdate } from './service.ts';
import {
  validateClaimUpdate,
  validateJobUpdate,
  validateRevisionUpdate,
  validateSelectorUpdate,
  validateStatefulSetUpdate,
  validateVolumeUpdate,
} from './workloads.ts';

/** The message for a change of an immutable object (KEP-1412). Source: pkg/apis/core/validation/validation.go. */
const IMMUTABLE_MESSAGE = 'field is immutable when `immutable` is set';

interface Sealable {
  readonly immutable?: boolean | undefined;
  readonly data?: unknown;
  readonly binaryData?: unknown;
}

type UpdateValidator = (stored: Decoded<KubeObject>, changed: Decoded<KubeObject>) => FieldError[];

const UPDATE_VALIDATORS: ReadonlyMap<string, UpdateValidator> = new Map(
  Object.entries<UpdateValidator>({
    CSINode: validateCsiNodeUpdate,
    Node: validateNodeUpdate,
    Pod: validatePodUpdate,
    ConfigMap: validateConfigMapUpdate,
    Secret: validateSecretUpdate,
    Service: validateServiceUpdate,
    PersistentVolume: validateVolumeUpdate,
    PersistentVolumeClaim: validateClaimUpdate,
    Job: validateJobUpdate,
    Deployment: validateSelectorUpdate,
    ReplicaSet: validateSelectorUpdate,
    DaemonSet: validateSelectorUpdate,
    StatefulSet: validateStatefulSetUpdate,
    ControllerRevision: validateRevisionUpdate,
    PriorityClass: validatePriorityClassUpdate,
    RuntimeClass: validateRuntimeClassUpdate,
    ResourceQuota: validateQuotaUpdate,
    IngressClass: validateIngressClassUpdate,
    EndpointSlice: validateEndpointSliceUpdate,
    IPAddress: validateIPAddressUpdate,
    ServiceCIDR: validateServiceCIDRUpdate,
  }),
);

/** All mistakes of a changed object: mistakes of the object itself, then mistakes of the change. */
export function validateUpdate(stored: KubeObject, changed: KubeObject): FieldError[] {
  const own = ownMistakes(stored, changed);
  const sealed = sealedFieldErrors(stored, changed);
  const changes = UPDATE_VALIDATORS.get(changed.kind)?.(stored, changed) ?? [];
  return CHANGES_FIRST.has(changed.kind) ? [...changes, ...own, ...sealed] : [...own, ...sealed, ...changes];
}

/** Kinds of which the API server tells the mistakes of the change first, and of the object then. */
const CHANGES_FIRST: ReadonlySet<string> = new Set(['DaemonSet']);

function ownMistakes(stored: KubeObject, changed: KubeObject): FieldError[] {
  if (changed.kind === 'Pod') return validateAnyPod(changed);
  if (changed.kind === 'HorizontalPodAutoscaler') return autoscalerMistakes(stored, changed);
  if (changed.kind !== 'EndpointSlice') return validateObject(changed);
  // Endpoints that stay are not looked at. Source: pkg/apis/discovery/validation, ValidateEndpointSliceUpdate.
  const isSame = isSameValue(stored['endpoints'], changed['endpoints'], '[]discovery.Endpoint');
  return validateObject(isSame ? { ...changed, endpoints: [] } : changed);
}

/**
 * A target that stays keeps its group, also where it must not be written any more. Source: pkg/registry/autoscaling,
 * horizontalpodautoscaler/strategy.go.
 */
function autoscalerMistakes(
  stored: Decoded<AutoscalingV2HorizontalPodAutoscaler>,
  changed: KubeObject & Decoded<AutoscalingV2HorizontalPodAutoscaler>,
): FieldError[] {
  const [before, after] = [stored.spec?.scaleTargetRef, changed.spec?.scaleTargetRef];
  const isSame = before?.kind === after?.kind && before?.apiVersion === after?.apiVersion;
  return validateObject(changed).filter(({ path }) => !isSame || path !== 'spec.scaleTargetRef.apiVersion');
}

function validateConfigMapUpdate(stored: Decoded<ConfigMap>, changed: Decoded<ConfigMap>): FieldError[] {
  return validateImmutableData(stored, changed, ['data', 'binaryData']);
}

function validateSecretUpdate(stored: Decoded<Secret>, changed: Decoded<Secret>): FieldError[] {
  return [
    ...immutable('type', stored.type, changed.type, 'string'),
    ...validateImmutableData(stored, changed, ['data']),
  ];
}

function validateImmutableData(
  stored: Sealable,
  changed: Sealable,
  fields: readonly ('data' | 'binaryData')[],
): FieldError[] {
  if (stored.immutable !== true) return [];
  const differing = fields.filter((field) => !isSameValue(stored[field], changed[field], 'map:string'));
  const paths = changed.immutable === true ? differing : ['immutable', ...differing];
  return paths.map((path) => forbidden(path, IMMUTABLE_MESSAGE));
}

/** Source: pkg/apis/scheduling/validation/validation.go, ValidatePriorityClassUpdate. */
function validatePriorityClassUpdate(stored: Decoded<PriorityClass>, changed: Decoded<PriorityClass>): FieldError[] {
  const isChanged = (stored.value ?? 0) !== (changed.value ?? 0);
  return [
    ...(isChanged ? [forbidden('value', 'may not be changed in an update.')] : []),
    ...immutable('preemptionPolicy', stored.preemptionPolicy, changed.preemptionPolicy, 'string'),
  ];
}

/** Source: pkg/apis/node/validation/validation.go, ValidateRuntimeClassUpdate. */
function validateRuntimeClassUpdate(stored: Decoded<RuntimeClass>, changed: Decoded<RuntimeClass>): FieldError[] {
  return immutable('handler', stored.handler, changed.handler, 'string');
}

/** Source: pkg/apis/core/validation/validation.go, ValidateResourceQuotaUpdate. */
function validateQuotaUpdate(stored: Decoded<ResourceQuota>, changed: Decoded<ResourceQuota>): FieldError[] {
  const scopesOf = ({ spec }: Decoded<ResourceQuota>): string[] => [...new Set(spec?.scopes)].sort();
  const [before, after] = [scopesOf(stored), scopesOf(changed)];
  return immutable('spec.scopes', before, after, '[]string');
}

/** Source: pkg/apis/discovery/validation/validation.go, ValidateEndpointSliceUpdate. */
function validateEndpointSliceUpdate(stored: Decoded<EndpointSlice>, changed: Decoded<EndpointSlice>): FieldError[] {
  return immutable('addressType', stored.addressType, changed.addressType, 'string');
}

/** Source: pkg/apis/networking/validation/validation.go, ValidateIngressClassUpdate. */
function validateIngressClassUpdate(stored: Decoded<IngressClass>, changed: Decoded<IngressClass>): FieldError[] {
  return immutable('spec.controller', stored.spec?.controller, changed.spec?.controller, 'string');
}

/** Source: pkg/apis/networking/validation/validation.go, ValidateIPAddressUpdate. */
function validateIPAddressUpdate(stored: Decoded<IPAddress>, changed: Decoded<IPAddress>): FieldError[] {
  return immutable('spec.parentRef', stored.spec?.parentRef, changed.spec?.parentRef, 'networking.ParentReference');
}

/**
 * The ranges stay. A range of the other family may come.
 * Source: pkg/apis/networking/validation/validation.go, ValidateServiceCIDRUpdate.
 */
function validateServiceCIDRUpdate(stored: Decoded<ServiceCIDR>, changed: Decoded<ServiceCIDR>): FieldError[] {
  const [before, after] = [stored.spec?.cidrs ?? [], changed.spec?.cidrs ?? []];
  if (after.length < before.length) return immutable('spec.cidrs', before, after, '[]string');
  return before.flatMap((cidr, index) => immutable(item('spec.cidrs', index), cidr, after[index], 'string'));
}
