import type {
  ConfigMap,
  Container,
  ContainerStatus,
  Event,
  ObjectMeta,
  OwnerReference,
  Pod,
  PodSpec,
  PodStatus,
  Secret,
  Service,
} from '../generated/types.ts';

/** The namespace of objects that name none. */
export const DEFAULT_NAMESPACE = 'default';

/** The namespace of the Leases that kubelets renew. */
export const NODE_LEASES = 'kube-node-lease';

/** The domain of the names of Services and Pods. Source: the flag --cluster-domain of the kubelet. */
export const CLUSTER_DOMAIN = 'cluster.local';

/** Any Kubernetes object: the fields of all kinds. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** The metadata of a stored object. These fields are always present. */
export interface StoredMeta extends ObjectMeta {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
}

/** Any stored object. */
export interface StoredKubeObject extends KubeObject {
  metadata: StoredMeta;
}

/** A stored Pod: defaulted and valid, with a status. */
export interface StoredPod extends Pod {
  apiVersion: 'v1';
  kind: 'Pod';
  metadata: StoredMeta;
  spec: PodSpec;
  status: PodStatus;
}

export interface StoredEvent extends Event {
  apiVersion: 'v1';
  kind: 'Event';
  metadata: StoredMeta;
}

export type StoredConfigMap = ConfigMap & { metadata: StoredMeta };
export type StoredSecret = Secret & { metadata: StoredMeta };
export type StoredService = Omit<Service, 'apiVersion' | 'kind' | 'metadata'> & {
  apiVersion: string;
  kind: 'Service';
  metadata: StoredMeta;
};

/** One line of a watch, as Kubernetes streams it. */
export interface WatchEvent<T = KubeObject> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: T;
}

/**
 * True for a restartable init container: it starts in order, the next container does not wait for its end, and it stops
 * last (KEP-753).
 */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

/** The sidecars of a Pod, in the order of the spec. */
export function sidecarsOf(spec: PodSpec): Container[] {
  return (spec.initContainers ?? []).filter(isSidecar);
}

/** All containers of a Pod: init, regular, ephemeral. */
export function allContainers({ initContainers = [], containers, ephemeralContainers = [] }: PodSpec): Container[] {
  return [...initContainers, ...containers, ...ephemeralContainers];
}

/** The statuses of all containers of a Pod: init, regular, ephemeral. */
export function allContainerStatuses(status: PodStatus): ContainerStatus[] {
  return [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
}

/** The reference of the controller of an object. An object has one at most. */
export function controllerOf({ metadata }: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** The kubelet's name of a Pod in messages: `name_namespace(uid)`. Source: pkg/kubelet/util/format/pod.go. */
export function podFullName(metadata: Pick<StoredMeta, 'name' | 'namespace' | 'uid'>): string {
  return `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
}

/** The annotation of a static Pod's object with the hash of its file. Source: pkg/kubelet/types/pod_update.go. */
export const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** True for the object of a static Pod. */
export function isMirrorPod({ metadata }: { readonly metadata: ObjectMeta }): boolean {
  return metadata.annotations?.[MIRROR_ANNOTATION] !== undefined;
}

/**
 * The uid under which the node runs a Pod: its own uid, and for a mirror Pod the uid of the static Pod, which stays
 * when the mirror Pod is deleted and made anew. Source: pkg/kubelet/types/types.go, ResolvedPodUID.
 */
export function resolvedUid({ metadata }: { readonly metadata: Pick<StoredMeta, 'annotations' | 'uid'> }): string {
  return metadata.annotations?.[MIRROR_ANNOTATION] ?? metadata.uid;
}

export type TerminalPhase = 'Failed' | 'Succeeded';

/** The reason of a Pod whose agent does not respond. Source: pkg/controller/nodelifecycle, the condition of a node. */
export const NODE_STATUS_UNKNOWN = 'NodeStatusUnknown';

/** True when the agent of the Pod does not respond. The agent may come back. */
export function isUnreachable({ reason }: PodStatus): boolean {
  return reason === NODE_STATUS_UNKNOWN;
}

/** True when the agent of the Pod is gone: no agent runs the Pod, and its state is unknown. */
export function isLost(status: PodStatus): boolean {
  return status.phase === 'Unknown' && !isUnreachable(status);
}

/** True when the Pod has ended for good. */
export function isTerminalPhase(phase: string | undefined): phase is TerminalPhase {
  return phase === 'Succeeded' || phase === 'Failed';
}

/**
 * The condition PodScheduled of a Pod with scheduling gates. The API server sets it when the Pod is created, and the
 * scheduler keeps it. Source: pkg/registry/core/pod/strategy.go applySchedulingGatedCondition.
 */
export const SCHEDULING_GATED = {
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
} as const;

/** The fields of every object of Kubernetes. */
export const OBJECT_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
