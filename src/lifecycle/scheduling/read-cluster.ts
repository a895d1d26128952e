import {
  controllerOf,
  isTerminalPhase,
  type KubeObject,
  type LabelSelector,
  matchesSelector,
  type Node,
  type PodDisruptionBudget,
  type ResourceDeviceClass,
  type ResourceResourceClaim,
  type ResourceResourceSlice,
  type StorageCSINode,
  type StorageStorageClass,
  type StoredClaim,
  type StoredPod,
  type StoredVolume,
} from '../../api/index.ts';
import { type SchedulingNode, type Snapshot, snapshotOf } from './base/snapshot.ts';

/**
 * The controllers whose Pods are spread. Jobs and DaemonSets are not among them. A Deployment owns Pods that do not
 * exist yet.
 */
const GROUP_KINDS = new Set(['ReplicationController', 'ReplicaSet', 'StatefulSet', 'Deployment']);

/**
 * Shows these objects as the scheduler sees them. Pods that have ended are left out; each Pod has a status.
 * @param more nodes without an object
 */
export function readCluster(objects: readonly KubeObject[], more: readonly SchedulingNode[] = []): Snapshot {
  const ofKind = <T>(kind: string): T[] => objects.filter((object) => object.kind === kind) as T[];
  const named = <T extends { metadata?: KubeObject['metadata'] | undefined }>(kind: string) => {
    const byName = new Map(ofKind<T>(kind).map((object) => [keyOf(object.metadata), object]));
    return (name: string, namespace?: string): T | undefined => byName.get(keyOf({ name, namespace }));
  };
  const pods = ofKind<StoredPod>('Pod').filter(({ status }) => !isTerminalPhase(status.phase));
  const limits = named<StorageCSINode>('CSINode');
  const ownNodes = ofKind<Node>('Node').map((node) => schedulingNode(node, limits(node.metadata?.name ?? '')));
  const nodes = [...ownNodes, ...more];
  const [claim, deviceClaim] = [
    named<StoredClaim>('PersistentVolumeClaim'),
    named<ResourceResourceClaim>('ResourceClaim'),
  ];
  const namespaces = named('Namespace');
  return snapshotOf(
    nodes.map((node) => ({ node, pods: pods.filter(({ spec }) => spec.nodeName === node.name) })),
    {
      nominated: pods.filter(({ spec, status }) => !spec.nodeName && status.nominatedNodeName !== undefined),
      namespaceLabels: (namespace) => namespaces(namespace)?.metadata?.labels ?? {},
      budgets: () => ofKind<PodDisruptionBudget>('PodDisruptionBudget'),
      groupsOf: (pod) => {
        const siblings = objects.filter(({ metadata }) => (metadata.namespace ?? '') === pod.metadata.namespace);
        const services = siblings.filter(({ kind }) => kind === 'Service');
        return spreadGroups(pod, services, (kind, name) =>
          siblings.find((object) => object.kind === kind && object.metadata.name === name),
        );
      },
      claim: (namespace, name) => claim(name, namespace),
      volume: named<StoredVolume>('PersistentVolume'),
      volumes: () => ofKind<StoredVolume>('PersistentVolume'),
      storageClass: named<StorageStorageClass>('StorageClass'),
      deviceClaim: (namespace, name) => deviceClaim(name, namespace),
      deviceClass: named<ResourceDeviceClass>('DeviceClass'),
      devices: ofKind<ResourceResourceSlice>('ResourceSlice'),
      heldDevices: heldDevices(ofKind<ResourceResourceClaim>('ResourceClaim')),
    },
  );
}

function keyOf({ namespace, name }: { namespace?: string | undefined; name?: string | undefined } = {}): string {
  return `${namespace ?? ''}/${name ?? ''}`;
}

/** The size of each image of a node, in bytes, by name. */
export function imageSizes({ images = [] }: NonNullable<Node['status']> = {}): ReadonlyMap<string, number> {
  return new Map(images.flatMap(({ names = [], sizeBytes = 0 }) => names.map((name) => [name, sizeBytes] as const)));
}

/** A Node object, as the scheduler sees it. */
function schedulingNode({ metadata, spec, status }: Node, limits?: StorageCSINode): SchedulingNode {
  const name = metadata?.name ?? '';
  const addresses = (status?.addresses ?? []).filter(({ type }) => type === 'InternalIP');
  const [first = '', ...more] = addresses.map(({ address }) => address);
  return {
    name,
    labels: metadata?.labels ?? {},
    taints: spec?.taints ?? [],
    isCordoned: spec?.unschedulable === true,
    allocatable: status?.allocatable ?? status?.capacity ?? {},
    hostIPs: [first, ...more],
    images: imageSizes(status),
    declaredFeatures: status?.declaredFeatures ?? [],
    volumeLimits: new Map(
      (limits?.spec.drivers ?? []).flatMap((driver) =>
        driver.allocatable?.count === undefined ? [] : [[driver.name, driver.allocatable.count] as const],
      ),
    ),
  };
}

/**
 * The selectors of the Services and of the controller to which a Pod belongs.
 * Source: pkg/scheduler/framework/plugins/helper/spread.go DefaultSelector.
 * @param services the Services of its namespace
 * @param controllerNamed finds the controller of a Pod
 */
export function spreadGroups(
  pod: StoredPod,
  services: readonly KubeObject[],
  controllerNamed: (kind: string, name: string) => KubeObject | undefined,
): LabelSelector[] {
  const { labels } = pod.metadata;
  const ofServices = services.flatMap(({ spec }) => {
    const { selector } = spec as { selector?: Record<string, string> };
    const isGroup = selector !== undefined && matchesSelector({ matchLabels: selector }, labels);
    return isGroup ? [{ matchLabels: selector }] : [];
  });
  const owner = controllerOf(pod);
  if (owner === undefined || !GROUP_KINDS.has(owner.kind)) return ofServices;
  const controller = controllerNamed(owner.kind, owner.name);
  const { selector } = (controller?.['spec'] ?? {}) as { selector?: LabelSelector | Record<string, string> };
  if (selector === undefined) return ofServices;
  const own = owner.kind === 'ReplicationController' ? { matchLabels: selector as Record<string, string> } : selector;
  return [...ofServices, own];
}

function heldDevices(claims: readonly ResourceResourceClaim[]): Set<string> {
  const results = claims.flatMap(({ status }) => status?.allocation?.devices?.results ?? []);
  return new Set(results.map(({ driver, pool, device }) => `${driver}/${pool}/${device}`));
}
