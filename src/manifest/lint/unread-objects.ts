import type { LoadResult } from '../check/load.ts';
import type { UnreadObject } from '../check/load-object.ts';
import type { FieldError } from '../base/field-error.ts';
import { undefinedKindText } from '../check/identify.ts';
import type { Finding, FindingRule } from './finding.ts';
import { errorFields, notChecked, placed, type PlacedFinding, RULE_OF } from './finding-at.ts';

/** The verdict about an object that podrun does not read, as an API server would give it. */
export type JudgedObject =
  | { readonly type: 'undefined' }
  | { readonly type: 'unchecked' }
  | {
      readonly type: 'checked';
      readonly errors: readonly FieldError[];
      /** The paths of fields that the schema does not have. */
      readonly unknown: readonly string[];
      readonly warnings: readonly string[];
    };

/** Judges the objects that only an API server knows, in their order. */
export type JudgeUnread = (unread: readonly UnreadObject[]) => Promise<readonly JudgedObject[]>;

/** The objects of all files are judged together: a definition may be in another file. */
export async function judgedIn(
  results: readonly LoadResult[],
  judge: JudgeUnread | undefined,
): Promise<ReadonlyMap<UnreadObject, JudgedObject>> {
  const unread = results.flatMap((result) => result.unread);
  if (unread.length === 0) return new Map();
  const verdicts = (await judge?.(unread)) ?? unread.map(({ noMatch }) => (noMatch ? UNDEFINED : UNCHECKED));
  return new Map(unread.flatMap((each, index) => (verdicts[index] ? [[each, verdicts[index]]] : [])));
}

const UNDEFINED: JudgedObject = { type: 'undefined' };
const UNCHECKED: JudgedObject = { type: 'unchecked' };

/** The findings about an object that only an API server knows. */
export function unreadFindings(
  { object, isChecked, subject, position, positionOf }: UnreadObject,
  verdict: JudgedObject = UNCHECKED,
  noSkip: boolean,
): Finding[] {
  if (isChecked) return [];
  if (verdict.type === 'unchecked')
    return [notChecked(subject, position, `podrun does not know the fields of ${object.kind}`, noSkip)];
  const at = (path: string): PlacedFinding => placed(subject, path === '' ? position : positionOf(path));
  const warning = (rule: FindingRule, message: string): Finding => {
    return {
      ...at(''),
      level: noSkip && rule === 'undefined-kind' ? 'error' : 'warning',
      rule,
      path: '',
      message,
      hint: undefined,
    };
  };
  if (verdict.type === 'undefined') return [warning('undefined-kind', undefinedKindText(object))];
  return [
    ...verdict.unknown.map((path): Finding => {
      const message = `unknown field ${JSON.stringify(path)}`;
      return { ...at(path), level: 'error', rule: 'unknown-field', path, message, hint: undefined };
    }),
    ...verdict.errors.map((error): Finding => {
      return { ...at(error.path), level: 'error', rule: RULE_OF[error.type], ...errorFields(error) };
    }),
    ...verdict.warnings.map((text) => warning('server-warning', text)),
  ];
}
