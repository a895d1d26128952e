import {
  labelValueMessages,
  type NodeSelectorRequirement,
  type NodeSelectorTerm,
  ownValue,
  type PodSpec,
  qualifiedNameMessages,
} from '../../api/index.ts';
import type { NodeFacts } from '../base/node-facts.ts';
import type { MissingLabel } from '../texts/podrun-events.ts';

/**
 * True when the node satisfies the Pod's nodeSelector and required node affinity. Preferred affinity decides nothing
 * with one node. Source: staging/src/k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go.
 */
export function matchesNode(spec: PodSpec, node: NodeFacts): boolean {
  if (missingLabels(spec, node).length > 0) return false;
  const terms = requiredTerms(spec);
  return terms === undefined || matchesTerms(terms, node);
}

/** True when the node satisfies one of the terms. */
export function matchesTerms(terms: readonly NodeSelectorTerm[], node: NodeFacts): boolean {
  return terms.some((term) => matchesTerm(term, node));
}

/** The labels of the Pod's nodeSelector that the node does not match, in the order of the manifest. */
export function missingLabels(spec: PodSpec, node: NodeFacts): MissingLabel[] {
  const wanted = Object.entries(spec.nodeSelector ?? {});
  return wanted.flatMap(([key, value]) => {
    const actual = labelOf(node, key);
    return actual === value ? [] : [{ key, value, actual }];
  });
}

/**
 * The node names that the required affinity permits. Undefined: the affinity does not name nodes. An empty set: its
 * terms contradict each other. Source: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go PreFilter.
 */
export function affinityNodeNames(spec: PodSpec): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  const terms = requiredTerms(spec) ?? [];
  for (const term of terms) {
    const [first, ...others] = (term.matchFields ?? [])
      .filter((field) => field.key === 'metadata.name' && field.operator === 'In')
      .map((field) => field.values ?? []);
    if (first === undefined) return undefined;
    const common = first.filter((name) => others.every((values) => values.includes(name)));
    for (const name of common) names.add(name);
  }
  return terms.length === 0 ? undefined : names;
}

function requiredTerms(spec: PodSpec): NodeSelectorTerm[] | undefined {
  return spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
}

/** True when all requirements of a term hold. A term without requirements matches nothing. */
function matchesTerm(term: NodeSelectorTerm, node: NodeFacts): boolean {
  const { matchExpressions: labels = [], matchFields: fields = [] } = term;
  if (labels.length + fields.length === 0) return false;
  return (
    labels.every((requirement) => isReadable(requirement) && OPERATORS[requirement.operator](requirement, node)) &&
    fields.every((requirement) => matchesName(requirement, node))
  );
}

type Operator = NodeSelectorRequirement['operator'];

const OPERATORS: Readonly<Record<Operator, (requirement: NodeSelectorRequirement, node: NodeFacts) => boolean>> = {
  In: ({ key, values = [] }, node) => values.includes(labelOf(node, key) ?? NONE),
  NotIn: ({ key, values = [] }, node) => !values.includes(labelOf(node, key) ?? NONE),
  Exists: ({ key }, node) => labelOf(node, key) !== undefined,
  DoesNotExist: ({ key }, node) => labelOf(node, key) === undefined,
  Gt: (requirement, node) => compares(requirement, node, (label, bound) => label > bound),
  Lt: (requirement, node) => compares(requirement, node, (label, bound) => label < bound),
};

/** A value that no label has. */
const NONE = '\0';

/** Compares a label as an integer. False for an absent label and for other text. */
function compares(
  { key, values = [] }: NodeSelectorRequirement,
  node: NodeFacts,
  holds: (label: bigint, bound: bigint) => boolean,
): boolean {
  const label = parseInteger(labelOf(node, key));
  const bound = parseInteger(values[0]);
  return values.length === 1 && label !== undefined && bound !== undefined && holds(label, bound);
}

/** True when a matchFields requirement holds. It may only compare metadata.name for equality. */
function matchesName({ key, operator, values = [] }: NodeSelectorRequirement, node: NodeFacts): boolean {
  if (key !== 'metadata.name' || values.length !== 1) return false;
  if (operator === 'In') return values[0] === node.name;
  return operator === 'NotIn' && values[0] !== node.name;
}

/**
 * True when the scheduler can parse a requirement. The API server also accepts requirements that the scheduler cannot
 * parse, for example with a value that no label can have. Such a requirement never matches, not even as NotIn. Source:
 * staging/src/k8s.io/apimachinery/pkg/labels/selector.go NewRequirement.
 */
function isReadable({ key, operator, values = [] }: NodeSelectorRequirement): boolean {
  const needsValues = operator === 'In' || operator === 'NotIn';
  if (needsValues && values.length === 0) return false;
  return qualifiedNameMessages(key).length === 0 && values.every((value) => labelValueMessages(value).length === 0);
}

function labelOf(node: NodeFacts, key: string): string | undefined {
  return ownValue(node.labels, key);
}

/** Parses a 64-bit integer as Go's strconv.ParseInt does. */
function parseInteger(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
