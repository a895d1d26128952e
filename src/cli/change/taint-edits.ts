import { labelValueMessages, PodrunError, qualifiedNameMessages, type Taint, usage } from '../../api/index.ts';

/** Changes of the taints of a node. Source of all rules here: kubectl/pkg/cmd/taint/{taint,utils}.go. */
export interface TaintEdits {
  readonly add: readonly Taint[];
  /** Without effect: all taints of the key. */
  readonly remove: readonly TaintName[];
}

type TaintName = Pick<Taint, 'key'> & { readonly effect?: Taint['effect'] };

const EFFECTS: readonly Taint['effect'][] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/**
 * Separates nodes and taints of a command line: `node one key=value:NoSchedule other-`.
 * @throws {PodrunError} (usage)
 */
export function splitTaints(words: readonly string[]): {
  readonly nodes: readonly string[];
  readonly edits: TaintEdits;
} {
  const isTaint = (word: string): boolean => /[=:]|-$/.test(word);
  const first = words.findIndex(isTaint);
  const nodes = first < 0 ? words : words.slice(0, first);
  const taints = first < 0 ? [] : words.slice(first);
  const late = taints.find((word) => !isTaint(word));
  if (late !== undefined) throw usage(`all resources must be specified before taint changes: ${late}`);
  if (nodes.length === 0) throw usage('one or more resources must be specified as <resource> <name>');
  if (taints.length === 0) throw usage('at least one taint update is required');
  return { nodes, edits: readEdits(taints) };
}

function readEdits(words: readonly string[]): TaintEdits {
  const add: Taint[] = [];
  const remove: TaintName[] = [];
  for (const word of words) {
    if (word.endsWith('-')) {
      const { key, effect } = readTaint(word.slice(0, -1));
      remove.push({ key, ...(effect && { effect }) });
      continue;
    }
    const { effect, ...taint } = readTaint(word);
    if (effect === undefined) throw usage(`invalid taint spec: ${word}`);
    if (add.some((other) => isSame(other, { ...taint, effect }))) {
      throw usage(`duplicated taints with the same key and effect: ${word}`);
    }
    add.push({ ...taint, effect });
  }
  const both = add.filter((taint) => remove.some((removed) => isNamed(taint, removed)));
  if (both.length > 0) {
    const names = both.map(({ key, effect }) => `${key}=${effect}`).join(', ');
    throw usage(`can not both modify and remove the following taint(s) in the same command: ${names}`);
  }
  return { add, remove };
}

/** Reads `KEY[=VALUE][:EFFECT]`. */
function readTaint(text: string): TaintName & { readonly value?: string } {
  const [name = '', effectText, ...rest] = text.split(':');
  const [key = '', value, ...more] = effectText === undefined ? [name] : name.split('=');
  if (rest.length > 0 || more.length > 0) throw usage(`invalid taint spec: ${text}`);
  const effect = EFFECTS.find((known) => known === effectText);
  if (effectText !== undefined && effect === undefined) {
    throw usage(`invalid taint effect: ${effectText}, unsupported taint effect`);
  }
  const wrong = [...labelValueMessages(value ?? ''), ...qualifiedNameMessages(key)];
  if (wrong.length > 0) throw usage(`invalid taint spec: ${text}, ${wrong.join('; ')}`);
  return { key, ...(value && { value }), ...(effect && { effect }) };
}

/** The changed taints of a node, and kubectl's word for the change. */
export interface EditedTaints {
  readonly taints: readonly Taint[];
  readonly operation: 'modified' | 'tainted' | 'untainted';
}

/**
 * Changes the taints of a node.
 * @throws {PodrunError} for a taint that the node has already, unless it may be overwritten, and for a taint to remove
 * that the node does not have
 */
export function editTaints(
  node: string,
  before: readonly Taint[],
  edits: TaintEdits,
  overwrite: boolean,
): EditedTaints {
  const { add, remove } = edits;
  const present = add.filter((taint) => before.some((other) => isSame(taint, other)));
  if (present.length > 0 && !overwrite) {
    const keys = present.map(({ key }) => key).join(',');
    const text = `node ${node} already has [${keys}] taint(s) with same effect(s) and --overwrite is false`;
    throw new PodrunError('Conflict', text);
  }
  const all = [...add, ...before.filter((taint) => !add.some((other) => isSame(taint, other)))];
  const unknown = remove.find((removed) => !all.some((taint) => isNamed(taint, removed)));
  if (unknown !== undefined) {
    const name = [unknown.key, unknown.effect].filter(Boolean).join(':');
    throw new PodrunError('Conflict', `taint ${JSON.stringify(name)} not found`);
  }
  const taints = all.filter((taint) => !remove.some((removed) => isNamed(taint, removed)));
  const isAdded = all.length > before.length;
  const operation = (isAdded && remove.length > 0) || overwrite ? 'modified' : isAdded ? 'tainted' : 'untainted';
  return { taints, operation };
}

const isSame = (one: TaintName, other: TaintName): boolean => one.key === other.key && one.effect === other.effect;

const isNamed = ({ key, effect }: Taint, name: TaintName): boolean =>
  key === name.key && (name.effect === undefined || name.effect === effect);
