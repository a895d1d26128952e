import type { Toleration } from '../../api/generated/types.ts';
import type { Decoded } from '../decoded.ts';
import { type FieldError, forbidden } from '../field-error.ts';
import { omit } from '../default/fill.ts';
import { isSameValue } from './same-value.ts';

type Tolerations = readonly Decoded<Toleration>[];

/**
 * Allows added tolerations, and changes of the seconds of existing ones.
 * Source: pkg/apis/core/validation/validation.go, validateOnlyAddedTolerations.
 */
export function validateAddedTolerations(before: Tolerations, after: Tolerations): FieldError[] {
  const isThere = (old: Decoded<Toleration>): boolean =>
    after.some((toleration) => isSameValue(withoutSeconds(old), withoutSeconds(toleration), 'Toleration'));
  if (before.every(isThere)) return [];
  return [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}

function withoutSeconds(toleration: Decoded<Toleration>): Decoded<Toleration> {
  return omit(toleration, ['tolerationSeconds']);
}
