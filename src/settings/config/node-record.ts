import {
  type ContainerImage,
  DEFAULT_NAMESPACE,
  formatTime,
  type KubeObject,
  type Node,
  NODE_LEASES,
  PodrunError,
  type Quantity,
  type StoredKubeObject,
  type Taint,
} from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import {
  CORDON,
  type NodeFacts,
  type NodePressure,
  pressureIn,
  reportedPressure,
  withHeartbeat,
  withShutdown,
} from '../../lifecycle/index.ts';
import { diskFolder, type FileStore, type ObjectReader, type Store } from '../../store/index.ts';

/**
 * The store's record of the node: labels, annotations and taints that users give it, whether it is cordoned, and what
 * it lacks. All else about it is this machine. Before one of these happens, there is no record.
 */
export type NodeRecord = Node & StoredKubeObject;

export function nodeRecord(store: ObjectReader, nodeName: string): NodeRecord | undefined {
  return store.get<NodeRecord>('nodes', DEFAULT_NAMESPACE, nodeName);
}

/** The annotation of Nodes that take the place of this machine's. */
const DECLARED = 'podrun.dev/declared';
/** The annotation of Nodes that have a kubelet of podrun: a Node that a client creates has none, as in a cluster. */
const KUBELET = 'podrun.dev/kubelet';

export function isDeclared({ metadata }: Pick<NodeRecord, 'metadata'>): boolean {
  return metadata.annotations?.[DECLARED] !== undefined;
}

/** True where declared nodes take the place of this machine's node. */
export function hasDeclaredNodes(store: ObjectReader): boolean {
  return store.list<NodeRecord>('nodes').some(isDeclared);
}

/** True where Pods may be on more than one node. */
export function hasSeveralNodes(store: ObjectReader): boolean {
  return store.list<NodeRecord>('nodes').length > 1;
}

/** True for a stored Node that a kubelet of podrun stands for, beside the one of this machine. */
export function hasKubelet(node: Pick<NodeRecord, 'metadata'>): boolean {
  return kubeletState(node) !== undefined;
}

/**
 * The state of the kubelet of a node. silent: its Pods run, and it neither hears nor tells anything. crashed: the node
 * is off. shutdown: it ends its Pods, and then it is off.
 */
export type KubeletState = (typeof KUBELET_STATES)[number];
const KUBELET_STATES = ['running', 'silent', 'crashed', 'shutdown'] as const;

/** Undefined: no kubelet of podrun stands for this Node. */
export function kubeletState({ metadata }: Pick<NodeRecord, 'metadata'>): KubeletState | undefined {
  return KUBELET_STATES.find((state) => state === metadata.annotations?.[KUBELET]);
}

/**
 * The number of crashes of a node. A reader who comes late may see a node running that has crashed and started
 * meanwhile: changes of an object in quick succession are reported as one.
 */
export function crashCount({ metadata }: Pick<NodeRecord, 'metadata'>): number {
  return Number(metadata.annotations?.[CRASHES] ?? 0);
}

const CRASHES = 'podrun.dev/crashes';

/** The time that a node that shuts down gives its Pods, in seconds. */
const SHUTDOWN_SECONDS = 30;
const SHUTDOWN_GRACE = 'podrun.dev/shutdown-seconds';

export function shutdownSeconds({ metadata }: Pick<NodeRecord, 'metadata'>): number {
  return Number(metadata.annotations?.[SHUTDOWN_GRACE] ?? SHUTDOWN_SECONDS);
}

/**
 * Tells the kubelet of a node what to do.
 * @param graceSeconds for `shutdown`: the time for its Pods
 * @throws {PodrunError} when the store cannot be written to
 */
export function setKubeletState(store: Store, nodeName: string, state: KubeletState, graceSeconds?: number): void {
  change(store, nodeName, 'object', ({ metadata, ...node }) => {
    const { [SHUTDOWN_GRACE]: _, ...annotations } = metadata.annotations ?? {};
    const grace = graceSeconds === undefined ? {} : { [SHUTDOWN_GRACE]: String(graceSeconds) };
    const crashes = crashCount({ metadata }) + (state === 'crashed' ? 1 : 0);
    const changed = { ...annotations, ...grace, [KUBELET]: state, ...(crashes > 0 && { [CRASHES]: String(crashes) }) };
    return { ...node, metadata: { ...metadata, annotations: changed } };
  });
}

/** Reports that the node shuts down, and takes no Pods any more. */
export function reportShutdown(store: Store, clock: Clock, nodeName: string): void {
  change(store, nodeName, 'status', (node) => {
    const conditions = withShutdown(node.status?.conditions ?? [], clock.now().wallMs);
    return { ...node, status: { ...node.status, conditions } };
  });
}

/** The annotation of Nodes with a disk of their own. */
const HOST_PATH = 'podrun.dev/host-path';
const OWN_DISK = 'own';

