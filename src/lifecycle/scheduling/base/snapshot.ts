import type {
  LabelSelector,
  PodDisruptionBudget,
  ResourceDevice,
  ResourceDeviceClass,
  ResourceResourceClaim,
  ResourceResourceSlice,
  StorageStorageClass,
  StoredClaim,
  StoredPod,
  StoredVolume,
} from '../../../api/index.ts';
import type { NodeFacts } from '../../base/node-facts.ts';

type Labels = Readonly<Record<string, string>>;

/** A node, as the scheduler sees it. */
export interface SchedulingNode extends NodeFacts {
  /** Features of the kubelet that Pods may need. Source: KEP-5328. */
  readonly declaredFeatures?: readonly string[];
  /** The number of volumes that the node takes of a CSI driver. A driver without a limit is absent. */
  readonly volumeLimits?: ReadonlyMap<string, number>;
}

/** A node and the Pods that hold room there. */
export interface NodeState {
  readonly node: SchedulingNode;
  /** Pods with the node's name that have not ended. */
  readonly pods: readonly StoredPod[];
}

/** All that the scheduler knows beside the Pod that it places. The objects are read, never changed. */
export interface Snapshot {
  readonly nodes: readonly NodeState[];
  /** Pods without a node that wait for preempted Pods of the node in `status.nominatedNodeName`. */
  readonly nominated: readonly StoredPod[];
  /** The labels of a namespace. One that is not known has none. */
  readonly namespaceLabels: (namespace: string) => Labels;
  readonly budgets: () => readonly PodDisruptionBudget[];
  /**
   * The selectors of the Services and of the controller to which a Pod belongs. Pods without constraints of their own
   * are spread by them.
   */
  readonly groupsOf: (pod: StoredPod) => readonly LabelSelector[];
  readonly claim: (namespace: string, name: string) => StoredClaim | undefined;
  readonly volume: (name: string) => StoredVolume | undefined;
  /** The volumes that a claim may take. */
  readonly volumes: () => readonly StoredVolume[];
  readonly storageClass: (name: string) => StorageStorageClass | undefined;
  readonly deviceClaim: (namespace: string, name: string) => ResourceResourceClaim | undefined;
  readonly deviceClass: (name: string) => ResourceDeviceClass | undefined;
  readonly devices: readonly ResourceResourceSlice[];
  /** The devices that claims hold, as `driver/pool/device`. */
  readonly heldDevices: ReadonlySet<string>;
  /** True when the CEL expression of a device class or request selects the device. */
  readonly selectsDevice: (expression: string, driver: string, device: ResourceDevice) => boolean;
}

const NOTHING: Omit<Snapshot, 'nodes'> = {
  nominated: [],
  namespaceLabels: () => ({}),
  budgets: () => [],
  groupsOf: () => [],
  claim: () => undefined,
  volume: () => undefined,
  volumes: () => [],
  storageClass: () => undefined,
  deviceClaim: () => undefined,
  deviceClass: () => undefined,
  devices: [],
  heldDevices: new Set(),
  selectsDevice: () => false,
};

/** A snapshot of nodes. What is not given is not there. */
export function snapshotOf(nodes: readonly NodeState[], rest: Partial<Snapshot> = {}): Snapshot {
  return { ...NOTHING, ...rest, nodes };
}

/** The same cluster, were these the Pods of the node. */
export function withPods(snapshot: Snapshot, nodeName: string, pods: readonly StoredPod[]): Snapshot {
  const nodes = snapshot.nodes.map((state) => (state.node.name === nodeName ? { ...state, pods } : state));
  return { ...snapshot, nodes };
}

/** The state of the node of this name. */
export function stateOf(snapshot: Snapshot, nodeName: string): NodeState | undefined {
  return snapshot.nodes.find(({ node }) => node.name === nodeName);
}
