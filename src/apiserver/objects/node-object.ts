import { release } from 'node:os';
import { hasKubelet, type NodeRecord, nodeRecord, readNode } from '../../settings/index.ts';
import {
  type KubeObject,
  type NodeCondition,
  type NodeSpec,
  type NodeStatus,
  type Quantity,
  type StoredKubeObject,
  type Taint,
} from '../../api/index.ts';
import {
  isExtendedResource,
  NODE_READY,
  nodeInCluster,
  nodeOnMachine,
  type NodeFacts,
  nodePlace,
  PRESSURE_TAINTS,
  pressureIn,
  shownHeartbeat,
  shownPressure,
  SUFFICIENT_PID,
} from '../../lifecycle/index.ts';
import { readQuietly } from '../../quietly.ts';
import { KUBERNETES_VERSION, version } from '../../version.ts';
import { newUid, type ObjectReader, type Store } from '../../store/index.ts';

interface NodeFields {
  readonly name: string;
  /** Undefined: the store has no record of the node. */
  readonly uid: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly spec: NodeSpec;
  readonly status: NodeStatus;
}

interface NodeMoment {
  readonly stateDir: string;
  readonly nowMs: number;
  /** The time since which the node exists. */
  readonly since: string;
}

/**
 * The fields of the node object: what this machine is, and what the store has about it: labels, annotations, taints and
 * the cordon. It has no labels or taints of podrun.yaml: they belong to one `apply`.
 */
export function nodeFields(store: ObjectReader, moment: NodeMoment): NodeFields {
  const machine = readNode({ storageDir: moment.stateDir });
  return fieldsOf(machine, nodeRecord(store, machine.name), moment);
}

/**
 * The Node that the kubelet of a declared node registers.
 * @param others the other Nodes: each has an address of its own on machines that have many
 * @param isInCluster true when its Pods are in a cluster network, where the node has an address, too
 */
export function registeredByKubelet(
  record: NodeRecord,
  others: readonly NodeRecord[],
  isInCluster: boolean,
  moment: NodeMoment,
): Pick<NodeFields, 'labels' | 'spec' | 'status'> {
  const { name, uid } = record.metadata;
  const machine = readNode({ storageDir: moment.stateDir });
  const { address, podCIDR } = freePlace(others);
  const hostIPs = [process.platform === 'linux' ? address : machine.hostIPs[0]] as const;
  const labels = { ...machine.labels, 'kubernetes.io/hostname': name };
  const { status, ...fields } = fieldsOf({ ...machine, name, labels, hostIPs }, record, moment);
  return {
    labels: fields.labels,
    spec: { ...record.spec, podCIDR, podCIDRs: [podCIDR] },
    status: {
      ...status,
      addresses: nodeAddresses(status.addresses ?? [], isInCluster),
      allocatable: { ...status.allocatable, ...record.status?.allocatable },
      ...(record.status?.images && { images: record.status.images }),
      nodeInfo: { ...status.nodeInfo, machineID: uid.replaceAll('-', ''), systemUUID: uid, bootID: newUid() },
    } as NodeStatus,
  };
}

/**
 * The addresses of a declared node: where its Pods are in a cluster network, they reach it at the internal one, and
 * this machine at the external one.
 */
export function nodeAddresses(
  addresses: NonNullable<NodeStatus['addresses']>,
  isInCluster: boolean,
): NonNullable<NodeStatus['addresses']> {
  return addresses.flatMap(({ type, address }) => {
    if (type === 'ExternalIP') return [];
    if (type !== 'InternalIP') return [{ type, address }];
    const onMachine = nodeOnMachine(address);
    const inCluster = nodeInCluster(onMachine);
    if (!isInCluster || inCluster === onMachine) return [{ type, address: onMachine }];
    return [
      { type, address: inCluster },
      { type: 'ExternalIP', address: onMachine },
    ];
  });
}

function freePlace(others: readonly NodeRecord[]): ReturnType<typeof nodePlace> {
  const taken = new Set(others.map(({ spec }) => spec?.podCIDR));
  let number = 1;
  while (taken.has(nodePlace(number).podCIDR) && number <= others.length) number += 1;
  return nodePlace(number);
}

