import type { KubeObject } from '../../api/index.ts';
import { fieldsWith, fieldsWithoutEffect, type FoundField } from './find-fields.ts';
import type { Isolation } from './rule.ts';

/** A field that is accepted and has no effect: one event. */
export interface FieldWithoutEffect {
  /** The paths of the field: several when several containers have it. */
  readonly paths: readonly string[];
  /** The reason, one short sentence. */
  readonly note: string;
}

/**
 * All fields of a stored object whose values have no effect here, in the order of the support table, without default
 * values. A client of an API server can store also fields that podrun refuses in manifests.
 */
export function groupIgnoredFields(object: KubeObject, isolation: Isolation = {}): FieldWithoutEffect[] {
  return grouped([...fieldsWith(object, 'refused'), ...fieldsWithoutEffect(object, isolation)]);
}

/** The fields of a manifest whose values have no effect, as {@link groupIgnoredFields} groups them. */
export function groupFieldsWithoutEffect(object: KubeObject): FieldWithoutEffect[] {
  return grouped(fieldsWithoutEffect(object, {}));
}

function grouped(fields: readonly FoundField[]): FieldWithoutEffect[] {
  const byField = new Map<string, { paths: string[]; note: string }>();
  for (const { path, field, rule } of fields) {
    const key = field.replace(/\b(initC|ephemeralC)ontainers\b/, 'containers');
    const known = byField.get(key);
    if (known === undefined) byField.set(key, { paths: [path], note: rule.note });
    else known.paths.push(path);
  }
  return [...byField.values()];
}

/** Paths of safety fields that nothing enforces here. They get one common warning. */
export function unenforcedPaths(object: KubeObject, isolation: Isolation = {}): string[] {
  return fieldsWithoutEffect(object, isolation)
    .filter(({ rule }) => rule.isSafety)
    .map(({ path }) => path);
}
