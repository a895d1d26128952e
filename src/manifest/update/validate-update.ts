import type { ConfigMap, KubeObject, Secret } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, forbidden } from '../base/field-error.ts';
import { validateObject } from '../validate/index.ts';
import { validateAnyPod } from '../validate/pod.ts';
import { validatePodUpdate } from './pod.ts';
import {
  validateEndpointSliceUpdate,
  validateIngressClassUpdate,
  validatePriorityClassUpdate,
  validateQuotaUpdate,
  validateRuntimeClassUpdate,
} from './limits.ts';
import { validateServiceUpdate } from './service.ts';
import {
  validateClaimUpdate,
  validateJobUpdate,
  validateRevisionUpdate,
  validateSelectorUpdate,
  validateStatefulSetUpdate,
  validateVolumeUpdate,
} from './workloads.ts';
import { immutable } from './immutable.ts';
import { isSameValue } from './same-value.ts';

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
  }),
);

/** All mistakes of a changed object: mistakes of the object itself, then mistakes of the change. */
export function validateUpdate(stored: KubeObject, changed: KubeObject): FieldError[] {
  const own = changed.kind === 'Pod' ? validateAnyPod(changed) : validateObject(changed);
  return [...own, ...(UPDATE_VALIDATORS.get(changed.kind)?.(stored, changed) ?? [])];
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
