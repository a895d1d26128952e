import { release } from 'node:os';
import { nodeRecord, readNode } from '../../settings/index.ts';
import {
  type KubeObject,
  type NodeCondition,
  type NodeSpec,
  type NodeStatus,
  type StoredKubeObject,
  type Taint,
} from '../../api/index.ts';
import {
  isExtendedResource,
  NODE_READY,
  PRESSURE_TAINTS,
  pressureIn,
  shownHeartbeat,
  shownPressure,
  SUFFICIENT_PID,
} from '../../lifecycle/index.ts';
import { readQuietly } from '../../quietly.ts';
import { KUBERNETES_VERSION, version } from '../../version.ts';
import type { ObjectReader, Store } from '../../store/index.ts';

interface NodeFields {
  readonly name: string;
  /** Undefined: the store has no record of the node. */
  readonly uid: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly spec: NodeSpec;
  readonly status: NodeStatus;
}

/**
 * The fields of the node object: what this machine is, and what the store has about it: labels, annotations, taints and
 * the cordon. It has no labels or taints of podrun.yaml: they belong to one `apply`.
 * @param since the time since which the node exists
 */
export function nodeFields(
  store: ObjectReader,
  { stateDir, nowMs, since }: { readonly stateDir: string; readonly nowMs: number; readonly since: string },
): NodeFields {
  const { name, labels, allocatable, hostIPs } = readNode({ storageDir: stateDir });
  const { metadata, spec, status } = nodeRecord(store, name) ?? {};
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
 * A change of the status of this machine's node: clients see all of it, and the store has what they add. The rest
 * is this machine's, as a kubelet writes it again. What a client gives to the node is allocatable as well. Source:
 * pkg/kubelet/nodestatus/setters.go, MachineInfo.
 */
export function nodeStatusChange(
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
