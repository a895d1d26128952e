import {
  DEFAULT_NAMESPACE,
  formatTime,
  type KubeObject,
  type Node,
  type StoredKubeObject,
  type Taint,
} from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import {
  type NodeFacts,
  type NodePressure,
  pressureIn,
  reportedPressure,
  withHeartbeat,
} from '../../lifecycle/index.ts';
import type { FileStore, ObjectReader, Store } from '../../store/index.ts';

/**
 * The store's record of the node: labels, annotations and taints that users give it, whether it is cordoned, and what
 * it lacks. All else about it is this machine. Before one of these happens, there is no record.
 */
export type NodeRecord = Node & StoredKubeObject;

export function nodeRecord(store: ObjectReader, nodeName: string): NodeRecord | undefined {
  return store.get<NodeRecord>('nodes', DEFAULT_NAMESPACE, nodeName);
}

/** True for a node that takes no new Pods. */
function isCordoned(store: ObjectReader, nodeName: string): boolean {
  return nodeRecord(store, nodeName)?.spec?.unschedulable === true;
}

/** The taint of a cordoned node. Source: pkg/controller/nodelifecycle, doNoScheduleTaintingPass. */
const CORDON = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

/** Lets the node take new Pods, or not. Returns false when nothing changes. */
export function setCordoned(store: FileStore, clock: Clock, nodeName: string, wanted: boolean): boolean {
  if (isCordoned(store, nodeName) === wanted) return false;
  const added = wanted ? [{ ...CORDON, timeAdded: formatTime(clock.now().wallMs) }] : [];
  change(store, nodeName, 'object', (node) => {
    const taints = [...userTaints(node), ...added];
    return { ...node, spec: { ...(wanted && { unschedulable: true }), ...(taints.length > 0 && { taints }) } };
  });
  return true;
}

/** The taints of the node, without the taint of the cordon. */
export function userTaints(record: NodeRecord | undefined): readonly Taint[] {
  return (record?.spec?.taints ?? []).filter(({ key }) => key !== CORDON.key);
}

/** The record of the node. Makes it, with the labels of this machine, as a kubelet that registers its node. */
export function registeredNode(store: Store, { name, labels }: Pick<NodeFacts, 'name' | 'labels'>): NodeRecord {
  const stored = nodeRecord(store, name);
  if (stored?.metadata.labels !== undefined) return stored;
  return change(store, name, 'object', (node) => ({ ...node, metadata: { ...node.metadata, labels } }));
}

/**
 * Reports the address at which Pods reach the node.
 * @param address undefined: it is the machine's own, 127.0.0.1
 */
export function reportAddress(store: Store, nodeName: string, address: string | undefined): void {
  const [known] = nodeRecord(store, nodeName)?.status?.addresses ?? [];
  if (known?.address === address) return;
  const addresses = address === undefined ? undefined : [{ type: 'InternalIP', address }];
  change(store, nodeName, 'status', (node) => ({ ...node, status: { ...node.status, addresses } }));
}

/**
 * Reports what the node lacks. Returns the conditions that have changed.
 * @throws {PodrunError} when the store cannot be written to
 */
export function reportPressure(
  store: Store,
  clock: Clock,
  nodeName: string,
  pressure: readonly NodePressure[],
): NodePressure[] {
  const before = nodeRecord(store, nodeName)?.status?.conditions ?? [];
  const lacked = pressureIn(before);
  if (lacked.length > 0 || pressure.length > 0) {
    change(store, nodeName, 'status', (node) => {
      const conditions = reportedPressure(node.status?.conditions ?? [], pressure, clock.now().wallMs);
      return { ...node, status: { ...node.status, conditions } };
    });
  }
  return [...lacked.filter((type) => !pressure.includes(type)), ...pressure.filter((type) => !lacked.includes(type))];
}

/**
 * Reports that the node is alive and Ready.
 * @throws {PodrunError} when the store cannot be written to
 */
export function reportHeartbeat(store: Store, clock: Clock, nodeName: string): void {
  change(store, nodeName, 'status', (node) => {
    const since = node.metadata.creationTimestamp;
    const conditions = withHeartbeat(node.status?.conditions ?? [], since, clock.now().wallMs);
    return { ...node, status: { ...node.status, conditions } };
  });
}

function change(
  store: Store,
  nodeName: string,
  part: 'object' | 'status',
  edit: (node: NodeRecord) => NodeRecord,
): NodeRecord {
  const metadata: KubeObject['metadata'] = { name: nodeName };
  if (nodeRecord(store, nodeName) === undefined) store.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata });
  return store.change<NodeRecord>('nodes', { namespace: DEFAULT_NAMESPACE, name: nodeName }, part, edit);
}
