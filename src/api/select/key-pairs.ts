import { usage } from '../base/errors.ts';
import { labelValueMessages } from '../base/names.ts';

/** Changes of labels or annotations. */
export interface PairEdits {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

type TextMap = Readonly<Record<string, string>>;

/**
 * Separates objects and pairs of a command line: `pod web app=web tier-`. Source: kubectl/pkg/cmd/util/helpers.go
 * GetResourcesAndPairs.
 * @param what the kind of pairs, for messages
 * @throws {PodrunError} (usage) when an object follows a pair
 */
export function splitPairs(
  words: readonly string[],
  what: 'annotation' | 'condition' | 'environment' | 'image' | 'label',
): { readonly resources: readonly string[]; readonly pairs: readonly string[] } {
  const isPair = (word: string): boolean => word.includes('=') || word.endsWith('-');
  const first = words.findIndex(isPair);
  if (first < 0) return { resources: words, pairs: [] };
  const late = words.slice(first).find((word) => !isPair(word));
  if (late !== undefined) throw usage(`all resources must be specified before ${what} changes: ${late}`);
  return { resources: words.slice(0, first), pairs: words.slice(first) };
}

/**
 * Parses `KEY=VALUE` and `KEY-` of `label`. The validation of the object checks the keys. Source:
 * kubectl/pkg/cmd/label/label.go parseLabels.
 * @throws {PodrunError} (usage)
 */
export function parseLabelPairs(pairs: readonly string[]): PairEdits {
  const set = new Map<string, string>();
  const remove: string[] = [];
  for (const pair of pairs) {
    const [key = '', value, ...rest] = pair.split('=');
    if (value === undefined) remove.push(pair.slice(0, -1));
    else if (rest.length > 0) throw usage(`invalid label spec: ${pair}`);
    else {
      const wrong = labelValueMessages(value);
      if (wrong.length > 0) throw usage(`invalid label value: ${JSON.stringify(pair)}: ${wrong.join(';')}`);
      set.set(key, value);
    }
  }
  const both = remove.find((key) => set.has(key));
  if (both !== undefined) throw usage('can not both modify and remove a label in the same command');
  return { set, remove };
}

/**
 * Parses `KEY=VALUE` and `KEY-` of `annotate`. Values are arbitrary. Source: kubectl/pkg/cmd/annotate/annotate.go,
 * kubectl/pkg/cmd/util/helpers.go ParsePairs.
 * @throws {PodrunError} (usage)
 */
export function parseAnnotationPairs(pairs: readonly string[]): PairEdits {
  const wrong = pairs.filter((pair) => pair.startsWith('=') || pair === '-');
  if (wrong.length > 0) throw usage(`invalid annotation format: ${wrong.join(', ')}`);
  const isSet = (pair: string): boolean => pair.includes('=');
  const set = new Map(
    pairs.filter(isSet).map((pair) => {
      const equals = pair.indexOf('=');
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
  const remove = pairs.filter((pair) => !isSet(pair)).map((pair) => pair.slice(0, -1));
  const both = remove.filter((key) => set.has(key));
  if (both.length > 0) {
    throw usage(`can not both modify and remove the following annotations in the same command: ${both.join(', ')}`);
  }
  return { set, remove };
}

/** The messages of keys that would get another value than they have. */
export function clashes(present: TextMap | undefined, { set }: PairEdits): string[] {
  return [...set].flatMap(([key, value]) => {
    const before = present?.[key];
    return before === undefined || before === value ? [] : [`'${key}' already has a value (${before})`];
  });
}

/** The changed labels or annotations. Undefined: none are left. */
export function editPairs(present: TextMap | undefined, { set, remove }: PairEdits): TextMap | undefined {
  const pairs = new Map([...Object.entries(present ?? {}), ...set]);
  for (const key of remove) pairs.delete(key);
  return pairs.size === 0 ? undefined : Object.fromEntries(pairs);
}
