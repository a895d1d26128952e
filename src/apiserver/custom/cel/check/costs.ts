/**
 * The costs of functions, in the units of CEL: one is a simple step. The same table serves the estimate before and the
 * count during an evaluation. Sources: cel-go, common/cost.go, checker/cost.go and interpreter/runtimecost.go;
 * apiserver/pkg/cel/library/cost.go.
 */

/** An argument as costs see it: its largest size in an estimate, its true size in an evaluation. */
export interface Sized {
  /** Characters, bytes or items; 1 for a scalar. */
  readonly size: number;
  /** List of texts: the characters of one of them. Undefined: no such list. */
  readonly itemSize?: number | undefined;
  /** List: true. */
  readonly isList?: boolean;
}

/** The cost of a call by its arguments, the receiver first. */
type Cost = (target: Sized, other: Sized) => number;

export const LIST_COST = 10;
export const MAP_COST = 30;
export const STRUCT_COST = 40;

const PER_CHARACTER = 0.1;
const PER_PATTERN_CHARACTER = 0.25;
/** Two of them fit into the limit of an evaluation. */
const PER_AUTHORIZATION = 350_000;
/** The longest pattern of a named format. */
const FORMAT_PATTERN = 128;

/** A product in which nothing is nothing, whatever the other factor. */
export function times(one: number, other: number): number {
  return one === 0 || other === 0 ? 0 : one * other;
}

const walk = (size: number): number => Math.ceil(times(size, PER_CHARACTER));
const match = (text: number, pattern: number): number =>
  times(walk(text + 1), Math.ceil(times(pattern, PER_PATTERN_CHARACTER)));

const byText: Cost = ({ size }) => walk(size);
const byTextTwice: Cost = ({ size }) => walk(2 * size);
const byArgument: Cost = (_, { size }) => walk(size);
const byPattern: Cost = (text, pattern) => match(text.size, pattern.size);
const byItem: Cost = ({ size }) => size;
const byPair: Cost = (one, other) => times(one.size, other.size);
const byEachItem: Cost = ({ size, itemSize = 0, isList }) =>
  isList === true ? times(size, 1 + walk(itemSize)) : walk(size);
/** The work of comparing each item with each. */
const byPairOfItems: Cost = ({ size, itemSize = 0 }) => times(times(size, size), 1 + walk(itemSize));

const COSTS: Readonly<Record<string, Cost>> = {
  startsWith: byArgument,
  endsWith: byArgument,
  contains: (text, part) => times(walk(text.size), walk(part.size)),
  matches: byPattern,
  find: byPattern,
  findAll: byPattern,
  lowerAscii: byText,
  upperAscii: byText,
  trim: byText,
  substring: byText,
  format: byText,
  'strings.quote': byText,
  replace: byTextTwice,
  split: byTextTwice,
  join: (list, separator) => walk(joinedSize(list, separator)),
  bytes: byText,
  url: byText,
  cidr: byText,
  isIP: byText,
  isCIDR: byText,
  'ip.isCanonical': byTextTwice,
  quantity: byText,
  isQuantity: byText,
  semver: byText,
  isSemver: byText,
  image: byText,
  isImage: byText,
  validate: (_, text) => times(walk(text.size), FORMAT_PATTERN * PER_PATTERN_CHARACTER),
  isSorted: byEachItem,
  sum: byEachItem,
  min: byEachItem,
  max: byEachItem,
  indexOf: byEachItem,
  lastIndexOf: byEachItem,
  slice: byItem,
  reverse: byItem,
  flatten: byItem,
  sort: byPairOfItems,
  distinct: byPairOfItems,
  'sets.contains': byPair,
  'sets.intersects': byPair,
  'sets.equivalent': (one, other) => 2 * byPair(one, other),
  check: () => PER_AUTHORIZATION,
};

const NONE: Sized = { size: 0 };

/** The cost of a call, without what its arguments cost. */
export function callCost(name: string, [target = NONE, other = NONE]: readonly Sized[]): number {
  return Object.hasOwn(COSTS, name) ? COSTS[name]!(target, other) : 1;
}

/** The cost of comparing two values. */
export function comparisonCost(one: number, other: number): number {
  return walk(Math.min(one, other));
}

/** The cost of writing one text behind another. */
export function concatenationCost(one: number, other: number): number {
  return walk(one + other);
}

/** The size of the items of a list in one text. */
export function joinedSize({ size, itemSize = 0 }: Sized, separator: Sized): number {
  return times(size, itemSize) + times(separator.size, Math.max(0, size - 1));
}

/** The cost of one turn of a macro, beside the cost of its expressions: cel-go expands macros to loops. */
export const TURN_COSTS: Readonly<Record<string, number>> = {
  all: 3,
  exists: 4,
  exists_one: 2,
  existsOne: 2,
  map: 12,
  filter: 13,
  transformList: 12,
  transformMap: 3,
  transformMapEntry: 2,
  sortBy: 12,
};

/** The cost of starting and ending a macro. */
export const START_COSTS: Readonly<Record<string, number>> = {
  all: 1,
  exists: 1,
  exists_one: 2,
  existsOne: 2,
  map: 1 + LIST_COST,
  filter: 1 + LIST_COST,
  transformList: 1 + LIST_COST,
  transformMap: 1 + MAP_COST,
  transformMapEntry: 1 + MAP_COST,
  sortBy: 1 + LIST_COST,
  bind: LIST_COST,
};
