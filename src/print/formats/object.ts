import type { ObjectMeta } from '../../api/index.ts';
import { formatJson } from './base/json.ts';
import { yamlString } from './yaml-scalar.ts';

/** The output formats for whole objects. */
type ObjectFormat = 'json' | 'yaml' | 'name';

/** Any object of the API, or a List of them. */
export interface PrintedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly items?: readonly PrintedObject[];
}

/** Wraps several objects in a List, as `get` prints them. */
export function listOf(items: readonly PrintedObject[]): PrintedObject {
  return { apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } };
}

/**
 * Formats an object as `-o json`, `-o yaml` or `-o name` does, with a newline at the end. `-o name` prints the items of
 * a List. managedFields are left out by default.
 */
export function renderObject(object: PrintedObject, format: ObjectFormat, showManagedFields = false): string {
  if (format === 'name') return (object.items ?? [object]).map((item) => `${resourceName(item)}\n`).join('');
  const printed = showManagedFields ? object : withoutManagedFields(object);
  return format === 'yaml' ? formatYaml(printed) : `${formatJson(printed, '\n')}\n`;
}

/** One line of a watch with `-o json`. */
export function renderWatchLine(type: string, object: PrintedObject, showManagedFields = false): string {
  const printed = showManagedFields ? object : withoutManagedFields(object);
  return `{"type":${formatJson(type)},"object":${formatJson(printed)}}\n`;
}

/** The name of a resource: `pod/web`, or outside the core group `deployment.apps/web`. */
function resourceName({ apiVersion, kind, metadata }: PrintedObject): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
  return `${kind.toLowerCase()}${group}/${metadata.name || '<unknown>'}`;
}

function withoutManagedFields(object: PrintedObject): PrintedObject {
  const { managedFields: _hidden, ...metadata } = object.metadata;
  const stripped = { ...object, metadata };
  return object.items === undefined ? stripped : { ...stripped, items: object.items.map(withoutManagedFields) };
}

/**
 * Formats an object as kubectl's YAML: keys sorted, two blanks of indent, list items at the indent of their key. Leaves
 * out undefined values, keeps null. Source: sigs.k8s.io/yaml on goyaml.v2.
 */
export function formatYaml(value: unknown): string {
  return `${block(value, 0, 0)}\n`;
}

/** Formats a value that begins in `column`. Further lines have at least `indent` blanks. */
function block(value: unknown, column: number, indent: number): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : sequence(value, indent);
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return entries.length === 0 ? '{}' : mapping(entries, indent);
  }
  return typeof value === 'string' ? yamlString(value, { column, indent: indent + 2 }) : String(value);
}

function sequence(items: readonly unknown[], indent: number): string {
  return items
    .map((item) => {
      // Collections begin after the dash, and continue below their own beginning.
      const inner = typeof item === 'object' && item !== null ? indent + 2 : indent;
      return `- ${block(item, indent + 2, inner)}`;
    })
    .join(`\n${' '.repeat(indent)}`);
}

function mapping(entries: Array<[key: string, value: unknown]>, indent: number): string {
  return entries
    .sort(([a], [b]) => compareKeys(a, b))
    .map(([key, value]) => {
      const title = `${yamlString(key, { column: indent, indent, isKey: true })}:`;
      if (isFilled(value)) {
        const inner = Array.isArray(value) ? indent : indent + 2;
        return `${title}\n${' '.repeat(inner)}${block(value, inner, inner)}`;
      }
      return `${title} ${block(value, indent + title.length + 1, indent)}`;
    })
    .join(`\n${' '.repeat(indent)}`);
}

/** True for a list or mapping that is not empty: it begins on a new line. */
function isFilled(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((item) => item !== undefined);
}

/** Compares keys as go-yaml does: numbers within a key by value, letters after everything else. */
function compareKeys(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  if (at === a.length || at === b.length) return a.length - b.length;
  const [left, right] = [a.charAt(at), b.charAt(at)];
  const [leftIsLetter, rightIsLetter] = [isLetter(left), isLetter(right)];
  if (leftIsLetter !== rightIsLetter) return rightIsLetter ? -1 : 1;
  if (leftIsLetter) return left < right ? -1 : 1;
  return compareDigits(a, b, at) || (left < right ? -1 : 1);
}

/** Compares the numbers at the first difference. 0 when neither key has one. */
function compareDigits(a: string, b: string, at: number): number {
  const [left, right] = [digitsAt(a, at), digitsAt(b, at)];
  // A zero after other digits is no leading zero: there the longer run of digits is the larger number.
  const behindDigits =
    /(?<!\d)0*[1-9]\d*$/.test(a.slice(0, at)) && (left.startsWith('0') || right.startsWith('0')) ? '1' : '';
  return Number(behindDigits + left) - Number(behindDigits + right) || left.length - right.length;
}

function digitsAt(key: string, at: number): string {
  return /^\d*/.exec(key.slice(at))?.[0] ?? '';
}

function isLetter(character: string): boolean {
  return /\p{L}/u.test(character);
}
