import { type FieldError, invalid, notSupported, tooLong, typeInvalid } from '../../../manifest/index.ts';
import { isSameJson, ownValue } from '../../../api/index.ts';
import type { SchemaProps } from '../base/schema.ts';
import { fitsPattern } from '../base/patterns.ts';
import { hasFormat } from './formats.ts';

/** The mistakes of a number. Source: go-openapi/validate, and its texts in go-openapi/errors. */
export function checkNumber(schema: SchemaProps, value: number, at: string): FieldError[] {
  const { minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false, multipleOf, format } = schema;
  const complain = (text: string): FieldError => invalid(at, value, `${at} in body ${text}`);
  const errors: FieldError[] = [];
  const range = format === undefined ? undefined : ownValue(RANGES, format);
  if (range !== undefined && !(value >= range[0] && value <= range[1])) {
    errors.push(typeInvalid(at, 'number', `${at} in body must be of type ${format}: "number"`));
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    errors.push(complain(`should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`));
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    errors.push(complain(`should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`));
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) {
    errors.push(complain(`should be a multiple of ${multipleOf}`));
  }
  return errors;
}

const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63],
};

/** The mistakes of a text. */
export function checkText(schema: SchemaProps, value: string, at: string): FieldError[] {
  const { format } = schema;
  const own = checkLengthAndPattern(schema, value, at);
  const errors = own === undefined ? [] : [own];
  if (format !== undefined && !hasFormat(format, value)) {
    errors.push(typeInvalid(at, value, `${at} in body must be of type ${format}: ${JSON.stringify(value)}`));
  }
  return errors;
}

/** The first of these mistakes alone counts. */
function checkLengthAndPattern(
  { minLength, maxLength, pattern }: SchemaProps,
  value: string,
  at: string,
): FieldError | undefined {
  const length = minLength === undefined && maxLength === undefined ? 0 : Array.from(value).length;
  if (maxLength !== undefined && length > maxLength) return { ...tooLong(at, maxLength), schemaType: 'string' };
  if (minLength !== undefined && length < minLength)
    return invalid(at, value, `${at} in body should be at least ${minLength} chars long`);
  const fits = pattern === undefined || fitsPattern(pattern, value);
  return fits ? undefined : invalid(at, value, `${at} in body should match '${pattern}'`);
}

/** The mistake of a value that is not in the enumeration. */
export function checkEnum({ enum: values }: SchemaProps, value: unknown, at: string): FieldError[] {
  if (values === undefined || values.some((one) => isSameJson(one, value))) return [];
  const texts = values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  return [notSupported(at, value, texts)];
}
