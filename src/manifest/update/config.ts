import type { ConfigMap, Secret } from '../../api/generated/types.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, forbidden } from '../base/field-error.ts';
import { immutable } from './immutable.ts';
import { isSameValue } from './same-value.ts';

/** The message for a change of an immutable object (KEP-1412). Source: pkg/apis/core/validation/validation.go. */
const IMMUTABLE_MESSAGE = 'field is immutable when `immutable` is set';

export function validateConfigMapUpdate(stored: Decoded<ConfigMap>, changed: Decoded<ConfigMap>): FieldError[] {
  return validateImmutableData(stored, changed, ['data', 'binaryData']);
}

export function validateSecretUpdate(stored: Decoded<Secret>, changed: Decoded<Secret>): FieldError[] {
  return [
    ...immutable('type', stored.type, changed.type, 'string'),
    ...validateImmutableData(stored, changed, ['data']),
  ];
}

interface Sealable {
  readonly immutable?: boolean | undefined;
  readonly data?: unknown;
  readonly binaryData?: unknown;
}

function validateImmutableData(
  stored: Sealable,
  changed: Sealable,
  fields: readonly ('data' | 'binaryData')[],
): FieldError[] {
  if (stored.immutable !== true) return [];
  const differing = fields.filter((field) => !isSameValue(stored[field], changed[field], 'map:string'));
  const paths = changed.immutable === true ? differing : ['immutable', ...differing];
  return paths.map((path) => forbidden(path, IMMUTABLE_MESSAGE));
}
