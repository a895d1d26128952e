import type { KubeObject } from '../../api/objects.ts';
import { type FieldError, forbidden } from '../field-error.ts';
import { fieldsWith, fieldsWithoutEffect, type FoundField } from './find-fields.ts';

/**
 * What this runner cannot do and refuses to run without. A stage of its own, after validation: a cluster would take
 * the object.
 */
export function refusedFields(object: KubeObject): FieldError[] {
  return errorsOf(fieldsWith(object, 'refused'));
}

/** What has no effect, for those who would rather have nothing started then. */
export function idleFieldErrors(object: KubeObject, areApart = false): FieldError[] {
  return errorsOf(fieldsWithoutEffect(object, areApart));
}

function errorsOf(fields: readonly FoundField[]): FieldError[] {
  return fields.map(({ path, value, rule }) =>
    forbidden(path, `not supported by this runner: ${rule.reason?.(value) ?? rule.note}`),
  );
}
