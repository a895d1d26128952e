import type { KubeObject } from '../../api/objects.ts';
import { fieldsWith } from './find-fields.ts';

/** A field that is taken and has no effect: one event. */
export interface IdleField {
  /** Where it stands; more than one when several containers have it. */
  readonly paths: readonly string[];
  /** Why it has none: one short sentence. */
  readonly note: string;
}

/** Every field with a value that has no effect here, in the order of the support table; defaults are not told. */
export function idleFields(object: KubeObject): IdleField[] {
  const byField = new Map<string, { paths: string[]; note: string }>();
  for (const { path, field, rule } of fieldsWith(object, 'no effect')) {
    const key = field.replace(/\b(initC|ephemeralC)ontainers\b/, 'containers');
    const known = byField.get(key);
    if (known === undefined) byField.set(key, { paths: [path], note: rule.note });
    else known.paths.push(path);
  }
  return [...byField.values()];
}

/** Paths of the fields that people rely on to be kept safe and that nobody enforces here: one warning for all. */
export function notEnforced(object: KubeObject): string[] {
  return fieldsWith(object, 'no effect')
    .filter(({ rule }) => rule.isSafety)
    .map(({ path }) => path);
}
