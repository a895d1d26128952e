import type { PolicyRule } from './permissions.ts';

/** Names that stand for several verbs. */
const VERBS: Readonly<Record<string, string>> = {
  read: 'get,list,watch',
  write: 'create,delete,deletecollection,patch,update',
};

const listOf = (text: string): string[] => text.split(',').toSorted();

/**
 * A rule from a line: `VERBS GROUPS RESOURCES`, with `NAMES` behind it, or `VERBS PATHS`. Each part is a list with
 * commas; `core` is the group without a name; `read` and `write` stand for several verbs.
 */
export function ruleOfLine(line: string): PolicyRule {
  const [verbTexts = '', second = '', resources = '', names] = line.split(' ');
  const verbs = verbTexts.split(',').map((verb) => VERBS[verb] ?? verb);
  if (resources === '') return { verbs: listOf(verbs.join(',')), nonResourceURLs: listOf(second) };
  return {
    verbs: listOf(verbs.join(',')),
    apiGroups: listOf(second).map((group) => (group === 'core' ? '' : group)),
    resources: listOf(resources),
    ...(names !== undefined && { resourceNames: listOf(names) }),
  };
}
