import { DEFAULT_NAMESPACE, type KubeObject } from '../api/index.ts';
import type { JudgeUnread, UnreadObject, JudgedObject } from '../manifest/index.ts';
import { definedKinds, type StoredOfKind } from './needed-api.ts';
import type { DefinedKind } from './custom/schema-rules.ts';

/**
 * Returns a function that judges objects of manifests that podrun itself does not read: CustomResourceDefinitions, and
 * the objects of their kinds, as an API server would with the definitions of the manifests and of the store.
 */
export function judgeOfUnread(stored: StoredOfKind): JudgeUnread {
  return (unread) => judge(stored, unread);
}

async function judge(stored: StoredOfKind, unread: readonly UnreadObject[]): Promise<readonly JudgedObject[]> {
  const known = unread.filter(({ noMatch }) => noMatch === undefined);
  const isDefined = definedKinds(stored, known);
  const given = known.flatMap(({ object }) => (object.kind === DEFINITION ? [object] : []));
  // Patterns and expressions are loaded for definitions and custom resources alone.
  const needsRules = unread.some(({ object, noMatch }) => object.kind === DEFINITION || noMatch !== undefined);
  if (!needsRules) return unread.map(() => ({ type: 'unchecked' }));
  const { rulesOfDefinitions } = await import('./custom/schema-rules.ts');
  const rulesOf = await rulesOfDefinitions([...stored('customresourcedefinitions'), ...given]);
  return unread.map(({ object, noMatch }) => {
    if (noMatch !== undefined && !isDefined(object)) return { type: 'undefined' };
    const kind = rulesOf(object);
    return kind === undefined ? { type: 'unchecked' } : judged(object, kind);
  });
}

const DEFINITION = 'CustomResourceDefinition';

function judged(written: KubeObject, { rules, isNamespaced }: DefinedKind): JudgedObject {
  const { namespace: given, generateName, ...named } = written.metadata;
  const namespace = isNamespaced ? (given ?? DEFAULT_NAMESPACE) : undefined;
  // An API server has chosen the name when it checks the object.
  const name = named.name ?? (generateName && `${generateName}00000`);
  const metadata = { ...named, ...(name !== undefined && { name }), ...(namespace !== undefined && { namespace }) };
  const { object, unknown, errors: wrong } = rules.decode({ ...written, metadata });
  const errors = wrong.length > 0 ? wrong : rules.validate(object, undefined);
  const warnings = errors.length > 0 ? [] : (rules.warnings?.(object) ?? []);
  return { type: 'checked', errors, unknown, warnings };
}
