import type { Environment } from '@marcbachmann/cel-js';
import {
  addQuantities,
  compareQuantities,
  type ParsedQuantity,
  parseQuantity,
  quantityValue,
} from '../../../api/index.ts';
import { succeeds } from '../../../quietly.ts';

const NANO = 1_000_000_000n;

/** A quantity in CEL. */
class CelQuantity {
  readonly parsed: ParsedQuantity;

  constructor(given: string | ParsedQuantity) {
    this.parsed = typeof given === 'string' ? parseQuantity(given) : given;
  }
}

const sum = (one: CelQuantity, nano: bigint): CelQuantity =>
  new CelQuantity(addQuantities(one.parsed, { nano, format: one.parsed.format }));

const order = (one: CelQuantity, other: CelQuantity): number => compareQuantities(one.parsed, other.parsed);

const isWhole = ({ parsed }: CelQuantity): boolean => parsed.nano % NANO === 0n;

function whole(quantity: CelQuantity): bigint {
  if (isWhole(quantity)) return quantityValue(quantity.parsed);
  throw new RangeError('cannot convert value to integer');
}

/** Source: apiserver/pkg/cel/library/quantity.go. */
export function addQuantityLibrary(environment: Environment): void {
  environment
    .registerType('Quantity', { ctor: CelQuantity, fields: {} })
    .registerFunction('isQuantity(string): bool', (text: string) => succeeds(() => parseQuantity(text)))
    .registerFunction('quantity(string): Quantity', (text: string) => new CelQuantity(text))
    .registerFunction('Quantity.isInteger(): bool', isWhole)
    .registerFunction('Quantity.asInteger(): int', whole)
    .registerFunction('Quantity.asApproximateFloat(): double', ({ parsed }: CelQuantity) => Number(parsed.nano) / 1e9)
    .registerFunction('Quantity.sign(): int', ({ parsed: { nano } }: CelQuantity) =>
      nano > 0n ? 1n : nano < 0n ? -1n : 0n,
    )
    .registerFunction('Quantity.add(Quantity): Quantity', (a: CelQuantity, b: CelQuantity) => sum(a, b.parsed.nano))
    .registerFunction('Quantity.add(int): Quantity', (a: CelQuantity, b: bigint) => sum(a, b * NANO))
    .registerFunction('Quantity.sub(Quantity): Quantity', (a: CelQuantity, b: CelQuantity) => sum(a, -b.parsed.nano))
    .registerFunction('Quantity.sub(int): Quantity', (a: CelQuantity, b: bigint) => sum(a, -b * NANO))
    .registerFunction('Quantity.isLessThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => order(a, b) < 0)
    .registerFunction('Quantity.isGreaterThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => order(a, b) > 0)
    .registerFunction('Quantity.compareTo(Quantity): int', (a: CelQuantity, b: CelQuantity) => BigInt(order(a, b)));
}
