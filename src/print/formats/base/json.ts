import { sortedEntries } from '../../text/labels.ts';

/**
 * Formats JSON as Go's encoder does: keys in byte order at every depth (JavaScript would put numeric keys first), and
 * characters of HTML markup escaped.
 * @param lineBreak a newline with the indent of this level, four blanks per level; undefined for a single line
 */
export function formatJson(value: unknown, lineBreak?: string): string {
  if (typeof value !== 'object' || value === null) return escapeHtml(JSON.stringify(value ?? null));
  const inner = lineBreak === undefined ? undefined : `${lineBreak}    `;
  if (Array.isArray(value)) {
    const items = value.map((item) => formatJson(item, inner));
    return enclose('[', items, ']', lineBreak);
  }
  const colon = lineBreak === undefined ? ':' : ': ';
  const entries = sortedEntries(value as Record<string, unknown>).filter(([, item]) => item !== undefined);
  const members = entries.map(([key, item]) => `${formatJson(key)}${colon}${formatJson(item, inner)}`);
  return enclose('{', members, '}', lineBreak);
}

function enclose(open: string, parts: readonly string[], close: string, lineBreak: string | undefined): string {
  if (parts.length === 0 || lineBreak === undefined) return `${open}${parts.join(',')}${close}`;
  const inner = `${lineBreak}    `;
  return `${open}${inner}${parts.join(`,${inner}`)}${lineBreak}${close}`;
}

function escapeHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    return String.raw`\u${code}`;
  });
}
