import { goQuote } from '../api/go-quote.ts';

/**
 * One mistake in a manifest, in the words of the API server: `path: type: value: detail`.
 * Source of the texts: k8s.io/apimachinery/pkg/util/validation/field/errors.go.
 */

/** The last five are podrun's own, for the stages before validation. */
export type FieldErrorType =
  | 'Required value'
  | 'Invalid value'
  | 'Unsupported value'
  | 'Forbidden'
  | 'Duplicate value'
  | 'Not found'
  | 'Too long'
  | 'Too short'
  | 'Too many'
  | 'Too few'
  | 'Internal error'
  | 'Parse error'
  | 'Invalid type'
  | 'Unknown field'
  | 'Duplicate field'
  | 'No match';

export interface FieldError {
  /** Dots for fields, `[0]` for list items, `[key]` for map entries; empty when the whole document is meant. */
  readonly path: string;
  readonly type: FieldErrorType;
  /** As shown: strings quoted, numbers and booleans bare, the rest as JSON. Absent when it is not shown. */
  readonly value?: string;
  /** May be empty. */
  readonly detail: string;
  /** What to do, a short phrase; printed after the line, not part of the API's text. */
  readonly hint?: string;
}

/** A value as error messages show it: strings quoted, numbers and booleans bare, `null`, the rest as compact JSON. */
export function renderValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === null || value === undefined) return 'null';
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? Number(item) : item));
}

export function required(path: string, detail = ''): FieldError {
  return { path, type: 'Required value', detail };
}

export function invalid(path: string, value: unknown, detail: string): FieldError {
  return { path, type: 'Invalid value', value: renderValue(value), detail };
}

/** `supported` is shown in the order given. */
export function notSupported(path: string, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length > 0 ? `supported values: ${supported.map(goQuote).join(', ')}` : '';
  return { path, type: 'Unsupported value', value: renderValue(value), detail };
}

export function forbidden(path: string, detail: string): FieldError {
  return { path, type: 'Forbidden', detail };
}

export function duplicate(path: string, value: unknown): FieldError {
  return { path, type: 'Duplicate value', value: renderValue(value), detail: '' };
}

export function notFound(path: string, value: unknown, detail = ''): FieldError {
  return { path, type: 'Not found', value: renderValue(value), detail };
}

/** More than `maxBytes` bytes; the value is never shown. */
export function tooLong(path: string, maxBytes: number): FieldError {
  return { path, type: 'Too long', detail: `may not be more than ${maxBytes} bytes` };
}

/** A list of `count` items where `max` are allowed. */
export function tooMany(path: string, count: number, max: number): FieldError {
  return { path, type: 'Too many', value: String(count), detail: `must have at most ${max} items` };
}

/** `type: value: detail` without empty parts: what a Status cause calls its message. */
export function formatFieldErrorBody(error: FieldError): string {
  return [error.type, error.value ?? '', error.detail].filter((part) => part !== '').join(': ');
}

/** `path: type: value: detail` without empty parts. */
export function formatFieldError(error: FieldError): string {
  const body = formatFieldErrorBody(error);
  return error.path === '' ? body : `${error.path}: ${body}`;
}

/** Errors that read the same are one: two rules may find the same mistake. */
export function withoutRepeats(errors: readonly FieldError[]): FieldError[] {
  return [...new Map(errors.map((error) => [formatFieldError(error), error])).values()];
}
