import type {
  AutoscalingV2HorizontalPodAutoscaler,
  AutoscalingV2HorizontalPodAutoscalerSpec,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  JobSpec,
  PersistentVolume,
  PersistentVolumeClaim,
  ReplicaSet,
  ReplicaSetSpec,
  ReplicationController,
  StatefulSet,
} from '../generated/types.ts';
import type { StoredMeta, StoredService } from '../base/objects.ts';

/** A stored object of a kind that has a spec. */
type Stored<T, Kind extends string, Spec> = Omit<T, 'kind' | 'metadata' | 'spec'> & {
  apiVersion: string;
  kind: Kind;
  metadata: StoredMeta;
  spec: Spec;
};

export type StoredJob = Stored<Job, 'Job', JobSpec>;
export type StoredCronJob = Stored<CronJob, 'CronJob', NonNullable<CronJob['spec']>>;
export type StoredReplicaSet = Stored<ReplicaSet, 'ReplicaSet', ReplicaSetSpec>;
export type StoredReplicationController = Stored<
  ReplicationController,
  'ReplicationController',
  NonNullable<ReplicationController['spec']>
>;
export type StoredDeployment = Stored<Deployment, 'Deployment', NonNullable<Deployment['spec']>>;
export type StoredStatefulSet = Stored<StatefulSet, 'StatefulSet', NonNullable<StatefulSet['spec']>>;
export type StoredDaemonSet = Stored<DaemonSet, 'DaemonSet', NonNullable<DaemonSet['spec']>>;
/** A template that a StatefulSet or DaemonSet had. Source: k8s.io/api/apps/v1, ControllerRevision. */
export interface StoredRevision {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMeta;
  readonly data?: unknown;
  readonly revision: number;
}
export type StoredClaim = Stored<
  PersistentVolumeClaim,
  'PersistentVolumeClaim',
  NonNullable<PersistentVolumeClaim['spec']>
>;
export type StoredVolume = Stored<PersistentVolume, 'PersistentVolume', NonNullable<PersistentVolume['spec']>>;

/** In the form of v2. */
export type StoredAutoscaler = Stored<
  AutoscalingV2HorizontalPodAutoscaler,
  'HorizontalPodAutoscaler',
  AutoscalingV2HorizontalPodAutoscalerSpec
>;

/** An object that makes Pods, by its controller. */
export type Workload =
  | StoredCronJob
  | StoredDaemonSet
  | StoredDeployment
  | StoredJob
  | StoredReplicaSet
  | StoredReplicationController
  | StoredStatefulSet;

const WORKLOAD_KINDS: ReadonlySet<string> = new Set<Workload['kind']>([
  'CronJob',
  'DaemonSet',
  'Deployment',
  'Job',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
]);

export function isWorkload(object: { readonly kind: string }): object is Workload {
  return WORKLOAD_KINDS.has(object.kind);
}

/** An object that a controller looks after. */
export type Controlled = Workload | StoredService;

export function hasController(object: { readonly kind: string }): object is Controlled {
  return isWorkload(object) || object.kind === 'Service';
}
