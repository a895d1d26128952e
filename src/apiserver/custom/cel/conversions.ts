import { Optional, type Environment } from '@marcbachmann/cel-js';
import { Duration, type UnsignedInt } from '@marcbachmann/cel-js/evaluator';

/** The package has a function `duration` of its own, whose pattern takes a time that grows with the text squared. */
export const DURATION_FUNCTION = 'durationOf';

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1000n,
  µs: 1000n,
  ns: 1n,
};
const SECOND = 1_000_000_000n;
/** The largest number of nanoseconds that Go has. */
const NANOSECONDS_MAX = 2n ** 63n - 1n;
/** A longer text is no duration that Go could hold, but for leading zeros. */
const LENGTH_MAX = 200;
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/y;

/** `1h30m`. Source: Go, time.ParseDuration. */
function durationOfText(text: string): Duration {
  const invalid = new RangeError(`invalid duration ${JSON.stringify(text.slice(0, LENGTH_MAX))}`);
  const unsigned = text.replace(/^[-+]/, '');
  if (unsigned === '0') return new Duration(0n);
  if (unsigned === '' || text.length > LENGTH_MAX) throw invalid;
  let sum = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < unsigned.length) {
    const [, number = '', unit = ''] = PART.exec(unsigned) ?? [];
    const size = NANOSECONDS[unit];
    if (size === undefined) throw invalid;
    const [whole = '', fraction = ''] = number.split('.');
    sum += BigInt(whole || 0) * size + (BigInt(fraction || 0) * size) / 10n ** BigInt(fraction.length);
  }
  if (sum > NANOSECONDS_MAX) throw invalid;
  return durationOfNanoseconds(text.startsWith('-') ? -sum : sum);
}

function durationOfNanoseconds(sum: bigint): Duration {
  return new Duration(sum / SECOND, Number(sum % SECOND));
}

function isZero(value: unknown): boolean {
  if (value === null || value === false || value === '' || value === 0n || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return Object.prototype === Object.getPrototypeOf(value) && Object.keys(value as object).length === 0;
}

const textOfTime = (at: Date): string => at.toISOString().replace('.000Z', 'Z');

/** Conversions and optional values that the package lacks. Source: cel-go, common/stdlib and cel/library.go. */
export function addConversions(environment: Environment): void {
  const [time, span] = ['google.protobuf.Timestamp', 'google.protobuf.Duration'];
  environment
    .registerFunction(`${DURATION_FUNCTION}(string): ${span}`, durationOfText)
    .registerFunction(`${DURATION_FUNCTION}(int): ${span}`, durationOfNanoseconds)
    .registerFunction(`${DURATION_FUNCTION}(${span}): ${span}`, (value: Duration) => value)
    .registerFunction(`timestamp(${time}): ${time}`, (at: Date) => at)
    .registerFunction(`string(${time}): string`, textOfTime)
    .registerFunction(`string(${span}): string`, String)
    .registerFunction(`int(${time}): int`, (at: Date) => BigInt(Math.floor(at.getTime() / 1000)))
    .registerFunction(`int(${span}): int`, ({ seconds, nanos }: Duration) => seconds * SECOND + BigInt(nanos))
    .registerFunction('int(uint): int', ({ value }: UnsignedInt) => value)
    .registerFunction('OptionalNamespace.ofNonZeroValue(dyn): optional', (_: unknown, value: unknown) =>
      isZero(value) ? Optional.none() : Optional.of(value),
    );
}
