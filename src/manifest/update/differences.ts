import { fieldsOf, isJsonObject, isSameJson, type JsonObject, ownValue, parseQuantity } from '../../api/index.ts';
import { child, entry, type FieldError, invalid, item, renderValue } from '../base/field-error.ts';
import { parseType } from '../decode/fields.ts';
import { invalidUnseen } from '../validate/checks.ts';

/** The number of differences that a message shows. */
const MAX_LINES = 20;
const MAX_VALUE_CHARACTERS = 200;

/**
 * Lists the differences between two values, one field per line: `spec.restartPolicy: "Always" -> "Never"`. The API
 * server shows a diff of Go structs instead.
 * @param type type of both values in the field table
 */
export function describeDifferences(path: string, before: unknown, after: unknown, type: string): string {
  const lines = differencesIn(path, before, after, type);
  const first = lines.slice(0, MAX_LINES);
  const rest = lines.length > MAX_LINES ? [`and ${lines.length - MAX_LINES} more`] : [];
  return [...first, ...rest].map((line) => `  ${line}`).join('\n');
}

function differencesIn(path: string, before: unknown, after: unknown, type: string): string[] {
  if (isSameValue(before, after, type)) return [];
  const { container, base } = parseType(type);
  if (container === 'list' && Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_none, index) => index).flatMap((index) =>
      differencesIn(item(path, index), before[index], after[index], base),
    );
  }
  if (isJsonObject(before) && isJsonObject(after)) {
    const fields = container === 'map' ? undefined : fieldsOf(base);
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => {
      const at = fields === undefined ? entry(path, key) : child(path, key);
      return differencesIn(at, before[key], after[key], fields?.[key] ?? base);
    });
  }
  return [`${path}: ${render(before)} -> ${render(after)}`];
}

function render(value: unknown): string {
  if (value === undefined) return 'unset';
  const text = renderValue(value);
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}...` : text;
}

const IMMUTABLE = 'field is immutable';

/**
 * Reports a change of a field that must not change after the creation. Source:
 * k8s.io/apimachinery/pkg/api/validation/objectmeta.go, ValidateImmutableField.
 * @param type type of the field in the field table
 */
export function immutable(path: string, before: unknown, after: unknown, type: string): FieldError[] {
  return isSameValue(before, after, type) ? [] : [invalid(path, after, IMMUTABLE)];
}

/** Like `immutable`, for values that are too large to show. */
export function immutableUnseen(path: string, before: unknown, after: unknown, type: string): FieldError[] {
  return isSameValue(before, after, type) ? [] : [invalidUnseen(path, IMMUTABLE)];
}

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
  if (left === right) return true;
  const isMissing = isAbsent(left, type);
  if (isMissing || isAbsent(right, type)) return isMissing && isAbsent(right, type);
  const { container, base } = parseType(type);
  if (container === 'list' && Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isSameValue(item, right[index], base));
  }
  if (base === 'quantity' && typeof left === 'string' && typeof right === 'string') {
    return parseQuantity(left).nano === parseQuantity(right).nano;
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return isSameJson(left, right);
  if (container === 'map') return isSameMap(left, right, base);
  const fields = fieldsOf(base);
  if (fields === undefined) return isSameJson(left, right);
  return Object.entries(fields).every(([field, fieldType]) =>
    isSameValue(unlessZero(field, left[field]), unlessZero(field, right[field]), fieldType),
  );
}

function isSameMap(left: JsonObject, right: JsonObject, type: string): boolean {
  const isSameEntry = (key: string): boolean => isSameValue(ownValue(left, key), ownValue(right, key), type);
  const isOnlyRight = (key: string): boolean => !Object.hasOwn(left, key);
  return Object.keys(left).every(isSameEntry) && Object.keys(right).filter(isOnlyRight).every(isSameEntry);
}

/** True for a value that counts as none. An empty item of a list is a value, as an empty argument is. */
function isAbsent(value: unknown, type: string): boolean {
  if (value === null || value === undefined) return true;
  const { container, base } = parseType(type);
  if (container === 'list') return !Array.isArray(value) || value.length === 0;
  return container === 'map' && isJsonObject(value) && Object.values(value).every((entry) => isAbsent(entry, base));
}

function unlessZero(field: string, value: unknown): unknown {
  const isZero = value === 0 || value === false ? ZERO_IS_ABSENT.has(field) : value === '' && !EMPTY_IS_SET.has(field);
  return isZero ? undefined : value;
}
