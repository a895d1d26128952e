import type { KubeObject } from '../../api/objects.ts';
import { type FieldError, forbidden } from '../field-error.ts';
import { fieldsWith } from './find-fields.ts';

/**
 * What this runner cannot do and refuses to run without. A stage of its own, after validation: a cluster would take
 * the object.
 */
export function refusedFields(object: KubeObject): FieldError[] {
  return fieldsWith(object, 'refused').map(({ path, value, rule }) =>
    forbidden(path, `not supported by this runner: ${rule.reason?.(value) ?? rule.note}`),
  );
}
