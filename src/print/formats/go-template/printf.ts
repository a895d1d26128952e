import { FloatLiteral, goQuote, goSyntax, goText, goType, sorted } from '../../../api/index.ts';
import { TemplateError } from './nodes.ts';

interface FormatVerb {
  readonly letter: string;
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
}

const VERB = /%([-+# 0]*)(\d*)(?:\.(\d*))?([^])?/g;

/**
 * Formats like Go's Sprintf, for JSON values. Not supported: `%[1]d`, `*` as a width, and verbs for other values (`%e`,
 * `%b`, …).
 * @throws {TemplateError} for unsupported parts
 */
export function sprintf(format: string, args: readonly unknown[]): string {
  let used = 0;
  let size = 0;
  const readable = readablePart(format);
  const text = readable.replaceAll(
    VERB,
    (directive, flags: string, width: string, precision?: string, letter?: string) => {
      if (letter === undefined) return '%!(NOVERB)';
      if (letter === '%') return '%';
      if (!'vsqdxXtfgcUT'.includes(letter)) throw new TemplateError(`podrun knows no ${directive} of printf`);
      if (used >= args.length) return `%!${letter}(MISSING)`;
      const limit = precision === undefined ? undefined : Number(precision);
      const verb = { letter, flags, width: Number(width), precision: limit };
      const value = args[used];
      used += 1;
      const padding = padded(formatted(value, verb), verb, value);
      size += padding.length;
      if (size > OUTPUT_MAX) throw new TemplateError(`printf makes more than ${OUTPUT_MAX / 2 ** 20} MiB of text`);
      return padding;
    },
  );
  const rest = readable === format ? '' : '%!(NOVERB)';
  const extra = args.slice(used).map((arg) => (isNil(arg) ? '<nil>' : `${goTypeName(arg)}=${goValueText(arg)}`));
  return `${text}${rest}${extra.length === 0 ? '' : `%!(EXTRA ${extra.join(', ')})`}`;
}

/** The length of the output of one call. */
const OUTPUT_MAX = 16 * 2 ** 20;

/** The largest width or precision. Go stops at a larger one, and reports the verb as missing. */
const NUMBER_MAX = 1e6;

/** The format up to the first width or precision that is too large. Source: Go's fmt/print.go parsenum, tooLarge. */
function readablePart(format: string): string {
  const isTooLarge = (digits: string | undefined): boolean => Number((digits ?? '').slice(0, -1)) > NUMBER_MAX;
  for (const { index, 2: width, 3: precision } of format.matchAll(VERB)) {
    if (isTooLarge(width) || isTooLarge(precision)) return format.slice(0, index);
  }
  return format;
}

/** Formats like Go's Sprint: adds a blank between two values when neither is a string. */
export function sprint(args: readonly unknown[]): string {
  return args
    .map((arg, index) => {
      const areTexts = typeof arg === 'string' || typeof args[index - 1] === 'string';
      return (index > 0 && !areTexts ? ' ' : '') + goValueText(arg);
    })
    .join('');
}

/** Formats a value like Go's `%v`. */
export function goValueText(value: unknown): string {
  return goText(value instanceof FloatLiteral ? value.value : value);
}

function formatted(value: unknown, verb: FormatVerb): string {
  const { letter, flags } = verb;
  if (letter === 'T') return isNil(value) ? '<nil>' : goTypeName(value);
  if (letter === 'v') return flags.includes('#') ? goSyntax(value) : goValueText(value);
  if (isNil(value)) return `%!${letter}(<nil>)`;
  if (Array.isArray(value)) return `[${value.map((item) => formatted(item, verb)).join(' ')}]`;
  if (typeof value === 'string') return formattedText(value, verb);
  if (typeof value === 'boolean') return letter === 't' ? String(value) : wrong(value, letter);
  if (value instanceof FloatLiteral) return formattedFloat(value.value, verb);
  if (typeof value === 'number')
    return Number.isInteger(value) ? formattedInteger(value, verb) : formattedFloat(value, verb);
  const members = sorted(value as object).map(([key, item]) => `${formattedText(key, verb)}:${formatted(item, verb)}`);
  return `map[${members.join(' ')}]`;
}

function formattedText(text: string, { letter, precision }: FormatVerb): string {
  const cut = precision === undefined ? text : Array.from(text).slice(0, precision).join('');
  if (letter === 's') return cut;
  if (letter === 'q') return goQuote(cut);
  if (letter !== 'x' && letter !== 'X') return wrong(text, letter);
  const hex = [...new TextEncoder().encode(cut)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return letter === 'x' ? hex : hex.toUpperCase();
}

function formattedInteger(value: number, { letter, flags }: FormatVerb): string {
  const sign = value >= 0 && flags.includes('+') ? '+' : '';
  const code = Math.abs(value);
  switch (letter) {
    case 'd':
      return sign + String(value);
    case 'x':
      return sign + value.toString(16);
    case 'X':
      return sign + value.toString(16).toUpperCase();
    case 'c':
      return String.fromCodePoint(code);
    case 'q':
      return `'${goQuote(String.fromCodePoint(code))
        .slice(1, -1)
        .replace("'", String.raw`\'`)}'`;
    case 'U':
      return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    default:
      return wrong(value, letter);
  }
}

function formattedFloat(value: number, { letter, flags, precision }: FormatVerb): string {
  const sign = value >= 0 && flags.includes('+') ? '+' : '';
  // JavaScript prints at most 100 digits. A float has fewer.
  const digits = precision === undefined ? undefined : Math.min(precision, 100);
  if (letter === 'f') return sign + value.toFixed(digits ?? 6) + '0'.repeat((precision ?? 0) - (digits ?? 0));
  if (letter === 'g') {
    const rounded = digits === undefined ? goText(value) : String(Number(value.toPrecision(Math.max(1, digits))));
    return sign + rounded;
  }
  return wrong(new FloatLiteral(value), letter);
}

function wrong(value: unknown, letter: string): string {
  return `%!${letter}(${goTypeName(value)}=${goValueText(value)})`;
}

function padded(text: string, { flags, width }: FormatVerb, value: unknown): string {
  const missing = width - Array.from(text).length;
  if (missing <= 0) return text;
  if (flags.includes('-')) return text + ' '.repeat(missing);
  const isNumber = typeof value === 'number' || value instanceof FloatLiteral;
  if (!flags.includes('0') || !isNumber) return ' '.repeat(missing) + text;
  const [, sign = '', digits = ''] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  return sign + '0'.repeat(missing) + digits;
}

function isNil(value: unknown): boolean {
  return value === null || value === undefined;
}

/** The type of a value in Go. Whole numbers are `int`, like those in a template. */
export function goTypeName(value: unknown): string {
  if (value instanceof FloatLiteral) return 'float64';
  return typeof value === 'number' && Number.isInteger(value) ? 'int' : goType(value);
}
