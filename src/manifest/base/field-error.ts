import { goJson, goQuote } from '../../api/index.ts';

/**
 * Field paths in error messages: dots for fields, `[0]` for list items, `[key]` for map entries. A path is plain text.
 */

/** Appends fields to a path: `spec` with `os` and `name` is `spec.os.name`. The empty path is the whole object. */
export function child(path: string, ...fields: readonly string[]): string {
  return [path, ...fields].filter((part) => part !== '').join('.');
}

export function item(path: string, index: number): string {
  return `${path}[${index}]`;
}

export function entry(path: string, key: string): string {
  return `${path}[${key}]`;
}

/**
 * One mistake in a manifest, in the words of the API server: `path: type: value: detail`.
 * Source of the texts: k8s.io/apimachinery/pkg/util/validation/field/errors.go.
 */

/** The kinds of mistakes. The last five are podrun's own, for the stages before validation. */
export type FieldErrorType =
  | 'Required value'
  | 'Invalid value'
  | 'Unsupported value'
  | 'Forbidden'
  | 'Duplicate value'
  | 'Not found'
  | 'Too long'
  | 'Too many'
  | 'Internal error'
  | 'Parse error'
  | 'Invalid type'
  | 'Unknown field'
  | 'Duplicate field'
  | 'No match';

export interface FieldError {
  /** The path: dots for fields, `[0]` for list items, `[key]` for map entries. Empty for the whole document. */
  readonly path: string;
  readonly type: FieldErrorType;
  /**
   * The value as shown: strings quoted, numbers and booleans bare, everything else as JSON. Absent when it is not
   * shown.
   */
  readonly value?: string;
  /** May be empty. */
  readonly detail: string;
  /** True for a wrong value that has another type: the words are the same, the reason of its cause is not. */
  readonly isOfOtherType?: boolean;
  /**
   * The type in the schema of a custom kind, for a mistake about its values whose words depend on the version of
   * Kubernetes. Not part of the text.
   */
  readonly schemaType?: string;
  /** A short phrase with advice, printed after the line. Not part of the API's text. */
  readonly hint?: string;
}

/**
 * Formats a value for error messages: strings quoted, numbers and booleans bare, `null`, everything else as compact
 * JSON.
 */
export function renderValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === null || value === undefined) return 'null';
  return goJson(value);
}

export function required(path: string, detail = ''): FieldError {
  return { path, type: 'Required value', detail };
}

export function invalid(path: string, value: unknown, detail: string): FieldError {
  return { path, type: 'Invalid value', value: renderValue(value), detail };
}

/** The mistake of a value of another type. */
export function typeInvalid(path: string, value: unknown, detail: string): FieldError {
  return { ...invalid(path, value, detail), isOfOtherType: true };
}

/** @param supported the supported values, in the order to show */
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

/** The mistake of a value with more than `maxBytes` bytes. The value is never shown. */
export function tooLong(path: string, maxBytes: number): FieldError {
  return { path, type: 'Too long', detail: `may not be more than ${maxBytes} bytes` };
}

/** The mistake of a list with `count` items where `max` are allowed. */
export function tooMany(path: string, count: number, max: number): FieldError {
  return { path, type: 'Too many', value: String(count), detail: `must have at most ${max} items` };
}

/** Formats `type: value: detail` without empty parts: the message of a cause in a Status. */
function formatFieldErrorBody(error: FieldError): string {
  return [error.type, error.value ?? '', error.detail].filter((part) => part !== '').join(': ');
}

/** Formats `path: type: value: detail` without empty parts. */
export function formatFieldError(error: FieldError): string {
  const body = formatFieldErrorBody(error);
  return error.path === '' ? body : `${error.path}: ${body}`;
}

/** Removes errors with equal texts: two rules may find the same mistake. */
export function withoutRepeats(errors: readonly FieldError[]): FieldError[] {
  return [...new Map(errors.map((error) => [formatFieldError(error), error])).values()];
}

/** Mistakes below a heading, as kubectl prints them: one on the same line, several on starred lines of their own. */
export function withHeading(heading: string, mistakes: readonly string[]): string[] {
  if (mistakes.length === 1) return [`${heading}: ${mistakes.join('')}`];
  return [`${heading}: `, ...mistakes.map((mistake) => `* ${mistake}`)];
}

/** A mistake as a cause of a Status (meta/v1 StatusCause). */
export interface FieldCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** Source: apimachinery/pkg/util/validation/field/errors.go, the names of ErrorType. */
const CAUSE_REASONS: Readonly<Partial<Record<FieldErrorType, string>>> = {
  'Required value': 'FieldValueRequired',
  'Invalid value': 'FieldValueInvalid',
  'Unsupported value': 'FieldValueNotSupported',
  Forbidden: 'FieldValueForbidden',
  'Duplicate value': 'FieldValueDuplicate',
  'Not found': 'FieldValueNotFound',
  'Too long': 'FieldValueTooLong',
  'Too many': 'FieldValueTooMany',
  'Invalid type': 'FieldValueTypeInvalid',
  'Internal error': 'InternalError',
};

/** The mistake as a cause of a Status. */
export function statusCauseOf(error: FieldError): FieldCause {
  const type = error.isOfOtherType === true ? 'Invalid type' : error.type;
  const reason = CAUSE_REASONS[type] ?? 'FieldValueInvalid';
  return { reason, message: formatFieldErrorBody(error), field: error.path };
}

/**
 * Fields of a Go struct, by their names in Go, each with the field of JSON and what stands for an absent one: a zero
 * value, the struct of the field, or in a list the struct of its items.
 */
export interface GoShape {
  readonly [goName: string]: readonly [field: string, absent: null | string | number | boolean | GoShape | [GoShape]];
}

/**
 * A value as the API server shows it in a message: with all fields of its Go struct, under their names in Go.
 * Source: field.Error of apimachinery, which prints structs as JSON of the internal types.
 */
export function inGo(value: Readonly<Record<string, unknown>> | undefined, shape: GoShape): Record<string, unknown> {
  const entries = Object.entries(shape).map(([goName, [field, absent]]) => {
    const given = value?.[field];
    if (Array.isArray(absent)) {
      return [goName, Array.isArray(given) ? given.map((item: object) => inGo({ ...item }, absent[0])) : null];
    }
    if (absent !== null && typeof absent === 'object') return [goName, given ? inGo({ ...given }, absent) : null];
    return [goName, given ?? absent];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}
