import { goText, inWholeSeconds, type StoredKubeObject } from '../../../api/index.ts';
import { sortedEntries } from '../../text/labels.ts';
import { describeIdentity, line } from '../lines.ts';

/** The fields that the lines about the identity show, and managedFields. */
const NOT_REPEATED: ReadonlySet<string> = new Set([
  'metadata.managedFields',
  'metadata.name',
  'metadata.namespace',
  'metadata.labels',
  'metadata.annotations',
]);

/**
 * The lines of `describe` about an object of any kind: all of its fields. kubectl describes the kinds in this way for
 * which it has no form. Source: describe.go, genericDescriber.
 */
export function describeAnyKind(object: StoredKubeObject): string[] {
  return [...describeIdentity(object), ...describeFields(inWholeSeconds(object), 0, '')];
}

function describeFields(fields: object, level: number, prefix: string): string[] {
  return sortedEntries(fields as Record<string, unknown>).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    if (NOT_REPEATED.has(path)) return [];
    const title = `${titleOf(name)}:`;
    if (Array.isArray(value)) {
      const items: readonly unknown[] = value;
      return [line(level, title), ...items.flatMap((item) => describeItem(item, level + 1, `${path}.`))];
    }
    if (isFields(value)) return [line(level, title), ...describeFields(value, level + 1, `${path}.`)];
    return [line(level, title, goText(value))];
  });
}

function describeItem(item: unknown, level: number, prefix: string): string[] {
  return isFields(item) ? describeFields(item, level, prefix) : [line(level, goText(item))];
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const ACRONYMS: ReadonlySet<string> = new Set(['API', 'URL', 'UID', 'OSB', 'GUID']);

/** Runs of small letters with the capital in front, runs of capitals, and dashes. */
const WORD = /\p{Lu}?\p{Ll}+|(?:\p{Lu}(?!\p{Ll}))+|-/gu;

/** The title of a field: `ownerReferences` is `Owner References`, `uid` is `UID`. Source: smartLabelFor. */
function titleOf(name: string): string {
  if (/[^\p{L}-]/u.test(name)) return name;
  const words = [...name.matchAll(WORD)].map(([word]) => {
    const upper = word.toUpperCase();
    return ACRONYMS.has(upper) ? upper : word.charAt(0).toUpperCase() + word.slice(1);
  });
  return words.join(' ');
}
