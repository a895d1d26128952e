import type { Environment } from '@marcbachmann/cel-js';

/** The variable `strings`. */
class CelStrings {
  readonly name = 'strings';
}

/** The longest text that a replacement makes: some requests' worth. */
const LENGTH_MAX = 16 * 1024 * 1024;
const DEFAULT_PRECISION = 6;
/** The most digits that JavaScript writes behind the point. */
const PRECISION_MAX = 100;

/** The functions of texts that the package lacks. Source: cel-go, ext/strings.go, version 2. */
export function addTextLibrary(environment: Environment): void {
  environment
    .registerType('kubernetes.Strings', { ctor: CelStrings, fields: {} })
    .registerConstant('strings', 'kubernetes.Strings', new CelStrings())
    .registerFunction('kubernetes.Strings.quote(string): string', (_: CelStrings, text: string) => JSON.stringify(text))
    .registerFunction('string.format(list): string', formatted)
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      replaceSome(text, from, to, -1n),
    )
    .registerFunction('string.charAt(int): string', (text: string, at: bigint) => Array.from(text)[Number(at)] ?? '')
    .registerFunction('string.replace(string, string, int): string', replaceSome);
}

function replaceSome(text: string, from: string, to: string, most: bigint): string {
  const parts = text.split(from);
  const replaced = most < 0n ? parts.length - 1 : Math.min(Number(most), parts.length - 1);
  if (text.length + replaced * to.length > LENGTH_MAX) throw new RangeError('the text would be too long');
  if (most < 0n) return text.replaceAll(from, () => to);
  return (
    parts.slice(0, replaced + 1).join(to) +
    parts
      .slice(replaced + 1)
      .map((part) => from + part)
      .join('')
  );
}

/** `'%s has %d'.format([name, count])`. Source: cel-go, ext/formatting.go. */
function formatted(text: string, values: readonly unknown[]): string {
  let next = 0;
  const all = text.replaceAll(/%(?:\.(\d+))?(.?)/gs, (_, digits: string | undefined, verb: string) => {
    if (verb === '%') return '%';
    if (next >= values.length) throw new RangeError(`index ${next} out of range`);
    const precision = digits === undefined ? DEFAULT_PRECISION : Math.min(Number(digits), PRECISION_MAX);
    return clause(verb, values[next++], precision);
  });
  if (next < values.length) {
    const counts = `(expected ${next}, got ${values.length})`;
    throw new RangeError(`too many arguments supplied to string.format ${counts}`);
  }
  return all;
}

function clause(verb: string, value: unknown, precision: number): string {
  switch (verb) {
    case 's':
      return printed(value);
    case 'd':
      if (typeof value === 'bigint') return String(value);
      break;
    case 'f':
      if (typeof value === 'number') return Number.isFinite(value) ? value.toFixed(precision) : String(value);
      break;
    case 'e':
      if (typeof value === 'number') return value.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
      break;
    case 'b':
      if (typeof value === 'bigint' || typeof value === 'boolean') return BigInt(value).toString(2);
      break;
    case 'o':
      if (typeof value === 'bigint') return value.toString(8);
      break;
    case 'x':
      return hex(value);
    case 'X':
      return hex(value).toUpperCase();
    default:
      throw new RangeError(`could not parse formatting clause: unrecognized formatting clause ${JSON.stringify(verb)}`);
  }
  throw new TypeError(`error during formatting: %${verb} does not take this value`);
}

function hex(value: unknown): string {
  if (typeof value === 'bigint') return value.toString(16);
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  throw new TypeError('error during formatting: only integers, byte buffers, and strings can be formatted as hex');
}

/** The text of a value. Texts in lists and maps are in quotes. */
function printed(value: unknown, isInside = false): string {
  if (typeof value === 'string') return isInside ? JSON.stringify(value) : value;
  if (typeof value === 'number' && isInside) return value.toFixed(DEFAULT_PRECISION);
  if (Array.isArray(value)) return `[${value.map((item: unknown) => printed(item, true)).join(', ')}]`;
  if (value instanceof Date) {
    const text = value.toISOString().replace('.000Z', 'Z');
    return isInside ? `timestamp(${JSON.stringify(text)})` : text;
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    const entries = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${printed(field, true)}`);
    return `{${entries.toSorted().join(', ')}}`;
  }
  return String(value);
}
