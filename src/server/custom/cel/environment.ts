import { Environment, type ParseResult } from '@marcbachmann/cel-js';
import { addAddressLibraries } from './addresses.ts';
import { addFormatLibrary } from './format-library.ts';
import { addPatternLibrary, useOwnPatterns } from './linear-patterns.ts';
import { addQuantityLibrary } from './quantities.ts';

/** The largest rule. */
const LIMITS = { maxAstNodes: 10_000, maxDepth: 100, maxListElements: 1000, maxMapEntries: 1000, maxCallArguments: 32 };

/** The language of rules: CEL with those functions of Kubernetes' libraries that the package lacks. */
export function newEnvironment(variables: readonly string[]): Environment {
  const environment = new Environment({
    limits: LIMITS,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
  });
  for (const variable of variables) environment.registerVariable(variable, 'dyn');
  addListLibrary(environment);
  addSetLibrary(environment);
  addTextLibrary(environment);
  addPatternLibrary(environment);
  addQuantityLibrary(environment);
  addAddressLibraries(environment);
  addFormatLibrary(environment);
  return environment;
}

/**
 * Parses an expression.
 * @throws ParseError when the text is none
 */
export function parseExpression(environment: Environment, text: string): ParseResult {
  const run = environment.parse(text);
  useOwnPatterns(run.ast);
  return run;
}

/** The variable `sets`. */
class CelSets {
  readonly name = 'sets';
}

/** Source: cel-go, ext/sets.go. */
function addSetLibrary(environment: Environment): void {
  const has = (list: readonly unknown[], item: unknown): boolean => list.some((one) => isSameValue(one, item));
  const contains = (list: readonly unknown[], part: readonly unknown[]): boolean =>
    part.every((item) => has(list, item));
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
      return b.some((item) => has(a, item));
    });
}

/** Compares values of JSON: whole numbers are bigints here. */
function isSameValue(one: unknown, other: unknown): boolean {
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? Number(part) : part));
  return text(one) === text(other);
}

type Ordered = bigint | number | string;

function addListLibrary(environment: Environment): void {
  const compare = (a: Ordered, b: Ordered): number => (a < b ? -1 : a > b ? 1 : 0);
  const extreme = (list: Ordered[], sign: number): Ordered => {
    if (list.length === 0) throw new RangeError('min/max called on empty list');
    return list.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best));
  };
  const isSame = (item: unknown) => (other: unknown) => other === item;
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

function addTextLibrary(environment: Environment): void {
  environment
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      text.replaceAll(from, () => to),
    )
    .registerFunction('string.charAt(int): string', (text: string, at: bigint) => Array.from(text)[Number(at)] ?? '')
    .registerFunction('string.replace(string, string, int): string', replaceSome);
}

function replaceSome(text: string, from: string, to: string, most: bigint): string {
  if (most < 0n) return text.replaceAll(from, () => to);
  const parts = text.split(from);
  const replaced = Math.min(Number(most), parts.length - 1);
  return (
    parts.slice(0, replaced + 1).join(to) +
    parts
      .slice(replaced + 1)
      .map((part) => from + part)
      .join('')
  );
}