/** The folder that is the disk of a node. Undefined: it has the disk of the machine. */
export function diskOf({ root }: Pick<Store, 'root'>, { metadata }: Pick<NodeRecord, 'metadata'>): string | undefined {
  if (root === undefined || metadata.annotations?.[HOST_PATH] !== OWN_DISK) return undefined;
  return diskFolder(root, metadata.name);
}

/** The annotations of a declared Node. */
const OF_DECLARED_NODE: Readonly<Record<string, string>> = { [DECLARED]: 'true', [KUBELET]: 'running' };

/** A node that a user declares, in place of this machine. It has the resources of this machine where none are given. */
export interface DeclaredNode {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** True: the node takes no new Pods. */
  readonly unschedulable?: boolean;
  readonly capacity?: Readonly<Record<string, Quantity>>;
  /** Default: the capacity. */
  readonly allocatable?: Readonly<Record<string, Quantity>>;
  /** own: each hostPath is in a folder of the node. Default: it is a path of the machine. */
  readonly hostPath?: 'own';
  /** The images that the node has at first. */
  readonly images?: readonly ContainerImage[];
}

/**
 * Stores the declared nodes of a run, and removes the nodes of earlier runs. Beside a run of another process, nothing
 * changes.
 * @throws {PodrunError} Conflict: another process runs Pods on other nodes
 */
export function declareNodes(store: FileStore, nodes: readonly DeclaredNode[]): void {
  const before = store.list<NodeRecord>('nodes').filter(isDeclared);
  const names = new Set(nodes.map(({ name }) => name));
  const surplus = before.filter(({ metadata }) => !names.has(metadata.name));
  const isSame = surplus.length === 0 && names.size === before.length;
  if (isSame || (nodes.length === 0 && store.areOthers)) return;
  if (store.areOthers) {
    const present = before.map(({ metadata }) => metadata.name).join(', ') || 'this machine';
    throw new PodrunError('Conflict', `another podrun runs Pods in this state folder, on ${present}`, {
      hint: 'Choose the same nodes, leave them out to use those, or choose another folder with --state-dir.',
    });
  }
  for (const { metadata } of surplus) removeNode(store, metadata.name);
  for (const node of nodes) declareNode(store, node);
}

/** Removes a declared node, and the Lease that it owns. */
function removeNode(store: FileStore, name: string): void {
  store.delete('nodes', DEFAULT_NAMESPACE, name);
  if (store.get('leases', NODE_LEASES, name) !== undefined) store.delete('leases', NODE_LEASES, name);
}

/** Adds a node with a kubelet. */
export function addNode(store: FileStore, name: string): void {
  store.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name, annotations: { [KUBELET]: 'running' } } });
}

/** Stores a declared node. */
export function declareNode(store: Store, { name, labels, annotations, taints = [], ...node }: DeclaredNode): void {
  const { unschedulable = false, capacity, allocatable, images, hostPath } = node;
  const cordon = unschedulable ? [{ ...CORDON, timeAdded: formatTime(store.clock.now().wallMs) }] : [];
  const own = [...taints, ...cordon];
  change(store, name, 'object', ({ metadata, spec, ...stored }) => ({
    ...stored,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...labels },
      annotations: {
        ...metadata.annotations,
        ...annotations,
        ...(hostPath && { [HOST_PATH]: hostPath }),
        ...OF_DECLARED_NODE,
      },
    },
    spec: {
      ...spec,
      ...(unschedulable && { unschedulable }),
      ...(own.length > 0 && { taints: [...own, ...(spec?.taints ?? []).filter((one) => !hasKey(own, one))] }),
    },
  }));
  const given = Object.entries({ capacity, allocatable, images }).filter(([, value]) => value !== undefined);
  if (given.length === 0) return;
  change(store, name, 'status', ({ status, ...stored }) => ({
    ...stored,
    status: { ...status, ...Object.fromEntries(given) },
  }));
}

function hasKey(taints: readonly Taint[], { key, effect }: Taint): boolean {
  return taints.some((other) => other.key === key && other.effect === effect);
}

/** True for a node that takes no new Pods. */
function isCordoned(store: ObjectReader, nodeName: string): boolean {
  return nodeRecord(store, nodeName)?.spec?.unschedulable === true;
}

/** Lets the node take new Pods, or not. Returns false when nothing changes. */
export function setCordoned(store: FileStore, clock: Clock, nodeName: string, wanted: boolean): boolean {
  if (isCordoned(store, nodeName) === wanted) return false;
  const added = wanted ? [{ ...CORDON, timeAdded: formatTime(clock.now().wallMs) }] : [];
  change(store, nodeName, 'object', (node) => {
    const taints = [...userTaints(node), ...added];
    const { unschedulable: _, taints: __, ...spec } = node.spec ?? {};
    return { ...node, spec: { ...spec, ...(wanted && { unschedulable: true }), ...(taints.length > 0 && { taints }) } };
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

/** Reports the address at which Pods reach the node. */
export function reportAddress(store: Store, nodeName: string, address: string): void {
  const [known] = nodeRecord(store, nodeName)?.status?.addresses ?? [];
  if (known?.address === address) return;
  const addresses = [{ type: 'InternalIP', address }];
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
