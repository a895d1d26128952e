import type { KubeObject } from '../../api/objects.ts';
import type { Decoded } from '../base/decoded.ts';
import type { FieldError } from '../base/field-error.ts';
import { validateObject } from '../validate/index.ts';
import { validateAnyPod } from '../validate/pod.ts';
import { validateConfigMapUpdate, validateSecretUpdate } from './config.ts';
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
