import { FloatLiteral, JsonPathError } from './nodes.ts';

/** The types that Go can compare. Only values of one type are comparable. */
type Basic = string | number | boolean;

const OPERATORS: ReadonlyMap<string, (left: unknown, right: unknown) => boolean> = new Map([
  ['==', isEqual],
  ['!=', (left, right) => !isEqual(left, right)],
  ['<', isLess],
  ['<=', (left, right) => isLess(left, right) || isEqual(left, right)],
  ['>', (left, right) => !(isLess(left, right) || isEqual(left, right))],
  ['>=', (left, right) => !isLess(left, right)],
]);

/**
 * Compares two values as a filter does. Source: client-go/third_party/forked/golang/template/funcs.go.
 * @throws {JsonPathError} when the values are not comparable
 */
export function compare(left: unknown, operator: string, right: unknown): boolean {
  const holds = OPERATORS.get(operator);
  if (holds === undefined) throw new JsonPathError(`unrecognized filter operator ${operator}`);
  return holds(left, right);
}

function isEqual(left: unknown, right: unknown): boolean {
  const [a, b] = comparable(left, right);
  return a === b;
}

function isLess(left: unknown, right: unknown): boolean {
  const [a, b] = comparable(left, right);
  if (typeof a === 'boolean') throw new JsonPathError('invalid type for comparison');
  return a < b;
}

function comparable(left: unknown, right: unknown): [Basic, Basic] {
  const [a, b] = [basic(left), basic(right)];
  if (a.kind !== b.kind) throw new JsonPathError('incompatible types for comparison');
  return [a.value, b.value];
}

function basic(value: unknown): { readonly kind: string; readonly value: Basic } {
  if (value instanceof FloatLiteral) return { kind: 'float', value: value.value };
  if (typeof value === 'number') return { kind: Number.isInteger(value) ? 'int' : 'float', value };
  if (typeof value === 'string' || typeof value === 'boolean') return { kind: typeof value, value };
  throw new JsonPathError('invalid type for comparison');
}
