import type { KubeObject } from '../../api/objects.ts';
import type { ObjectMeta } from '../../api/generated/types.ts';
import type { Decoded } from '../decoded.ts';
import { defaultClaim, defaultDaemonSet, defaultDeployment, defaultReplicaSet, defaultStatefulSet } from './apps.ts';
import { defaultCronJob, defaultJob } from './batch.ts';
import { defaultConfigMap, defaultSecret } from './config.ts';
import { defaultPod } from './pod.ts';
import { defaultService } from './service.ts';

type Defaulter = (object: Decoded<KubeObject>) => unknown;

const DEFAULTERS: ReadonlyMap<string, Defaulter> = new Map(
  Object.entries<Defaulter>({
    Pod: defaultPod,
    ConfigMap: defaultConfigMap,
    Secret: defaultSecret,
    Service: defaultService,
    PersistentVolumeClaim: defaultClaim,
    Namespace: defaultNamespace,
    Job: defaultJob,
    CronJob: defaultCronJob,
    Deployment: defaultDeployment,
    ReplicaSet: defaultReplicaSet,
    StatefulSet: defaultStatefulSet,
    DaemonSet: defaultDaemonSet,
  }),
);

/**
 * Fills in what a manifest left out, as the API server does between decoding and validation, and brings quantities
 * into canonical text. Returns a new object; doing it twice changes nothing. What only a new object gets (its first
 * status, a grace period that is not negative) is in create.ts.
 * @param object decoded: fields have the right types, quantities and base64 are well formed
 */
export function applyDefaults(object: KubeObject): KubeObject {
  const defaulter = DEFAULTERS.get(object.kind);
  const named = { ...object, metadata: object.metadata ?? {} };
  return defaulter === undefined ? named : (defaulter(named) as KubeObject);
}

/** A namespace carries its name as a label. Source: pkg/apis/core/v1/defaults.go, SetDefaults_Namespace. */
function defaultNamespace(namespace: { metadata?: Decoded<ObjectMeta> | undefined }): unknown {
  const { metadata } = namespace;
  if (!metadata?.name) return namespace;
  const labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
  return { ...namespace, metadata: { ...metadata, labels } };
}
