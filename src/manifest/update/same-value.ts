import { fieldsOf, isJsonObject, parseQuantity } from '../../api/index.ts';
import { parseType } from '../decode/fields.ts';

/**
 * Plain fields, whose zero value Go does not distinguish from an absent one. Fields that are pointers in Go are not
 * listed: their 0 or false is a value (`runAsUser: 0`).
 */
const ZERO_IS_ABSENT: ReadonlySet<string> = new Set(
  (
    'hostIPC hostNetwork hostPID hostPort initialDelaySeconds minReadySeconds paused publishNotReadyAddresses ' +
    'readOnly stdin stdinOnce tty'
  ).split(' '),
);
/** Fields whose empty text is a value: an empty class asks for volumes without a class, no class for the default. */
const EMPTY_IS_SET: ReadonlySet<string> = new Set(['storageClassName']);

/**
 * True when two values are equal. Empty lists and maps count as absent, and quantities are compared as numbers.
 * Source: k8s.io/apimachinery/pkg/api/equality, Semantic.DeepEqual.
 * @param type type in the field table: `PodSpec`, `[]Container`, `map:quantity`
 */
export function isSameValue(left: unknown, right: unknown, type: string): boolean {
  return JSON.stringify(essenceOf(left, type)) === JSON.stringify(essenceOf(right, type));
}

/** The part of a value that counts, with sorted keys. Undefined for an absent value. */
function essenceOf(value: unknown, type: string): unknown {
  const { container, base } = parseType(type);
  if (value === null || value === undefined) return undefined;
  if (container === 'list') {
    // An empty item of a list is a value, as an empty argument is.
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
