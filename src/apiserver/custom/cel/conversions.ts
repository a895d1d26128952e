import { Optional, type Environment } from '@marcbachmann/cel-js';
import { Duration, type UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { nanosecondsOf } from '../base/durations.ts';

/** The package has a function `duration` of its own, whose pattern takes a time that grows with the text squared. */
export const DURATION_FUNCTION = 'durationOf';

const SECOND = 1_000_000_000n;

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
    .registerFunction(`${DURATION_FUNCTION}(string): ${span}`, (text: string) =>
      durationOfNanoseconds(nanosecondsOf(text)),
    )
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
