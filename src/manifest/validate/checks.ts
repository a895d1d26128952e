import { formatQuantity, parseQuantity } from '../../api/index.ts';
import { child, duplicate, type FieldError, invalid, item, notSupported, required } from '../base/field-error.ts';

/** Small rules that many fields share. Each returns the mistakes; an empty list is a good value. */

/** Makes one error of each message that `messagesOf` returns for the text. */
export function wellFormed(path: string, text: string, messagesOf: (text: string) => string[]): FieldError[] {
  return messagesOf(text).map((message) => invalid(path, text, message));
}

/** Like `wellFormed`, but accepts an absent or empty text. */
export function wellFormedIfSet(
  path: string,
  text: string | undefined,
  messagesOf: (text: string) => string[],
): FieldError[] {
  return text ? wellFormed(path, text, messagesOf) : [];
}

/** Like `wellFormed`, but reports an absent or empty text as missing. */
export function requiredWellFormed(
  path: string,
  text: string | undefined,
  messagesOf: (text: string) => string[],
): FieldError[] {
  return text ? wellFormed(path, text, messagesOf) : [required(path)];
}

export function requiredText(path: string, text: string | undefined): FieldError[] {
  return text ? [] : [required(path)];
}

/** Requires one of a few texts, or none. Messages show `supported` in the order given. */
export function oneOfIfSet(path: string, text: string | undefined, supported: readonly string[]): FieldError[] {
  return text === undefined || supported.includes(text) ? [] : [notSupported(path, text, supported)];
}

/** Requires one of a few texts. An absent or empty text is missing. */
export function requiredOneOf(path: string, text: string | undefined, supported: readonly string[]): FieldError[] {
  return text ? oneOfIfSet(path, text, supported) : [required(path)];
}

export const NEGATIVE_MESSAGE = 'must be greater than or equal to 0';

export function notNegative(path: string, value: number | undefined): FieldError[] {
  return value !== undefined && value < 0 ? [invalid(path, value, NEGATIVE_MESSAGE)] : [];
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

export const INT32_MAX: number = 2 ** 31 - 1;

export function inRange(path: string, value: number, { min, max }: Range): FieldError[] {
  return value < min || value > max ? [invalid(path, value, `must be between ${min} and ${max}, inclusive`)] : [];
}

/** The mistakes of all items of a list. */
export function each<T>(
  path: string,
  items: readonly T[] | undefined,
  check: (item: T, path: string, index: number) => FieldError[],
): FieldError[] {
  return (items ?? []).flatMap((value, index) => check(value, item(path, index), index));
}

/** An error that does not show the value, since the value is too large or Go formats it differently. */
export function invalidUnseen(path: string, detail: string): FieldError {
  return { path, type: 'Invalid value', detail };
}

/** Requires a quantity, if there is one, to be 0 or more. Source: apimachinery, ValidateNonnegativeQuantity. */
export function validateNotNegativeQuantity(path: string, text: string | undefined): FieldError[] {
  if (text === undefined) return [];
  const quantity = parseQuantity(text);
  return quantity.nano < 0n ? [invalid(path, formatQuantity(quantity), NEGATIVE_MESSAGE)] : [];
}

/** Each item but the first of its kind is a mistake. */
export function repeated<T>(path: string, items: readonly T[], keyOf: (item: T) => string, field = ''): FieldError[] {
  const keys = items.map(keyOf);
  return keys.flatMap((key, index) =>
    keys.indexOf(key) < index ? [duplicate(child(item(path, index), field), key)] : [],
  );
}

/** Requires a relative path without `..`. */
export function descendingPath(path: string, file: string): FieldError[] {
  const absolute = file.startsWith('/') ? [invalid(path, file, 'must be a relative path')] : [];
  return [...absolute, ...noBacksteps(path, file)];
}

export function noBacksteps(path: string, file: string): FieldError[] {
  return file.split('/').includes('..') ? [invalid(path, file, "must not contain '..'")] : [];
}

/** Requires a relative path that does not begin with two dots: the kubelet uses such names for its own files. */
export function unreservedPath(path: string, file: string): FieldError[] {
  const isReserved = file.startsWith('..') && !file.startsWith('../');
  const reserved = isReserved ? [invalid(path, file, "must not start with '..'")] : [];
  return [...descendingPath(path, file), ...reserved];
}
