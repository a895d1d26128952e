/**
 * Kubernetes quantities (`500m`, `1.5Gi`, `1e3`): parsing, canonical text, exact arithmetic. Follows
 * k8s.io/apimachinery/pkg/api/resource (quantity.go, suffix.go).
 */

import { PodrunError } from './base/errors.ts';

/** The family of suffixes of a quantity. Sums and canonical texts keep the family. */
export type QuantityFormat = 'decimal' | 'binary' | 'exponent';

/** A quantity as an exact number of billionths, Kubernetes' finest step. */
export interface ParsedQuantity {
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

export const QUANTITY_SHAPE_MESSAGE: string =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const QUANTITY_SUFFIX_MESSAGE = "unable to parse quantity's suffix";

export const ZERO_QUANTITY: ParsedQuantity = { nano: 0n, format: 'decimal' };

const NANO = 1_000_000_000n;
const MILLI = 1_000_000n;
/** The largest value, the maximum of Go's int64. Larger values are cut to it. */
const LARGEST_NANO = (2n ** 63n - 1n) * NANO;
/** Values with more digits before the point are too large: they are cut without computing them. */
const LARGEST_DIGITS = 19;
/** Further digits after the point only decide whether to round up to one nano. */
const SMALLEST_DIGITS = 9 + 19;

// The look-aheads keep the expression linear: no digit is tried twice.
const SHAPE = /^([+-]?)([0-9]*)(?![0-9])(?:\.([0-9]*)(?![0-9]))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const EXPONENT = /^[eE]([-+]?[0-9]{1,18})$/;

/** The power of ten of each decimal suffix. */
const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);

/** Each suffix is 1024 times the one before. */
const BINARY_SUFFIXES: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

interface Scale {
  readonly format: QuantityFormat;
  readonly powerOfTen: number;
  readonly factor: bigint;
}

function scaleOf(suffix: string): Scale {
  const powerOfTen = DECIMAL_SUFFIXES.get(suffix);
  if (powerOfTen !== undefined) return { format: 'decimal', powerOfTen, factor: 1n };
  const binary = BINARY_SUFFIXES.indexOf(suffix);
  if (binary > 0) return { format: 'binary', powerOfTen: 0, factor: 1024n ** BigInt(binary) };
  const exponent = EXPONENT.exec(suffix);
  if (exponent !== null) return { format: 'exponent', powerOfTen: Number(exponent[1]), factor: 1n };
  throw new PodrunError('Invalid', QUANTITY_SUFFIX_MESSAGE);
}

/** Converts digits, with the point `places` from the end, to nano. Rounds up, and cuts to the largest value. */
function toNano(digits: string, places: number, scale: Scale): bigint {
  const significant = digits.replace(/^0+/, '');
  if (significant === '') return 0n;
  const power = scale.powerOfTen - places;
  const lengthBeforePoint = significant.length + power;
  if (lengthBeforePoint > LARGEST_DIGITS) return LARGEST_NANO;
  if (lengthBeforePoint < -SMALLEST_DIGITS) return 1n;
  // Cuts a long tail of decimals, which still rounds the value up.
  const kept = significant.slice(0, LARGEST_DIGITS + SMALLEST_DIGITS);
  const keptPower = power + significant.length - kept.length + 9;
  const mantissa = BigInt(kept) * scale.factor + (kept.length < significant.length ? 1n : 0n);
  const nano = keptPower >= 0 ? mantissa * 10n ** BigInt(keptPower) : divideUp(mantissa, 10n ** BigInt(-keptPower));
  return nano > LARGEST_NANO ? LARGEST_NANO : nano;
}

/** Divides and rounds away from zero. */
function divideUp(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  if (value % by === 0n) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}

/**
 * Parses a quantity. Rounds values below a nano up to one, and cuts values above 2^63-1.
 * @param text as in a manifest; a number counts as its JSON text
 * @throws {PodrunError} (Invalid) when the text is no quantity
 */
export function parseQuantity(text: string | number | bigint): ParsedQuantity {
  const match = SHAPE.exec(String(text));
  if (match === null || match[0] === '') throw new PodrunError('Invalid', QUANTITY_SHAPE_MESSAGE);
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  const scale = scaleOf(suffix);
  const size = toNano(whole + fraction, fraction.length, scale);
  const nano = sign === '-' ? -size : size;
  // A binary suffix cannot express less than one: 0.0001Ki becomes decimal.
  const format = scale.format === 'binary' && size > 0n && size < NANO ? 'decimal' : scale.format;
  return { nano, format };
}

/**
 * The canonical text: no fraction, and the largest suffix of the family that keeps the number whole (`0.5` is `500m`).
 */
export function formatQuantity(quantity: ParsedQuantity): string {
  const { nano, format } = quantity;
  if (nano === 0n) return '0';
  if (format === 'binary' && nano % NANO === 0n) {
    const value = nano / NANO;
    if (value <= -1024n || value >= 1024n) return formatBinary(value);
  }
  return formatDecimal(nano, format === 'exponent');
}

function formatBinary(value: bigint): string {
  let number = value;
  let step = 0;
  while (number % 1024n === 0n && step < BINARY_SUFFIXES.length - 1) {
    number /= 1024n;
    step += 1;
  }
  return `${number}${BINARY_SUFFIXES[step] ?? ''}`;
}

function formatDecimal(nano: bigint, asExponent: boolean): string {
  let number = nano;
  let power = -9;
  while (number % 1000n === 0n && power < 18) {
    number /= 1000n;
    power += 3;
  }
  if (asExponent) return power === 0 ? `${number}` : `${number}e${power}`;
  for (const [suffix, exponent] of DECIMAL_SUFFIXES) if (exponent === power) return `${number}${suffix}`;
  return `${number}`;
}

/** The canonical text of a quantity. @throws {PodrunError} (Invalid) */
export function canonicalQuantity(text: string | number | bigint): string {
  return formatQuantity(parseQuantity(text));
}

/** Compares two quantities exactly: negative, zero or positive, as for Array.sort. */
export function compareQuantities(a: ParsedQuantity, b: ParsedQuantity): number {
  if (a.nano === b.nano) return 0;
  return a.nano < b.nano ? -1 : 1;
}

/** The sum, in the family of the first quantity that is not zero. */
export function addQuantities(a: ParsedQuantity, b: ParsedQuantity): ParsedQuantity {
  return { nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format };
}

/** Rounds up to a multiple of 1m, as defaulting does with resource lists. */
export function roundUpToMilli(quantity: ParsedQuantity): ParsedQuantity {
  return { nano: divideUp(quantity.nano, MILLI) * MILLI, format: quantity.format };
}

/** Whole units (bytes, cores), rounded up: Go's Quantity.Value(). */
export function quantityValue(quantity: ParsedQuantity): bigint {
  return divideUp(quantity.nano, NANO);
}

/** Thousandths of a unit (millicores), rounded up: Go's Quantity.MilliValue(). */
export function quantityMilliValue(quantity: ParsedQuantity): bigint {
  return divideUp(quantity.nano, MILLI);
}
