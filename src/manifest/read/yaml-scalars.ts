/**
 * The values of plain YAML scalars by the YAML 1.1 rules of kubectl's Go library (go-yaml v2, resolve.go), which differ
 * from YAML 1.2: `yes` is true, `0644` is 420, `1:30` and dates are strings.
 */
import type { JsonScalar } from './source-node.ts';

/** An unreadable scalar with an explicit tag. `message` is go-yaml's. */
export class ScalarError extends Error {
  override readonly name = 'ScalarError';
}

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ...spellings(true, ['y', 'yes', 'on', 'true']),
  ...spellings(false, ['n', 'no', 'off', 'false']),
  ...spellings(null, ['~', 'null', '']),
]);

/** The spellings of words: lower case, Capitalized, UPPER CASE. */
function spellings<T>(value: T, words: readonly string[]): [string, T][] {
  return words.flatMap((word): [string, T][] => {
    const upper = word.toUpperCase();
    return [word, upper.slice(0, 1) + word.slice(1), upper].map((spelling) => [spelling, value]);
  });
}

/** Numbers that JSON does not have. Messages show them as Go prints them. */
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

const INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|([1-9][0-9]*|0))$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const FLOAT_FROM_POINT = /^\.[0-9]+(?:[eE][-+]?[0-9]+)?$/;

/** The digits of the longest 64-bit integer, in base 2. A longer text needs no parsing. */
const LONGEST_INTEGER = 64;
const LARGEST_UNSIGNED = 2n ** 64n - 1n;
const SMALLEST_SIGNED = -(2n ** 63n);

/** A whole number as a JavaScript number when that is exact, else as a bigint. */
export function exactInteger(value: bigint): number | bigint {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

function resolveInteger(text: string): number | bigint | undefined {
  const match = INTEGER.exec(text);
  if (match === null) return undefined;
  const [, sign, hex, binary, octal, decimal] = match;
  const digits = (hex ?? binary ?? octal ?? decimal ?? '').replace(/^0+(?=.)/, '');
  if (digits.length > LONGEST_INTEGER) return undefined;
  const prefix = hex !== undefined ? '0x' : binary !== undefined ? '0b' : octal !== undefined ? '0o' : '';
  const size = BigInt(prefix + digits);
  const value = sign === '-' ? -size : size;
  return value > LARGEST_UNSIGNED || value < SMALLEST_SIGNED ? undefined : exactInteger(value);
}

function resolveNumber(text: string): number | bigint | undefined {
  if (text.startsWith('.')) return FLOAT_FROM_POINT.test(text) ? Number(text) : undefined;
  if (!/^[-+0-9]/.test(text)) return undefined;
  const plain = text.replaceAll('_', '');
  const integer = resolveInteger(plain);
  if (integer !== undefined || !FLOAT.test(plain)) return integer;
  const float = Number(plain);
  return Number.isFinite(float) ? float : undefined;
}

/**
 * The value of a scalar without quotes and tag.
 * @throws ScalarError for infinity and NaN, which JSON does not have
 */
export function resolvePlain(text: string): JsonScalar {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (NOT_FINITE.test(text)) throw new ScalarError(`json: unsupported value: ${goFloatName(text)}`);
  return resolveNumber(text) ?? text;
}

function goFloatName(text: string): string {
  if (/nan/i.test(text)) return 'NaN';
  return text.startsWith('-') ? '-Inf' : '+Inf';
}

const TAG_PREFIX = 'tag:yaml.org,2002:';

/** The tags that decide about the value. With any other tag the value is a string. */
const DECIDING_TAGS: ReadonlySet<string> = new Set(['bool', 'int', 'float', 'null']);

/**
 * The value of a scalar with an explicit tag.
 * @param tag the whole tag, for example `tag:yaml.org,2002:int`
 * @throws ScalarError when the text does not fit the tag
 */
export function resolveTagged(tag: string, text: string): JsonScalar {
  const wanted = tag.startsWith(TAG_PREFIX) ? tag.slice(TAG_PREFIX.length) : '';
  if (wanted === 'binary') return decodeBinary(text);
  if (!DECIDING_TAGS.has(wanted)) return text;
  const value = resolvePlain(text);
  const actual = tagOf(value, text);
  if (wanted === actual) return value;
  if (wanted === 'float' && actual === 'int') return Number(value);
  throw new ScalarError(`yaml: cannot decode !!${actual} \`${text}\` as a !!${wanted}`);
}

function tagOf(value: JsonScalar, text: string): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  // The texts `08` and `1.0` are whole numbers, but floats in YAML.
  return INTEGER.test(text.replaceAll('_', '')) ? 'int' : 'float';
}

function decodeBinary(text: string): string {
  const compact = text.replaceAll(/[\r\n]/g, '');
  const bytes = Buffer.from(compact, 'base64');
  if (bytes.toString('base64') !== compact) throw new ScalarError('yaml: !!binary value contains invalid base64 data');
  return bytes.toString('utf8');
}
