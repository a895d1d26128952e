import { isJsonObject } from '../../api/json.ts';
import { parseQuantity } from '../../api/quantity.ts';
import { fieldsOf } from '../../api/field-types.ts';
import { parseType } from '../decode/fields.ts';

/**
 * Plain fields whose zero value Go cannot tell from an absent one. A field that is a pointer in Go is not here: there
 * 0 or false may say more than nothing does (`runAsUser: 0`).
 */
const ZERO_IS_ABSENT: ReadonlySet<string> = new Set(
  (
    'hostIPC hostNetwork hostPID hostPort initialDelaySeconds minReadySeconds paused publishNotReadyAddresses ' +
    'readOnly stdin stdinOnce tty'
  ).split(' '),
);
/** An empty class asks for volumes without a class; no class asks for the default one. */
const EMPTY_IS_SET: ReadonlySet<string> = new Set(['storageClassName']);

/**
 * Do two values say the same? Lists and maps without items are as good as none, quantities are compared as numbers.
 * Source: k8s.io/apimachinery/pkg/api/equality, Semantic.DeepEqual.
 * @param type in the field table: `PodSpec`, `[]Container`, `map:quantity`
 */
export function isSameValue(left: unknown, right: unknown, type: string): boolean {
  return JSON.stringify(essenceOf(left, type)) === JSON.stringify(essenceOf(right, type));
}

/** What counts of a value, in one order of keys. Undefined: nothing. */
function essenceOf(value: unknown, type: string): unknown {
  const { container, base } = parseType(type);
  if (value === null || value === undefined) return undefined;
  if (container === 'list') {
    // In a list, nothing is something: an empty text is an argument.
    return Array.isArray(value) && value.length > 0 ? value.map((item) => essenceOf(item, base) ?? null) : undefined;
  }
  if (typeof value === 'string' && base === 'quantity') return String(parseQuantity(value).nano);
  if (!isJsonObject(value)) return value;
  if (container === 'map') return sorted(Object.entries(value).map(([key, entry]) => [key, essenceOf(entry, base)]));
  const fields = fieldsOf(base);
  if (fields === undefined) return value;
  return sorted(Object.entries(fields).map(([field, type]) => [field, fieldEssence(field, value[field], type)])) ?? {};
}

function fieldEssence(field: string, value: unknown, type: string): unknown {
  const isZero = value === 0 || value === false ? ZERO_IS_ABSENT.has(field) : value === '' && !EMPTY_IS_SET.has(field);
  return isZero ? undefined : essenceOf(value, type);
}

function sorted(entries: readonly [string, unknown][]): object | undefined {
  const set = entries.filter(([, value]) => value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
  return set.length > 0 ? Object.fromEntries(set) : undefined;
}
