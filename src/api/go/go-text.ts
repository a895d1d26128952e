import { goQuote } from './go-quote.ts';

/** Formats a JSON value as Go's `%v` does: `map[app:web]`, `[a b]`, `<nil>`. Keys are sorted. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'number') return goNumber(value);
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (typeof value !== 'object') return typeof value === 'string' ? value : String(value === true);
  const members = sorted(value).map(([key, item]) => `${key}:${goText(item)}`);
  return `map[${members.join(' ')}]`;
}

/** Formats a JSON value as Go's `%#v` does: in Go syntax. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return goNumber(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (typeof value !== 'object') return String(value === true);
  const members = sorted(value).map(([key, item]) => `${goQuote(key)}:${goSyntax(item)}`);
  return `map[string]interface {}{${members.join(', ')}}`;
}

/** Compares two texts by code unit, as Go does. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The Go type of a JSON value. */
export function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object' && value !== null) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** The fields of an object in the order of their keys. */
export function sorted(object: object): Array<[key: string, value: unknown]> {
  return Object.entries(object)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => compareText(a, b));
}

/**
 * Formats a number. Large and small numbers have an exponent of two digits. Source: Go's strconv.FormatFloat with 'g'.
 */
function goNumber(value: number): string {
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-4 || size >= 1e21) ? value.toExponential() : String(value);
  return text.replace(/e([-+])(\d)$/, 'e$10$2');
}