function fieldsOf(
  { name, labels, allocatable, hostIPs }: NodeFacts,
  record: NodeRecord | undefined,
  { nowMs, since }: NodeMoment,
): NodeFields {
  const { metadata, spec, status } = record ?? {};
  const pressure = shownPressure(status?.conditions ?? [], since, nowMs);
  const amounts = { ...allocatable, ...status?.capacity };
  const healthy = { lastHeartbeatTime: shownHeartbeat(status?.conditions ?? [], nowMs), lastTransitionTime: since };
  const taints = [...(spec?.taints ?? []), ...taintsOf(pressure)];
  return {
    name,
    uid: metadata?.uid,
    labels: { ...labels, ...metadata?.labels },
    annotations: metadata?.annotations,
    spec: { ...(spec?.unschedulable && { unschedulable: true }), ...(taints.length > 0 && { taints }) },
    status: {
      addresses: [
        ...(status?.addresses ?? hostIPs.map((address) => ({ type: 'InternalIP', address }))),
        { type: 'Hostname', address: name },
      ],
      allocatable: amounts,
      capacity: amounts,
      conditions: [
        ...pressure,
        { type: 'PIDPressure', status: 'False', ...healthy, ...SUFFICIENT_PID },
        { type: 'Ready', status: 'True', ...healthy, ...NODE_READY },
        ...(status?.conditions ?? []).filter(isOfOthers),
      ],
      nodeInfo: {
        architecture: labels['kubernetes.io/arch'] ?? '',
        containerRuntimeVersion: `podrun://${version}`,
        kernelVersion: release(),
        kubeletVersion: KUBERNETES_VERSION,
        kubeProxyVersion: '',
        operatingSystem: labels['kubernetes.io/os'] ?? '',
        osImage: osImage(),
        ...machineIds(),
      },
    },
  };
}

/**
 * A change of the status of a Node. What a client gives to a node is allocatable as well, as its kubelet writes it.
 * Source: pkg/kubelet/nodestatus/setters.go, MachineInfo.
 */
export function nodeStatusChange(
  store: Store,
  change: (stored: StoredKubeObject) => KubeObject,
): (stored: StoredKubeObject) => KubeObject {
  const machine = machineStatusChange(store, change);
  return (stored) => {
    if (stored.metadata.name === readNode({ storageDir: '/' }).name) return machine(stored);
    const changed = change(stored);
    return hasKubelet(stored) ? withGivenResources(changed) : changed;
  };
}

function withGivenResources(node: KubeObject): KubeObject {
  const { status = {} } = node as { readonly status?: NodeStatus };
  const of = (amounts: NodeStatus['capacity'] = {}, isGiven: boolean): [string, Quantity][] =>
    Object.entries(amounts).filter(([name]) => isExtendedResource(name) === isGiven);
  const allocatable = Object.fromEntries([...of(status.allocatable, false), ...of(status.capacity, true)]);
  return { ...node, status: { ...status, allocatable } };
}

/**
 * A change of the status of this machine's node: clients see all of it, and the store has what they add. The rest
 * is this machine's, as a kubelet writes it again.
 */
function machineStatusChange(
  store: Store,
  change: (stored: StoredKubeObject) => KubeObject,
): (stored: StoredKubeObject) => KubeObject {
  return (stored) => {
    const { root: stateDir = '/', clock } = store;
    const since = stored.metadata.creationTimestamp;
    const { status } = nodeFields(store, { stateDir, nowMs: clock.now().wallMs, since });
    const changed = change({ ...stored, status });
    return { ...changed, status: recordedStatus(changed['status'] as NodeStatus, stored['status'] as NodeStatus) };
  };
}

/** The resources and conditions that other programs have added, beside what the agent has reported. */
function recordedStatus({ capacity = {}, conditions = [] }: NodeStatus = {}, stored: NodeStatus = {}): NodeStatus {
  const given = Object.entries(capacity).filter(([name]) => isExtendedResource(name));
  const reported = (stored.conditions ?? []).filter((condition) => !isOfOthers(condition));
  return {
    ...stored,
    capacity: given.length === 0 ? undefined : Object.fromEntries(given),
    conditions: [...reported, ...conditions.filter(isOfOthers)],
  };
}

const OWN_CONDITIONS: ReadonlySet<string> = new Set([...Object.keys(PRESSURE_TAINTS), 'PIDPressure', 'Ready']);

function isOfOthers({ type }: NodeCondition): boolean {
  return !OWN_CONDITIONS.has(type);
}

/** The taints that the node controller gives to a node under pressure. */
function taintsOf(conditions: readonly NodeCondition[]): Taint[] {
  const lacked = pressureIn(conditions);
  return lacked.map((type) => ({
    key: PRESSURE_TAINTS[type],
    effect: 'NoSchedule',
    timeAdded: conditions.find((condition) => condition.type === type)?.lastTransitionTime,
  }));
}

/** The name of the operating system, from os-release(5). */
function osImage(): string {
  return /^PRETTY_NAME="?([^"\n]*)/m.exec(readQuietly('/etc/os-release'))?.[1] ?? process.platform;
}

/** The ids of the machine. Empty where there are none; only root can read the UUID of the hardware. */
function machineIds(): { readonly machineID: string; readonly systemUUID: string; readonly bootID: string } {
  const machineID = readQuietly('/etc/machine-id').trim();
  return {
    machineID,
    systemUUID: readQuietly('/sys/class/dmi/id/product_uuid').trim() || machineID,
    bootID: readQuietly('/proc/sys/kernel/random/boot_id').trim(),
  };
}
