import {
  addQuantities,
  canonicalQuantity,
  compareText,
  effectiveResources,
  formatQuantity,
  isHugePages,
  isTerminalPhase,
  type Node,
  type NodeStatus,
  type NodeSystemInfo,
  type ParsedQuantity,
  type ParsedResources,
  parseQuantity,
  type PodSpec,
  quantityMilliValue,
  quantityValue,
  type StoredKubeObject,
  type StoredPod,
  type Taint,
  ZERO_QUANTITY,
} from '../../../api/index.ts';
import { ageSince, formatDate } from '../../base/age.ts';
import { sortedEntries } from '../../text/labels.ts';
import { nodeRoles } from '../../table/resource-columns.ts';
import { describeAnnotations, describeLabels, keyedLines, line, optional } from '../lines.ts';

type NodeObject = StoredKubeObject & Node;
type ResourceKind = 'requests' | 'limits';
type ResourceList = Readonly<Record<string, string>>;

/**
 * The lines of `describe` about a node, without its events.
 * @param pods the Pods of all namespaces; Pods on other nodes are left out
 * @param nowMs the current time for ages, milliseconds since 1970
 */
export function describeNode(node: NodeObject, pods: readonly StoredPod[], nowMs: number): string[] {
  const { metadata, spec = {}, status = {} } = node;
  const running = pods.filter((pod) => pod.spec.nodeName === metadata.name && !isTerminalPhase(pod.status.phase));
  const allocatable = status.allocatable ?? status.capacity ?? {};
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Roles:', nodeRoles(node)),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
    line(0, 'CreationTimestamp:', formatDate(metadata.creationTimestamp)),
    ...describeTaints(spec.taints),
    line(0, 'Unschedulable:', String(spec.unschedulable ?? false)),
    ...describeConditions(status),
    line(0, 'Addresses:'),
    ...(status.addresses ?? []).map(({ type, address }) => line(1, `${type}:`, address)),
    ...describeAmounts('Capacity', status.capacity),
    ...describeAmounts('Allocatable', status.allocatable),
    ...describeSystem(status.nodeInfo),
    ...optional('PodCIDR:', spec.podCIDR),
    ...optional('PodCIDRs:', spec.podCIDRs?.join(',')),
    ...optional('ProviderID:', spec.providerID),
    ...describePods(running, allocatable, nowMs),
    ...describeAllocated(running, allocatable),
  ];
}

