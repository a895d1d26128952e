export type IntegerType = 'int32' | 'int64';

const LIMITS: Readonly<Record<IntegerType, { bits: number; min: bigint; max: bigint }>> = {
  int32: { bits: 32, min: -(2n ** 31n), max: 2n ** 31n - 1n },
  int64: { bits: 64, min: -(2n ** 63n), max: 2n ** 63n - 1n },
};

export function isIntegerType(type: string): type is IntegerType {
  return Object.hasOwn(LIMITS, type);
}

/** The name of the type in messages. */
export function integerName(type: IntegerType): string {
  return `integer (${LIMITS[type].bits}-bit)`;
}

/** The largest JavaScript number whose text fits 64 bits. */
const LARGEST = 2 ** 63 - 1024;

/**
 * A whole number within the range of the type. Undefined for any other value. Numbers beyond 2^53 lose their last
 * digits, but the result still fits 64 bits.
 */
export function toInteger(value: unknown, type: IntegerType): number | undefined {
  const isWhole = typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
  if (!isWhole) return undefined;
  const whole = BigInt(value);
  const { min, max } = LIMITS[type];
  return whole < min || whole > max ? undefined : Math.max(-LARGEST, Math.min(LARGEST, Number(whole)));
}
