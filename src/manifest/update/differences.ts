import { fieldsOf, isJsonObject } from '../../api/index.ts';
import { parseType } from '../decode/fields.ts';
import { renderValue } from '../base/field-error.ts';
import { child, entry, item } from '../base/path.ts';
import { isSameValue } from './same-value.ts';

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
