import { release } from 'node:os';
import { nodeRecord, readNode } from '../../settings/index.ts';
import { formatTime, type NodeCondition, type NodeSpec, type NodeStatus, type Taint } from '../../api/index.ts';
import { NODE_READY, PRESSURE_TAINTS, pressureIn, shownPressure, SUFFICIENT_PID } from '../../lifecycle/index.ts';
import { readQuietly } from '../../quietly.ts';
import { KUBERNETES_VERSION, version } from '../../version.ts';
import type { ObjectReader } from '../../store/index.ts';

interface NodeFields {
  readonly name: string;
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
  const healthy = { lastHeartbeatTime: formatTime(nowMs), lastTransitionTime: since };
  const taints = [...(spec?.taints ?? []), ...taintsOf(pressure)];
  return {
    name,
    labels: { ...labels, ...metadata?.labels },
    annotations: metadata?.annotations,
    spec: { ...(spec?.unschedulable && { unschedulable: true }), ...(taints.length > 0 && { taints }) },
    status: {
      addresses: [...hostIPs.map((address) => ({ type: 'InternalIP', address })), { type: 'Hostname', address: name }],
      allocatable,
      capacity: allocatable,
      conditions: [
        ...pressure,
        { type: 'PIDPressure', status: 'False', ...healthy, ...SUFFICIENT_PID },
        { type: 'Ready', status: 'True', ...healthy, ...NODE_READY },
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
