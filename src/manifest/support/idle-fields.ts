import type { KubeObject } from '../../api/objects.ts';
import { fieldsWithoutEffect } from './find-fields.ts';

/** A field that is taken and has no effect: one event. */
export interface IdleField {
  /** Where it stands; more than one when several containers have it. */
  readonly paths: readonly string[];
  /** Why it has none: one short sentence. */
  readonly note: string;
}

/**
 * Every field with a value that has no effect here, in the order of the support table; defaults are not told.
 * @param areApart whether containers have views of their own
 */
export function idleFields(object: KubeObject, areApart = false): IdleField[] {
  const byField = new Map<string, { paths: string[]; note: string }>();
  for (const { path, field, rule } of fieldsWithoutEffect(object, areApart)) {
    const key = field.replace(/\b(initC|ephemeralC)ontainers\b/, 'containers');
    const known = byField.get(key);
    if (known === undefined) byField.set(key, { paths: [path], note: rule.note });
    else known.paths.push(path);
  }
  return [...byField.values()];
}

/** Paths of the fields that people rely on to be kept safe and that nobody enforces here: one warning for all. */
export function notEnforced(object: KubeObject, areApart = false): string[] {
  return fieldsWithoutEffect(object, areApart)
    .filter(({ rule }) => rule.isSafety)
    .map(({ path }) => path);
}
