import { type FieldError, invalid, notSupported, required } from '../base/field-error.ts';
import { item } from '../base/path.ts';

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
