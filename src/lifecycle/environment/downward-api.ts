import {
  type Container,
  isPodLevelResource,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
  type ResourceFieldSelector,
  type StoredPod,
} from '../../api/index.ts';
import type { NodeFacts } from '../base/node-facts.ts';
import { containerNotFound, unsupportedResource } from '../texts/config-errors.ts';

/** The facts for the downward API: the Pod and its node. */
export interface DownwardFacts {
  readonly pod: StoredPod;
  readonly node: NodeFacts;
  /** The address of the Pod, which its status may not show yet. Undefined: the address in the status, or the node's. */
  readonly podIP?: string | undefined;
}

const FIELDS: ReadonlyMap<string, (facts: DownwardFacts) => string> = new Map([
  ['metadata.name', ({ pod }) => pod.metadata.name],
  ['metadata.namespace', ({ pod }) => pod.metadata.namespace],
  ['metadata.uid', ({ pod }) => pod.metadata.uid],
  ['spec.nodeName', ({ pod }) => pod.spec.nodeName ?? ''],
  // A cluster's admission gives this account to every Pod that names none.
  ['spec.serviceAccountName', ({ pod }) => pod.spec.serviceAccountName ?? 'default'],
  ['status.hostIP', ({ node }) => node.hostIPs[0]],
  ['status.hostIPs', ({ node }) => node.hostIPs.join(',')],
  ['status.podIP', (facts) => podIPs(facts)[0] ?? ''],
  ['status.podIPs', (facts) => podIPs(facts).join(',')],
]);

const SUBSCRIPT = /^metadata\.(labels|annotations)\['(.*)'\]$/s;

/**
 * The text of a field of the Pod. Undefined: unknown field. A missing label or annotation is empty. Source:
 * pkg/kubelet/kubelet_pods.go podFieldSelectorRuntimeValue, pkg/fieldpath/fieldpath.go.
 */
export function podField(fieldPath: string, facts: DownwardFacts): string | undefined {
  const field = FIELDS.get(fieldPath);
  if (field !== undefined) return field(facts);
  const [, map, key] = SUBSCRIPT.exec(fieldPath) ?? [];
  if (map === undefined || key === undefined) return undefined;
  const entries = facts.pod.metadata[map === 'labels' ? 'labels' : 'annotations'] ?? {};
  return Object.hasOwn(entries, key) ? entries[key] : '';
}

/** One address of each family, the family of the node's own address first. Source: kubelet_pods.go sortPodIPs. */
function podIPs({ pod, node, podIP }: DownwardFacts): string[] {
  if (podIP !== undefined) return [podIP];
  // A Pod without an address has the node's, as with hostNetwork.
  const known = pod.status.podIPs?.flatMap(({ ip }) => (ip === undefined ? [] : [ip])) ?? node.hostIPs;
  const isSameFamily = (ip: string): boolean => ip.includes(':') === node.hostIPs[0].includes(':');
  const primary = known.find(isSameFamily);
  const secondary = known.find((ip) => !isSameFamily(ip));
  return [primary, secondary].filter((ip) => ip !== undefined);
}

export type ResourceFieldOutcome =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string };

/** Resources whose default limit is the capacity of the node. */
const LIMITED_BY_NODE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/**
 * A request or limit of a container, in multiples of the divisor, rounded up. Source: pkg/api/v1/resource/helpers.go
 * ExtractContainerResourceValue.
 * @param own the container that asks, which is also the default of `containerName`
 */
export function resourceField(
  selector: ResourceFieldSelector,
  own: Container,
  facts: DownwardFacts,
): ResourceFieldOutcome {
  const { containerName = '', resource } = selector;
  const container = containerName === '' ? own : findContainer(facts.pod, containerName);
  if (container === undefined) return { ok: false, message: containerNotFound(containerName) };
  const [, kind, name] = /^(requests|limits)\.(cpu|memory|ephemeral-storage|hugepages-.+)$/.exec(resource) ?? [];
  if (name === undefined) return { ok: false, message: unsupportedResource(resource) };
  const amount = kind === 'limits' ? limitOf(container, name, facts) : container.resources?.requests?.[name];
  const divisor = selector.divisor === undefined || isZero(selector.divisor) ? '1' : selector.divisor;
  const units = (quantity: string): bigint => {
    const parsed = parseQuantity(quantity);
    return name === 'cpu' ? quantityMilliValue(parsed) : quantityValue(parsed);
  };
  const step = units(divisor);
  return { ok: true, value: String((units(amount ?? '0') + step - 1n) / step) };
}

/** The container's own limit, else the Pod's, else the node's. Source: kubelet_resources.go. */
function limitOf(container: Container, name: string, { pod, node }: DownwardFacts): string | undefined {
  const own = container.resources?.limits?.[name];
  if (!LIMITED_BY_NODE.has(name) || (own !== undefined && !isZero(own))) return own;
  const ofPod = isPodLevelResource(name) ? pod.spec.resources?.limits?.[name] : undefined;
  return ofPod !== undefined && !isZero(ofPod) ? ofPod : node.allocatable[name];
}

function isZero(quantity: string): boolean {
  return parseQuantity(quantity).nano === 0n;
}

export function findContainer({ spec }: StoredPod, name: string): Container | undefined {
  return [...spec.containers, ...(spec.initContainers ?? [])].find((container) => container.name === name);
}
