import type {
  ConfigMap,
  Container,
  ContainerStatus,
  Event,
  ObjectMeta,
  Pod,
  PodSpec,
  PodStatus,
  Secret,
  Service,
} from './generated/types.ts';

/** Where objects are that name no namespace. */
export const DEFAULT_NAMESPACE = 'default';

/** Any Kubernetes object: what all kinds have in common. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Metadata of an object that a store holds: these fields are always there. */
export interface StoredMeta extends ObjectMeta {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
}

/** Any object that a store holds. */
export interface StoredKubeObject extends KubeObject {
  metadata: StoredMeta;
}

/** A Pod as the store holds it: defaulted, valid, with a status. */
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
export type StoredService = Service & { metadata: StoredMeta };

/** One line of a watch, as Kubernetes streams it. */
export interface WatchEvent<T = KubeObject> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: T;
}

/** A restartable init container: started in order, never waited for to end, stopped last (KEP-753). */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

/** Sidecars of a Pod, in the order of the spec. */
export function sidecarsOf(spec: PodSpec): Container[] {
  return (spec.initContainers ?? []).filter(isSidecar);
}

/** All containers of a Pod: init, regular, ephemeral. */
export function allContainers({ initContainers = [], containers, ephemeralContainers = [] }: PodSpec): Container[] {
  return [...initContainers, ...containers, ...ephemeralContainers];
}

/** Statuses of all containers of a Pod: init, regular, ephemeral. */
export function allContainerStatuses(status: PodStatus): ContainerStatus[] {
  return [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
}

/** `name_namespace(uid)`, the way kubelet names a Pod in messages. Source: pkg/kubelet/util/format/pod.go. */
export function podFullName(metadata: Pick<StoredMeta, 'name' | 'namespace' | 'uid'>): string {
  return `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
}

export type TerminalPhase = 'Failed' | 'Succeeded';

/** The reason of a Pod whose agent does not move. Source: pkg/controller/nodelifecycle, of the condition of a node. */
export const NODE_STATUS_UNKNOWN = 'NodeStatusUnknown';

/** True when nobody can tell what the Pod does now: its agent is out of reach, and may come back. */
export function isUnreachable({ reason }: PodStatus): boolean {
  return reason === NODE_STATUS_UNKNOWN;
}

/** True when the agent of the Pod is gone: nobody runs it any more, and nobody knows what became of it. */
export function isLost(status: PodStatus): boolean {
  return status.phase === 'Unknown' && !isUnreachable(status);
}

/** Has the Pod ended for good? */
export function isTerminalPhase(phase: string | undefined): phase is TerminalPhase {
  return phase === 'Succeeded' || phase === 'Failed';
}
