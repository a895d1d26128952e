import type { KubeObject, ObjectMeta, PersistentVolume, PodTemplate } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import {
  defaultConfigMap,
  defaultLimitRange,
  defaultPriorityClass,
  defaultResourceQuota,
  defaultRoleBinding,
  defaultRuntimeClass,
  defaultSecret,
  defaultStorageClass,
} from './records.ts';
import {
  defaultClaim,
  defaultCronJob,
  defaultDaemonSet,
  defaultDeployment,
  defaultJob,
  defaultReplicaSet,
  defaultReplicationController,
  defaultStatefulSet,
} from './workloads.ts';
import {
  defaultEndpoints,
  defaultEndpointSlice,
  defaultIngressClass,
  defaultNetworkPolicy,
  defaultService,
} from './networking.ts';
import { defaultPod, defaultTemplate } from './pod.ts';
import { defaultByTable } from './table.ts';
import { defaultVolumeSpec } from './volume.ts';

type Defaulter = (object: Decoded<KubeObject>) => unknown;

const DEFAULTERS: ReadonlyMap<string, Defaulter> = new Map(
  Object.entries<Defaulter>({
    Pod: defaultPod,
    ConfigMap: defaultConfigMap,
    Secret: defaultSecret,
    Service: defaultService,
    EndpointSlice: defaultEndpointSlice,
    Endpoints: defaultEndpoints,
    PersistentVolume: (object: Decoded<PersistentVolume>) => ({
      ...object,
      spec: defaultVolumeSpec(object.spec ?? {}),
    }),
    PersistentVolumeClaim: defaultClaim,
    Namespace: defaultNamespace,
    Job: defaultJob,
    CronJob: defaultCronJob,
    Deployment: defaultDeployment,
    ReplicaSet: defaultReplicaSet,
    StatefulSet: defaultStatefulSet,
    DaemonSet: defaultDaemonSet,
    ReplicationController: defaultReplicationController,
    PodTemplate: (object: Decoded<PodTemplate>) => ({ ...object, template: defaultTemplate(object.template) }),
    LimitRange: defaultLimitRange,
    ResourceQuota: defaultResourceQuota,
    PriorityClass: defaultPriorityClass,
    RuntimeClass: defaultRuntimeClass,
    IngressClass: defaultIngressClass,
    NetworkPolicy: defaultNetworkPolicy,
    RoleBinding: defaultRoleBinding,
    ClusterRoleBinding: defaultRoleBinding,
    StorageClass: defaultStorageClass,
  }),
);

/**
 * Sets the defaults that the API server sets between decoding and validation, and writes quantities in canonical form.
 * Returns a new object. A second call changes nothing. Changes of new objects only (first status, no negative grace
 * period) are in create.ts.
 * @param object decoded: fields have the right types, quantities and base64 are well formed
 */
export function applyDefaults(object: KubeObject): KubeObject {
  const defaulter = DEFAULTERS.get(object.kind);
  const named = { ...object, metadata: object.metadata ?? {} };
  return defaultByTable(defaulter === undefined ? named : (defaulter(named) as KubeObject));
}

/** Adds the name of a namespace as a label. Source: pkg/apis/core/v1/defaults.go, SetDefaults_Namespace. */
function defaultNamespace(namespace: { metadata?: Decoded<ObjectMeta> | undefined }): unknown {
  const { metadata } = namespace;
  // A patch may have made a text of the labels: it is refused later.
  if (!metadata?.name || typeof (metadata.labels ?? {}) !== 'object') return namespace;
  const labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
  return { ...namespace, metadata: { ...metadata, labels } };
}
