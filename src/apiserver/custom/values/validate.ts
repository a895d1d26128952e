import { type FieldError, invalid, required, tooMany, typeInvalid } from '../../../manifest/index.ts';
import { isJsonObject, type JsonObject, OBJECT_FIELDS } from '../../../api/index.ts';
import { childPath, fieldSchema, isEmbeddedResource, type SchemaProps } from '../base/schema.ts';
import { checkEnum, checkNumber, checkText } from './scalars.ts';

/**
 * The mistakes of a value by its schema, in the words of the API server. Source: apiextensions,
 * pkg/apiserver/validation/validation.go, and go-openapi/validate.
 */
export function validateValue(schema: SchemaProps, value: unknown, at: string): FieldError[] {
  if (value === null && schema.nullable === true) return [];
  const type = checkType(schema, value, at);
  if (type.length > 0) return type;
  const own = [...checkEnum(schema, value, at), ...checkAlternatives(schema, value, at)];
  if (typeof value === 'number') return [...checkNumber(schema, value, at), ...own];
  if (typeof value === 'string') return [...checkText(schema, value, at), ...own];
  if (Array.isArray(value)) return [...checkList(schema, value, at), ...own];
  return isJsonObject(value) ? [...checkObject(schema, value, at), ...own] : own;
}

/** The name of a type in messages. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function checkType(schema: SchemaProps, value: unknown, at: string): FieldError[] {
  const actual = typeOf(value);
  const { type } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (actual === 'integer' || actual === 'string') return [];
    return [typeInvalid(at, actual, `${at} in body must be of type integer,string: "${actual}"`)];
  }
  if (type === undefined || type === '' || type === actual || (type === 'number' && actual === 'integer')) return [];
  const { format = '' } = schema;
  if (type === 'integer' && actual === 'number' && INTEGERS.has(format)) {
    const why = `Checked value must be of type integer with format ${format} in ${at}`;
    return [
      typeInvalid(at, 'float64', `${at} in body must be of type ${format}: "float64"`),
      invalid(NOWHERE, '', why),
    ];
  }
  return [typeInvalid(at, actual, `${at} in body must be of type ${type}: "${actual}"`)];
}

const INTEGERS: ReadonlySet<string> = new Set(['int32', 'int64', 'uint32', 'uint64']);

/** The place of a mistake about which the API server does not say where it is. */
export const NOWHERE = '<nil>';

function checkList(schema: SchemaProps, list: readonly unknown[], at: string): FieldError[] {
  const { minItems, maxItems, items } = schema;
  const errors =
    items === undefined ? [] : list.flatMap((item, index) => validateValue(items, item, `${at}[${index}]`));
  if (minItems !== undefined && list.length < minItems) {
    errors.push(invalid(at, list.length, `${at} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && list.length > maxItems) errors.push(tooMany(at, list.length, maxItems));
  return errors;
}

function checkObject(schema: SchemaProps, object: JsonObject, at: string): FieldError[] {
  const names = Object.keys(object);
  const { minProperties, maxProperties, required: needed = [] } = schema;
  const errors: FieldError[] = [];
  if (minProperties !== undefined && names.length < minProperties) {
    errors.push(invalid(at, names.length, `${at} in body should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    errors.push(tooMany(at, names.length, maxProperties));
  }
  for (const name of needed) if (object[name] === undefined) errors.push(required(childPath(at, name)));
  const isEmbedded = isEmbeddedResource(schema);
  const isObject = at === '' || isEmbedded;
  for (const name of isEmbedded ? ['apiVersion', 'kind'] : [])
    if (object[name] === undefined && !needed.includes(name)) errors.push(required(childPath(at, name)));
  for (const name of names) {
    const known = fieldSchema(schema, name);
    // The server checks the fields of every object itself.
    if (known === undefined || object[name] === undefined || (isObject && OBJECT_FIELDS.has(name))) continue;
    errors.push(...validateValue(known, object[name], childPath(at, name)));
  }
  return errors;
}

/** `allOf`, `anyOf`, `oneOf` and `not`. The mistakes of the alternatives come first, then that none fits. */
function checkAlternatives(schema: SchemaProps, value: unknown, at: string): FieldError[] {
  const { allOf = [], anyOf, oneOf, not } = schema;
  const complain = (text: string): FieldError => invalid(NOWHERE, '', `${JSON.stringify(at)} must ${text}`);
  const errorsOf = (one: SchemaProps): FieldError[] => validateValue(one, value, at);
  const errors = allOf.flatMap(errorsOf);
  if (errors.length > 0) errors.push(complain('validate all the schemas (allOf)'));
  if (anyOf !== undefined) {
    const outcomes = anyOf.map(errorsOf);
    if (!outcomes.some(isEmpty)) errors.push(...fewest(outcomes), complain('validate at least one schema (anyOf)'));
  }
  if (oneOf !== undefined) {
    const outcomes = oneOf.map(errorsOf);
    const count = outcomes.filter(isEmpty).length;
    if (count === 0) {
      errors.push(...fewest(outcomes), complain('validate one and only one schema (oneOf). Found none valid'));
    } else if (count > 1) {
      errors.push(complain(`validate one and only one schema (oneOf). Found ${count} valid alternatives`));
    }
  }
  if (not !== undefined && isEmpty(errorsOf(not))) errors.push(complain('not validate the schema (not)'));
  return errors;
}

function isEmpty(errors: readonly FieldError[]): boolean {
  return errors.length === 0;
}

/** The mistakes of the alternative that fits best. */
function fewest(outcomes: readonly FieldError[][]): FieldError[] {
  return outcomes.reduce<FieldError[]>((best, one) => (best.length === 0 || one.length < best.length ? one : best), []);
}
