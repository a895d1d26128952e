import { sortedEntries } from '../labels.ts';
import { indent, line } from './line.ts';

/** Longer annotations than this, key included, get lines of their own. */
const ANNOTATION_LIMIT = 140;

/** The annotation in which kubectl keeps what it applied; nobody wants to read it twice. */
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
 * A title with one value per line. kubectl indents every piece it writes, so that inside a nested block the indent
 * shows up again in front of each value, and twice in front of the later lines.
 */
export function keyedLines(title: string, values: readonly string[], level: number): string[] {
  const margin = indent(level);
  const [first = '<none>', ...others] = values;
  return [
    line(level, `${title}:`, margin + first),
    ...others.map((value) => line(level, `${margin}\t${margin}${value}`)),
  ];
}

/** `Annotations:`, sorted by key; long and multi-line ones below their key. Source: printAnnotationsMultiline. */
export function describeAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  level: number = 0,
): string[] {
  const margin = indent(level);
  const shown = sortedEntries(annotations).filter(([key]) => key !== LAST_APPLIED);
  if (shown.length === 0) return [line(level, 'Annotations:', `${margin}<none>`)];
  return shown.flatMap(([key, text], index) => {
    const title = index === 0 ? `${margin}Annotations:\t${margin}` : `${margin}\t${margin}`;
    const value = text.replace(/\n$/, '');
    const fits = byteLength(key) + byteLength(value) + 2 <= ANNOTATION_LIMIT;
    if (fits && !value.includes('\n')) return [`${title}${key}: ${value}`];
    return [
      `${title}${key}:`,
      ...value.split('\n').map((part) => `${margin}\t  ${shorten(part, ANNOTATION_LIMIT - 2)}`),
    ];
  });
}

/** The first bytes of a text, marked when something is missing. */
export function shorten(text: string, limit: number): string {
  const bytes = new TextEncoder().encode(text);
  return bytes.length <= limit ? text : `${new TextDecoder().decode(bytes.subarray(0, limit))}...`;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
