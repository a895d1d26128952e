import {
  type ContainerImage,
  type KubeObject,
  labelMessages,
  type Node,
  parseQuantity,
  quantityValue,
} from '../../api/index.ts';
import { quietly } from '../../quietly.ts';
import type { ConfigNode } from './config-node.ts';
import { readCount, readLabel, readTaint } from './config-values.ts';
import { readFlag } from './image-settings.ts';
import type { DeclaredNode } from './node-record.ts';

const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
/** The region of zones that a user numbers. */
const OWN_REGION = 'local';
/** More than the scheduler looks at in a moment. */
export const NODES_MAX = 1000;

/**
 * Nodes that are alike: node-1, node-2, … One without a zone is this machine: none is declared.
 * @param zones the number of zones that they are spread over, in turn; 0: they are in none
 */
export function nodesAlike(count: number, zones: number): DeclaredNode[] {
  if (count === 1 && zones === 0) return [];
  return Array.from({ length: count }, (_, index) => ({
    name: `node-${index + 1}`,
    ...(zones > 0 && { labels: { [ZONE]: `zone-${(index % zones) + 1}`, [REGION]: OWN_REGION } }),
  }));
}

const FIELDS = [
  'name',
  'count',
  'labels',
  'zone',
  'taints',
  'capacity',
  'images',
  'hostPath',
  'unschedulable',
] as const;

/**
 * Reads `nodes` of podrun.yaml.
 * @throws {PodrunError} (usage) for a wrong field, and for two nodes with one name
 */
export function readNodes(list: ConfigNode): DeclaredNode[] {
  const seen = new Set<string>();
  return list.items('nodes').flatMap((item) => {
    const nodes = readNode(item);
    for (const { name } of nodes) {
      if (seen.has(name)) item.fail(`another node has the name ${name}`);
      seen.add(name);
    }
    if (seen.size > NODES_MAX) item.fail(`there may be ${NODES_MAX} nodes`);
    return nodes;
  });
}

/** One entry: a node, or with a count several, whose names are numbered. */
function readNode(item: ConfigNode): DeclaredNode[] {
  const { name, count, labels, zone, taints, capacity, images, hostPath, unschedulable } = item.fields(FIELDS);
  if (name === undefined) return item.fail('must have a name');
  const prefix = name.text();
  const [problem] = labelMessages(prefix);
  if (problem !== undefined) name.fail(problem);
  if (hostPath !== undefined && hostPath.text() !== 'own') hostPath.fail('must be own');
  const own = Object.fromEntries(labels?.entries().map(([key, value]) => readLabel(key, value)) ?? []);
  const place = zone === undefined ? {} : Object.fromEntries([readLabel(ZONE, zone), [REGION, OWN_REGION]]);
  const node = {
    labels: { ...place, ...own },
    taints: taints?.texts().map((text) => readTaint(text, taints)) ?? [],
    unschedulable: unschedulable !== undefined && readFlag(unschedulable),
    ...(capacity && { capacity: Object.fromEntries(capacity.entries().map(readAmount)) }),
    ...(hostPath && { hostPath: 'own' as const }),
    ...(images && { images: images.entries().map(readAmount).map(imageOf) }),
  };
  if (count === undefined) return [{ name: prefix, ...node }];
  const number = readCount(count) ?? NODES_MAX + 1;
  if (number > NODES_MAX) return count.fail(`must be a whole number from 1 to ${NODES_MAX}`);
  return Array.from({ length: number }, (_, index) => ({ name: `${prefix}-${index + 1}`, ...node }));
}

function readAmount([resource, value]: [string, ConfigNode]): [string, string] {
  const text = value.text();
  if (!isQuantity(text)) value.fail('must be a quantity, such as 4 or 8Gi');
  return [resource, text];
}

function imageOf([name, size]: [string, string]): ContainerImage {
  return { names: [name], sizeBytes: Number(quantityValue(parseQuantity(size))) };
}

/** An object of a manifest. */
interface DeclaredObject {
  readonly object: KubeObject;
}

/** Splits the objects of a run into the nodes that they declare, and the rest. */
export function splitNodes<T extends DeclaredObject>(
  objects: readonly T[],
): { readonly nodes: readonly DeclaredNode[]; readonly rest: readonly T[] } {
  const nodes = objects.flatMap((each) => (isNode(each) ? [declaredNode(each)] : []));
  return { nodes, rest: objects.filter((each) => !isNode(each)) };
}

function isNode({ object }: DeclaredObject): boolean {
  return object.kind === 'Node' && object.apiVersion === 'v1';
}

/** The manifest of a Node is valid: loadManifests has judged it. */
function declaredNode({ object }: DeclaredObject): DeclaredNode {
  const { metadata, spec = {}, status = {} } = object as KubeObject & Node;
  const { labels, annotations } = metadata;
  const { taints = [], unschedulable } = spec;
  const { images } = status;
  const [capacity, allocatable] = [status.capacity, status.allocatable].map(textsOf);
  const given = { labels, annotations, taints, unschedulable, capacity, allocatable, images };
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return { name: metadata.name ?? '', ...Object.fromEntries(present) };
}

/** Amounts may be numbers, as in `cpu: 4`. */
function textsOf(amounts: Readonly<Record<string, unknown>> | undefined): Record<string, string> | undefined {
  return amounts && Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
}

function isQuantity(value: unknown): boolean {
  return quietly(() => parseQuantity(String(value))) !== undefined;
}
