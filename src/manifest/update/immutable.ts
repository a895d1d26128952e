import type { FieldError } from '../field-error.ts';
import { invalid } from '../field-error.ts';
import { invalidUnseen } from '../validate/checks.ts';
import { isSameValue } from './same-value.ts';

const IMMUTABLE = 'field is immutable';

/**
 * A field that stays as it was when the object was made.
 * Source: k8s.io/apimachinery/pkg/api/validation/objectmeta.go, ValidateImmutableField.
 * @param type in the field table
 */
export function immutable(path: string, before: unknown, after: unknown, type: string): FieldError[] {
  return isSameValue(before, after, type) ? [] : [invalid(path, after, IMMUTABLE)];
}

/** As `immutable`, for what is too large to be shown. */
export function immutableUnseen(path: string, before: unknown, after: unknown, type: string): FieldError[] {
  return isSameValue(before, after, type) ? [] : [invalidUnseen(path, IMMUTABLE)];
}
