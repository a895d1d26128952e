import { Environment } from '@marcbachmann/cel-js';
import { isIP } from 'node:net';
import { compareQuantities, parseQuantity, type ParsedQuantity } from '../../../api/quantity.ts';
import { succeeds } from '../../../quietly.ts';

/** The largest rule. */
const LIMITS = { maxAstNodes: 10_000, maxDepth: 100, maxListElements: 1000, maxMapEntries: 1000, maxCallArguments: 32 };

/** A quantity in CEL. */
class CelQuantity {
  readonly parsed: ParsedQuantity;

  constructor(text: string) {
    this.parsed = parseQuantity(text);
  }
}

/** The language of rules: CEL with those functions of Kubernetes' libraries that the package lacks. */
export function newEnvironment(variables: readonly string[]): Environment {
  const environment = new Environment({
    limits: LIMITS,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
  });
  for (const variable of variables) environment.registerVariable(variable, 'dyn');
  addListLibrary(environment);
  addTextLibrary(environment);
  addQuantityLibrary(environment);
  return environment;
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
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => new RegExp(pattern, 'u').exec(text)?.[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      [...text.matchAll(new RegExp(pattern, 'gu'))].map(([found]) => found),
    )
    .registerFunction('isURL(string): bool', (text: string) => URL.canParse(text))
    .registerFunction('isIP(string): bool', (text: string) => isIP(text) !== 0);
}

function addQuantityLibrary(environment: Environment): void {
  const order = (one: CelQuantity, other: CelQuantity): number => compareQuantities(one.parsed, other.parsed);
  environment
    .registerType('Quantity', { ctor: CelQuantity, fields: {} })
    .registerFunction('isQuantity(string): bool', (text: string) => succeeds(() => parseQuantity(text)))
    .registerFunction('quantity(string): Quantity', (text: string) => new CelQuantity(text))
    .registerFunction('Quantity.isLessThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => order(a, b) < 0)
    .registerFunction('Quantity.isGreaterThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => order(a, b) > 0)
    .registerFunction('Quantity.compareTo(Quantity): int', (a: CelQuantity, b: CelQuantity) => BigInt(order(a, b)));
}
