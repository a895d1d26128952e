import {
  type Endpoints,
  type KubeObject,
  labelMessages,
  pathSegmentMessages,
  type PersistentVolumeClaim,
  type PodTemplate,
  subdomainMessages,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import type { FieldError } from '../base/field-error.ts';
import { each } from './checks.ts';
import { validateClaimSpec } from './claim.ts';
import { validateConfigMap, validateSecret } from './config.ts';
import { validateCronJob, validateJob } from './job.ts';
import { validateDisruptionBudget, validatePriorityClass } from './disruption.ts';
import { validateEndpointSlice, validateSubset } from './endpoints.ts';
import { validateEvent } from './event.ts';
import { validateIngress, validateIngressClass } from './ingress.ts';
import {
  ipNameMessages,
  validateIPAddress,
  validateLease,
  validateNamespace,
  validateNode,
  validateRuntimeClass,
  validateServiceCIDR,
} from './cluster.ts';
import { validateApiService } from './api-service.ts';
import { validateAutoscaler } from './autoscaler.ts';
import { validateSigningRequest } from './certificates.ts';
import {
  validateDeviceClass,
  validateResourceClaim,
  validateResourceSlice,
  validateResourceTemplate,
} from './devices.ts';
import { validateFlowSchema, validatePriorityLevel } from './flow-control.ts';
import {
  validateAttributesClass,
  validateCsiDriver,
  validateCsiNode,
  validateStorageCapacity,
  validateStorageClass,
  validateVolumeAttachment,
} from './storage.ts';
import { validateLimitRange } from './limit-range.ts';
import {
  validateAdmissionPolicy,
  validateMutatingBinding,
  validateMutatingPolicy,
  validatePolicyBinding,
} from './admission-policies.ts';
import { validateWebhookConfiguration } from './admission-webhooks.ts';
import { validateMetadata } from './metadata.ts';
import { validateNetworkPolicy } from './network-policy.ts';
import { validatePersistentVolume } from './persistent-volume.ts';
import { validatePod, validateTemplate } from './pod.ts';
import { validateClusterRole, validateRole, validateRoleBinding } from './rbac.ts';
import { validateService } from './service.ts';
import {
  validateControllerRevision,
  validateDaemonSet,
  validateDeployment,
  validateReplicaSet,
  validateReplicationController,
  validateStatefulSet,
} from './workloads.ts';
import { validateResourceQuota } from './resource-quota.ts';

/** The rules of a kind. Rules of metadata come first: the table has them as the rule of a name. */
interface KindRules {
  readonly name: (name: string) => string[];
  /** Finds the mistakes beside the metadata. */
  readonly rest?: (object: Decoded<KubeObject>) => FieldError[];
}

const named = (name: KindRules['name'], kinds: Readonly<Record<string, KindRules['rest']>>): [string, KindRules][] =>
  Object.entries(kinds).map(([kind, rest]) => [kind, rest === undefined ? { name } : { name, rest }]);

const RULES: ReadonlyMap<string, KindRules> = new Map([
  ...named(labelMessages, { Namespace: validateNamespace, Service: validateService, StatefulSet: validateStatefulSet }),
  ...named(pathSegmentMessages, {
    APIService: validateApiService,
    ClusterRole: validateClusterRole,
    ClusterRoleBinding: validateRoleBinding,
    PodDisruptionBudget: validateDisruptionBudget,
    Role: validateRole,
    RoleBinding: validateRoleBinding,
  }),
  ...named(ipNameMessages, { IPAddress: validateIPAddress }),
  ...named(subdomainMessages, {
    CSIDriver: validateCsiDriver,
    CSINode: validateCsiNode,
    CSIStorageCapacity: validateStorageCapacity,
    ConfigMap: validateConfigMap,
    ControllerRevision: validateControllerRevision,
    CronJob: validateCronJob,
    DaemonSet: validateDaemonSet,
    Deployment: validateDeployment,
    DeviceClass: validateDeviceClass,
    EndpointSlice: validateEndpointSlice,
    Endpoints: ({ subsets }: Decoded<Endpoints>) => each('subsets', subsets, validateSubset),
    FlowSchema: validateFlowSchema,
    HorizontalPodAutoscaler: validateAutoscaler,
    Ingress: validateIngress,
    IngressClass: validateIngressClass,
    Job: validateJob,
    Lease: validateLease,
    LimitRange: validateLimitRange,
    MutatingAdmissionPolicy: validateMutatingPolicy,
    MutatingAdmissionPolicyBinding: validateMutatingBinding,
    MutatingWebhookConfiguration: validateWebhookConfiguration,
    NetworkPolicy: validateNetworkPolicy,
    Node: validateNode,
    PersistentVolume: validatePersistentVolume,
    PersistentVolumeClaim: ({ spec = {} }: Decoded<PersistentVolumeClaim>) => validateClaimSpec('spec', spec),
    PodTemplate: ({ template = {} }: Decoded<PodTemplate>) => validateTemplate('template', template),
    PriorityClass: validatePriorityClass,
    PriorityLevelConfiguration: validatePriorityLevel,
    ReplicaSet: validateReplicaSet,
    ReplicationController: validateReplicationController,
    ResourceClaim: validateResourceClaim,
    ResourceClaimTemplate: validateResourceTemplate,
    ResourceQuota: validateResourceQuota,
    ResourceSlice: validateResourceSlice,
    RuntimeClass: validateRuntimeClass,
    Secret: validateSecret,
    ServiceAccount: undefined,
    ServiceCIDR: validateServiceCIDR,
    StorageClass: validateStorageClass,
    ValidatingAdmissionPolicy: validateAdmissionPolicy,
    ValidatingAdmissionPolicyBinding: validatePolicyBinding,
    ValidatingWebhookConfiguration: validateWebhookConfiguration,
    VolumeAttachment: validateVolumeAttachment,
    VolumeAttributesClass: validateAttributesClass,
  }),
  ...named(() => [], { CertificateSigningRequest: validateSigningRequest }),
]);

/**
 * All mistakes of a new object, in the words and the order of the API server: metadata first, then the spec. Kinds that
 * podrun ignores have none.
 * @param object decoded and defaulted
 */
export function validateObject(object: KubeObject): FieldError[] {
  // Events have no rules about their names in the core group.
  if (object.kind === 'Event') return validateEvent(object);
  if (object.kind === 'Pod') return validatePod(object);
  const rules = RULES.get(object.kind);
  if (rules === undefined) return [];
  return [...validateMetadata(object.metadata, rules.name), ...(rules.rest?.(object) ?? [])];
}
