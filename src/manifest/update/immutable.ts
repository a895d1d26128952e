import { type FieldError, invalid } from '../base/field-error.ts';
import { invalidUnseen } from '../validate/checks.ts';
import { isSameValue } from './same-value.ts';

const IMMUTABLE = 'field is immutable';

/**
 * Reports a change of a field that must not change after the creation. Source:
 * k8s.io/apimachinery/pkg/api/validation/objectmeta.go, ValidateImmutableField.
 * @param type type of the field in the field table
 */
export function immutable(path: string, before: unknown, after: unknown, type: string): FieldError[] {
  return isSameValue(before, after, type) ? [] : [invalid(path, after, IMMUTABLE)];
}

/** Like `immutable`, for values that are too large to show. */
export function immutableUnseen(path: string, before: unknown, after: unknown, type: string): FieldError[] {
  return isSameValue(before, after, type) ? [] : [invalidUnseen(path, IMMUTABLE)];
}
