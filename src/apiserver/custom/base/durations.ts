/* Durations as Go writes them. Source: Go, time.ParseDuration. */

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1000n,
  µs: 1000n,
  ns: 1n,
};
/** The largest number of nanoseconds that Go has. */
const NANOSECONDS_MAX = 2n ** 63n - 1n;
/** A longer text is no duration that Go could hold, but for leading zeros. */
const LENGTH_MAX = 200;
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/y;

/**
 * The nanoseconds of `1h30m`.
 * @throws {RangeError} for a text that is no duration
 */
export function nanosecondsOf(text: string): bigint {
  const invalid = new RangeError(`invalid duration ${JSON.stringify(text.slice(0, LENGTH_MAX))}`);
  const unsigned = text.replace(/^[-+]/, '');
  if (unsigned === '0') return 0n;
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
  return text.startsWith('-') ? -sum : sum;
}

/** True for a text that is a duration. */
export function isDurationText(text: string): boolean {
  try {
    nanosecondsOf(text);
    return true;
  } catch {
    return false;
  }
}
