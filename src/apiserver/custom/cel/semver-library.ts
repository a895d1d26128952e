import type { Environment } from '@marcbachmann/cel-js';
import { succeeds } from '../../../quietly.ts';

const NUMBER = '(0|[1-9]\\d*)';
const VERSION = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-([\\da-zA-Z.-]+))?(?:\\+[\\da-zA-Z.-]+)?$`);
const WHOLE = /^\d+$/;

/** A semantic version in CEL. */
class CelVersion {
  readonly numbers: readonly bigint[];
  /** The identifiers behind the hyphen: `alpha`, `1`. */
  readonly early: readonly string[];

  constructor(text: string) {
    const [, major = '', minor = '', patch = '', early] = VERSION.exec(text) ?? [];
    this.numbers = [major, minor, patch].map(BigInt);
    this.early = early?.split('.') ?? [];
    const isWell = this.early.every((part) => part !== '' && !/^0\d+$/.test(part));
    if (major === '' || !isWell) throw new RangeError(`invalid semantic version ${JSON.stringify(text)}`);
  }
}

/** Adds versions of software. Source: apiserver/pkg/cel/library/semverlib.go, version 1. */
export function addVersionLibrary(environment: Environment): void {
  const parse = (text: string, isTolerant = false): CelVersion => new CelVersion(isTolerant ? normalized(text) : text);
  environment
    .registerType('kubernetes.Semver', { ctor: CelVersion, fields: {} })
    .registerFunction('semver(string): kubernetes.Semver', (text: string) => parse(text))
    .registerFunction('semver(string, bool): kubernetes.Semver', parse)
    .registerFunction('isSemver(string): bool', (text: string) => succeeds(() => parse(text)))
    .registerFunction('isSemver(string, bool): bool', (text: string, isTolerant: boolean) =>
      succeeds(() => parse(text, isTolerant)),
    )
    .registerFunction('kubernetes.Semver.major(): int', ({ numbers }: CelVersion) => numbers[0])
    .registerFunction('kubernetes.Semver.minor(): int', ({ numbers }: CelVersion) => numbers[1])
    .registerFunction('kubernetes.Semver.patch(): int', ({ numbers }: CelVersion) => numbers[2])
    .registerFunction('kubernetes.Semver.isLessThan(kubernetes.Semver): bool', (a: CelVersion, b: CelVersion) => {
      return order(a, b) < 0;
    })
    .registerFunction('kubernetes.Semver.isGreaterThan(kubernetes.Semver): bool', (a: CelVersion, b: CelVersion) => {
      return order(a, b) > 0;
    })
    .registerFunction('kubernetes.Semver.compareTo(kubernetes.Semver): int', (a: CelVersion, b: CelVersion) => {
      return BigInt(order(a, b));
    });
}

/** Without a `v` and leading zeros, and with all three numbers. */
function normalized(text: string): string {
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.');
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join('.')])];
  const plain = parts.map((part) => part.replace(/^0+(?=\d)/, ''));
  if (plain.length < 3 && /[+-]/.test(plain.at(-1) ?? ''))
    throw new RangeError('short version cannot contain PreRelease/Build meta data');
  return [...plain, '0', '0'].slice(0, Math.max(3, plain.length)).join('.');
}

/** Source: semver.org, section 11. */
function order(one: CelVersion, other: CelVersion): number {
  for (const [index, number] of one.numbers.entries()) {
    const against = other.numbers[index] ?? 0n;
    if (number !== against) return number < against ? -1 : 1;
  }
  // A version with identifiers comes before the one without.
  if (one.early.length === 0 || other.early.length === 0)
    return Math.sign(other.early.length) - Math.sign(one.early.length);
  for (const [index, part] of one.early.entries()) {
    const against = other.early[index];
    if (against === undefined) return 1;
    const difference = comparePart(part, against);
    if (difference !== 0) return difference;
  }
  return one.early.length < other.early.length ? -1 : 0;
}

function comparePart(one: string, other: string): number {
  const [isNumber, isOther] = [WHOLE.test(one), WHOLE.test(other)];
  if (isNumber !== isOther) return isNumber ? -1 : 1;
  const [a, b] = isNumber ? [BigInt(one), BigInt(other)] : [one, other];
  return a < b ? -1 : a > b ? 1 : 0;
}