/** Taints, sorted by effect, then by key. */
function describeTaints(taints: readonly Taint[] = []): string[] {
  const sorted = taints.toSorted((a, b) => compareText(`${a.effect},${a.key}`, `${b.effect},${b.key}`));
  const texts = sorted.map(({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`);
  return keyedLines('Taints', texts, 0);
}

function describeConditions({ conditions = [] }: NodeStatus): string[] {
  if (conditions.length === 0) return [];
  return [
    line(0, 'Conditions:'),
    line(1, 'Type', 'Status', 'LastHeartbeatTime', 'LastTransitionTime', 'Reason', 'Message'),
    line(1, '----', '------', '-----------------', '------------------', '------', '-------'),
    ...conditions.map(({ type, status, lastHeartbeatTime, lastTransitionTime, reason = '', message = '' }) => {
      const times = [lastHeartbeatTime, lastTransitionTime].map((time) => `${formatDate(time)} `);
      return line(1, `${type} `, `${status} `, ...times, `${reason} `, message);
    }),
  ];
}

function describeAmounts(title: string, amounts: ResourceList | undefined): string[] {
  const entries = sortedEntries(amounts);
  if (entries.length === 0) return [];
  return [line(0, `${title}:`), ...entries.map(([name, amount]) => line(1, `${name}:`, canonicalQuantity(amount)))];
}

function describeSystem(info: Partial<NodeSystemInfo> = {}): string[] {
  return [
    line(0, 'System Info:'),
    line(1, 'Machine ID:', info.machineID ?? ''),
    line(1, 'System UUID:', info.systemUUID ?? ''),
    line(1, 'Boot ID:', info.bootID ?? ''),
    line(1, 'Kernel Version:', info.kernelVersion ?? ''),
    line(1, 'OS Image:', info.osImage ?? ''),
    line(1, 'Operating System:', info.operatingSystem ?? ''),
    line(1, 'Architecture:', info.architecture ?? ''),
    line(1, 'Container Runtime Version:', info.containerRuntimeVersion ?? ''),
    line(1, 'Kubelet Version:', info.kubeletVersion ?? ''),
    line(1, 'Kube-Proxy Version:', info.kubeProxyVersion ?? ''),
  ];
}

/** The Pods that have not ended, with their requests and limits. */
function describePods(pods: readonly StoredPod[], allocatable: ResourceList, nowMs: number): string[] {
  const claims = ['CPU Requests', 'CPU Limits', 'Memory Requests', 'Memory Limits', 'Age'];
  const ruler = ['------------', '----------', '---------------', '-------------', '---'];
  return [
    line(0, 'Non-terminated Pods:', `(${pods.length} in total)`),
    line(1, 'Namespace', 'Name', '', ...claims),
    line(1, '---------', '----', '', ...ruler),
    ...pods.map(({ metadata, spec }) => {
      const [requests, limits] = [effectiveResources(spec, 'requests'), effectiveResources(spec, 'limits')];
      const cells = ['cpu', 'memory'].flatMap((name) =>
        [requests, limits].map((amounts) => share(name, amounts.get(name), allocatable[name])),
      );
      return line(1, metadata.namespace, metadata.name, '', ...cells, ageSince(metadata.creationTimestamp, nowMs));
    }),
  ];
}

/** The sums of requests and limits, also of huge pages and devices if the node has any. */
function describeAllocated(pods: readonly StoredPod[], allocatable: ResourceList): string[] {
  const specs = pods.map(({ spec }) => spec);
  const [requests, limits] = [totalOf(specs, 'requests'), totalOf(specs, 'limits')];
  const others = Object.keys(allocatable).filter(
    (name) => !['cpu', 'memory', 'ephemeral-storage', 'pods'].includes(name),
  );
  const hugePages = others.filter(isHugePages).toSorted(compareText);
  const devices = others.filter((name) => !isHugePages(name)).toSorted(compareText);
  return [
    line(0, 'Allocated resources:'),
    line(1, '(Total limits may be over 100 percent, i.e., overcommitted.)'),
    line(1, 'Resource', 'Requests', 'Limits'),
    line(1, '--------', '--------', '------'),
    ...['cpu', 'memory', 'ephemeral-storage', ...hugePages].map((name) => {
      const shares = [requests, limits].map((amounts) => share(name, amounts.get(name), allocatable[name]));
      return line(1, name, ...shares);
    }),
    ...devices.map((name) =>
      line(1, name, ...[requests, limits].map((all) => formatQuantity(all.get(name) ?? ZERO_QUANTITY))),
    ),
  ];
}

/** The requests of Pods for CPU and memory, with their shares of what the node can give. */
export function requestedShares({ status }: Node, pods: readonly StoredPod[]): string[] {
  const total = totalOf(
    pods.map(({ spec }) => spec),
    'requests',
  );
  const allocatable: ResourceList = status?.allocatable ?? status?.capacity ?? {};
  return ['cpu', 'memory'].map((name) => share(name, total.get(name), allocatable[name]));
}

function totalOf(specs: readonly PodSpec[], kind: ResourceKind): ParsedResources {
  const total = new Map<string, ParsedQuantity>();
  for (const spec of specs)
    for (const [name, amount] of effectiveResources(spec, kind))
      total.set(name, addQuantities(total.get(name) ?? ZERO_QUANTITY, amount));
  return total;
}

/** An amount and its share in whole percent: `500m (25%)`. Calculates with floats, as kubectl does. */
function share(name: string, amount: ParsedQuantity = ZERO_QUANTITY, available: string = '0'): string {
  const units = name === 'cpu' ? quantityMilliValue : quantityValue;
  const whole = Number(units(parseQuantity(available)));
  const percent = whole === 0 ? 0 : Math.trunc((Number(units(amount)) / whole) * 100);
  return `${formatQuantity(amount)} (${percent}%)`;
}
