import { controllerOf, type StoredMeta } from '../../api/index.ts';
import { byteLength } from '../../lifecycle/index.ts';
import { sortedEntries } from '../text/labels.ts';
import { DESCRIBE_LAYOUT, TabWriter } from '../text/tab-writer.ts';
import { escapeTerminal } from '../text/terminal-text.ts';

/**
 * One line of `describe` without its newline: cells separated by tabs, two blanks of indent per level. One TabWriter
 * aligns all lines, because neighbouring blocks share their columns.
 */
export function line(level: number, ...cells: readonly string[]): string {
  return indent(level) + cells.join('\t');
}

/** The blanks in front of a line of a level. */
export function indent(level: number): string {
  return '  '.repeat(level);
}

/** Aligns lines of `describe`, and escapes control characters. */
export function align(lines: readonly string[]): string {
  return new TabWriter(DESCRIBE_LAYOUT).render(escapeTerminal(`${lines.join('\n')}\n`));
}

/** A line, or none without a value. */
export function optional(title: string, value: string | number | undefined | null): string[] {
  return value === undefined || value === null || value === '' ? [] : [line(0, title, String(value))];
}

/** The length of key and value beyond which an annotation gets lines of its own. */
const ANNOTATION_LIMIT = 140;

/** The annotation in which kubectl keeps the last applied manifest. `describe` hides it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** `Labels:` or `Node-Selectors:`, one `k=v` per line, sorted by key. */
export function describeLabels(
  title: string,
  labels: Readonly<Record<string, string>> | undefined,
  level: number = 0,
): string[] {
  const pairs = sortedEntries(labels).map(([key, value]) => `${key}=${value}`);
  return keyedLines(title, pairs, level);
}

/**
 * A title with one value per line. kubectl indents every part that it writes: in a nested block, the indent appears
 * again in front of each value, and twice in front of later lines.
 */
export function keyedLines(title: string, values: readonly string[], level: number): string[] {
  const margin = indent(level);
  const [first = '<none>', ...others] = values;
  return [
    line(level, `${title}:`, margin + first),
    ...others.map((value) => line(level, `${margin}\t${margin}${value}`)),
  ];
}

/** The lines with which `describe` begins for most kinds: name, namespace, labels and annotations. */
export function describeIdentity({ metadata }: { readonly metadata: StoredMeta }): string[] {
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Namespace:', metadata.namespace),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
  ];
}

/** The line `Controlled By:` of an object that has a controller. */
export function describeController(object: { readonly metadata: StoredMeta }): string[] {
  const controller = controllerOf(object);
  return controller === undefined ? [] : [line(0, 'Controlled By:', `${controller.kind}/${controller.name}`)];
}

/** The block `Annotations:`, sorted by key, long values below their key. Source: printAnnotationsMultiline. */
export function describeAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  title: string = 'Annotations',
  level: number = 0,
): string[] {
  const margin = indent(level);
  const visible = sortedEntries(annotations).filter(([key]) => key !== LAST_APPLIED);
  if (visible.length === 0) return [line(level, `${title}:`, `${margin}<none>`)];
  return visible.flatMap(([key, text], index) => {
    const start = index === 0 ? `${margin}${title}:\t${margin}` : `${margin}\t${margin}`;
    const value = text.replace(/\n$/, '');
    const fits = byteLength(key) + byteLength(value) + 2 <= ANNOTATION_LIMIT;
    if (fits && !value.includes('\n')) return [`${start}${key}: ${value}`];
    return [
      `${start}${key}:`,
      ...value.split('\n').map((part) => `${margin}\t  ${shorten(part, ANNOTATION_LIMIT - 2)}`),
    ];
  });
}

/** The first bytes of a text, with a mark where it was cut. */
export function shorten(text: string, limit: number): string {
  const bytes = new TextEncoder().encode(text);
  return bytes.length <= limit ? text : `${new TextDecoder().decode(bytes.subarray(0, limit))}...`;
}
