import type { KubeObject } from '../../api/index.ts';
import { type FieldError, forbidden } from '../base/field-error.ts';
import { fieldsWith, fieldsWithoutEffect, type FoundField } from './find-fields.ts';
import type { Isolation } from './rule.ts';

/**
 * Fields that podrun cannot fulfil and refuses. This is a stage of its own after validation: a cluster would accept the
 * object.
 */
export function refusedFields(object: KubeObject): FieldError[] {
  return errorsOf(fieldsWith(object, 'refused'));
}

/** Errors for fields without effect, for `--strict`. */
export function withoutEffectErrors(object: KubeObject, isolation: Isolation = {}): FieldError[] {
  return errorsOf(fieldsWithoutEffect(object, isolation));
}

function errorsOf(fields: readonly FoundField[]): FieldError[] {
  return fields.map(({ path, rule }) => forbidden(path, `not supported by this runner: ${rule.note}`));
}
