import type { Environment } from '@marcbachmann/cel-js';

type Ordered = bigint | number | string | boolean | Date;
/** A value and the key that it is sorted by. */
type Keyed = readonly [key: Ordered, value: unknown];

/** The longest list of `lists.range`. The package allows no longer list in a rule. */
const RANGE_MAX = 1000n;

/** The variable `lists`. */
class CelLists {
  readonly name = 'lists';
}

/** The variable `sets`. */
class CelSets {
  readonly name = 'sets';
}

/** A text that only the same values of JSON have. Whole numbers are bigints here. */
function identityOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? Number(part) : part));
}

const compare = (a: Ordered, b: Ordered): number => (a < b ? -1 : a > b ? 1 : 0);

function extreme(list: readonly Ordered[], sign: number): Ordered {
  if (list.length === 0) throw new RangeError('min/max called on empty list');
  return list.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best));
}

/** Kubernetes' own functions of lists. Source: apiserver/pkg/cel/library/lists.go. */
export function addListLibrary(environment: Environment): void {
  const isSame = (item: unknown): ((other: unknown) => boolean) => {
    const identity = identityOf(item);
    return (other) => identityOf(other) === identity;
  };
  environment
    .registerFunction('list.isSorted(): bool', (list: Ordered[]) =>
      list.every((item, index) => index === 0 || compare(list[index - 1] ?? item, item) <= 0),
    )
    .registerFunction('list.sum(): dyn', (list: (bigint | number)[]) =>
      list.reduce<bigint | number>(
        (sum, item) => (typeof sum === 'bigint' && typeof item === 'bigint' ? sum + item : Number(sum) + Number(item)),
        typeof list[0] === 'number' ? 0 : 0n,
      ),
    )
    .registerFunction('list.min(): dyn', (list: Ordered[]) => extreme(list, -1))
    .registerFunction('list.max(): dyn', (list: Ordered[]) => extreme(list, 1))
    .registerFunction('list.indexOf(dyn): int', (list: unknown[], item: unknown) =>
      BigInt(list.findIndex(isSame(item))),
    )
    .registerFunction('list.lastIndexOf(dyn): int', (list: unknown[], item: unknown) =>
      BigInt(list.findLastIndex(isSame(item))),
    );
}

/** Source: cel-go, ext/lists.go, version 3. */
export function addExtendedListLibrary(environment: Environment): void {
  environment
    .registerType('kubernetes.Lists', { ctor: CelLists, fields: {} })
    .registerConstant('lists', 'kubernetes.Lists', new CelLists())
    .registerFunction('kubernetes.Lists.range(int): list<int>', (_: CelLists, size: bigint) => range(size))
    .registerFunction('list.slice(int, int): list<dyn>', slice)
    .registerFunction('list.flatten(): list<dyn>', (list: unknown[]) => list.flat())
    .registerFunction('list.flatten(int): list<dyn>', (list: unknown[], depth: bigint) => {
      if (depth < 0n) throw new RangeError('level must be non-negative');
      return list.flat(Number(depth));
    })
    .registerFunction('list.distinct(): list<dyn>', distinct)
    .registerFunction('list.reverse(): list<dyn>', (list: unknown[]) => list.toReversed())
    .registerFunction('list.sort(): list<dyn>', (list: Ordered[]) => sorted(list.map((item) => [item, item])))
    .registerFunction('list.sortedByFirst(): list<dyn>', sorted);
}

function distinct(list: readonly unknown[]): unknown[] {
  const first = new Map<string, unknown>();
  for (const item of list) {
    const identity = identityOf(item);
    if (!first.has(identity)) first.set(identity, item);
  }
  return [...first.values()];
}

function range(size: bigint): bigint[] {
  if (size < 0n) throw new RangeError(`lists.range: size must be non-negative, got ${size}`);
  if (size > RANGE_MAX) throw new RangeError(`lists.range: size ${size} exceeds maximum allowed (${RANGE_MAX})`);
  return Array.from({ length: Number(size) }, (_, index) => BigInt(index));
}

function slice(list: readonly unknown[], start: bigint, end: bigint): unknown[] {
  const head = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) throw new RangeError(`${head}, negative indexes not supported`);
  if (start > end) throw new RangeError(`${head}, start index must be less than or equal to end index`);
  if (BigInt(list.length) < end) throw new RangeError(`${head}, list is length ${list.length}`);
  return list.slice(Number(start), Number(end));
}

function sorted(list: readonly Keyed[]): unknown[] {
  const types = new Set(list.map(([key]) => (key instanceof Date ? 'timestamp' : typeof key)));
  if (types.has('object')) throw new TypeError('list elements must be comparable');
  if (types.size > 1) throw new TypeError('list elements must have the same type');
  return list.toSorted(([one], [other]) => compare(one, other)).map(([, value]) => value);
}

/** Source: cel-go, ext/sets.go. */
export function addSetLibrary(environment: Environment): void {
  const identities = (list: readonly unknown[]): ReadonlySet<string> => new Set(list.map(identityOf));
  const contains = (list: readonly unknown[], part: readonly unknown[]): boolean => {
    const all = identities(list);
    return part.every((item) => all.has(identityOf(item)));
  };
  environment
    .registerType('kubernetes.Sets', { ctor: CelSets, fields: {} })
    .registerConstant('sets', 'kubernetes.Sets', new CelSets())
    .registerFunction('kubernetes.Sets.contains(list, list): bool', (_: CelSets, a: unknown[], b: unknown[]) =>
      contains(a, b),
    )
    .registerFunction('kubernetes.Sets.equivalent(list, list): bool', (_: CelSets, a: unknown[], b: unknown[]) => {
      return contains(a, b) && contains(b, a);
    })
    .registerFunction('kubernetes.Sets.intersects(list, list): bool', (_: CelSets, a: unknown[], b: unknown[]) => {
      const all = identities(a);
      return b.some((item) => all.has(identityOf(item)));
    });
}
