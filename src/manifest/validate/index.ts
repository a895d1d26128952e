import { labelMessages, subdomainMessages } from '../../api/names.ts';
import type { Event, PersistentVolumeClaim } from '../../api/generated/types.ts';
import type { KubeObject } from '../../api/objects.ts';
import type { Decoded } from '../decoded.ts';
import type { FieldError } from '../field-error.ts';
import { validateClaimSpec } from './claim.ts';
import { validateConfigMap, validateSecret } from './config.ts';
import { validateCronJob } from './cron-job.ts';
import { validateDisruptionBudget, validatePriorityClass } from './disruption.ts';
import { validateEndpoints, validateEndpointSlice } from './endpoints.ts';
import { validateEvent } from './event.ts';
import { validateIngress, validateIngressClass } from './ingress.ts';
import { validateJob } from './job.ts';
import { validateLease, validateStorageClass } from './lease.ts';
import { validateLimitRange } from './limit-range.ts';
import { validateAdmissionPolicy, validatePolicyBinding } from './admission-policies.ts';
import { validateWebhookConfiguration } from './admission-webhooks.ts';
import { validateMetadata } from './metadata.ts';
import { validateNetworkPolicy } from './network-policy.ts';
import { validatePersistentVolume } from './persistent-volume.ts';
import { validatePod } from './pod.ts';
import { validateClusterRole, validateRole, validateRoleBinding } from './rbac.ts';
import { validateService } from './service.ts';
import { validateControllerRevision, validatePodTemplate, validateReplicationController } from './replication.ts';
import { validateResourceQuota } from './resource-quota.ts';
import { validateRuntimeClass } from './runtime-class.ts';
import { validateDaemonSet, validateDeployment, validateReplicaSet, validateStatefulSet } from './workloads.ts';

type Validator = (object: Decoded<KubeObject>) => FieldError[];

const VALIDATORS: ReadonlyMap<string, Validator> = new Map(
  Object.entries<Validator>({
    Pod: validatePod,
    ConfigMap: validateConfigMap,
    Secret: validateSecret,
    Service: validateService,
    EndpointSlice: validateEndpointSlice,
    Endpoints: validateEndpoints,
    Event: (event: Decoded<Event>) => validateEvent(event),
    PersistentVolumeClaim: ({ metadata, spec = {} }: Decoded<PersistentVolumeClaim>) => [
      ...validateMetadata(metadata, subdomainMessages),
      ...validateClaimSpec('spec', spec),
    ],
    PersistentVolume: validatePersistentVolume,
    Namespace: ({ metadata }) => validateMetadata(metadata, labelMessages),
    ServiceAccount: ({ metadata }) => validateMetadata(metadata, subdomainMessages),
    Job: validateJob,
    CronJob: validateCronJob,
    Deployment: validateDeployment,
    ReplicaSet: validateReplicaSet,
    StatefulSet: validateStatefulSet,
    DaemonSet: validateDaemonSet,
    ReplicationController: validateReplicationController,
    PodTemplate: validatePodTemplate,
    ControllerRevision: validateControllerRevision,
    PodDisruptionBudget: validateDisruptionBudget,
    PriorityClass: validatePriorityClass,
    RuntimeClass: validateRuntimeClass,
    LimitRange: validateLimitRange,
    ResourceQuota: validateResourceQuota,
    Ingress: validateIngress,
    IngressClass: validateIngressClass,
    NetworkPolicy: validateNetworkPolicy,
    Role: validateRole,
    ClusterRole: validateClusterRole,
    RoleBinding: validateRoleBinding,
    ClusterRoleBinding: validateRoleBinding,
    Lease: validateLease,
    StorageClass: validateStorageClass,
    MutatingWebhookConfiguration: validateWebhookConfiguration,
    ValidatingWebhookConfiguration: validateWebhookConfiguration,
    ValidatingAdmissionPolicy: validateAdmissionPolicy,
    ValidatingAdmissionPolicyBinding: validatePolicyBinding,
  }),
);

/**
 * All mistakes of a new object, in the words and the order of the API server: metadata first, then the spec. Kinds that
 * podrun ignores have none.
 * @param object decoded and defaulted
 */
export function validateObject(object: KubeObject): FieldError[] {
  return VALIDATORS.get(object.kind)?.(object) ?? [];
}
