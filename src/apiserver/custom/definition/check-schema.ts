import { errorMessage, isJsonObject } from '../../../api/index.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../manifest/index.ts';
import { fieldSchema, keepsUnknown, schemaOr, type SchemaProps, type ValidationRule } from '../base/schema.ts';
import { checkSchemaRules } from './check-rules.ts';
import { pruneUnknown } from '../values/prune.ts';
import { fitsPattern } from '../base/patterns.ts';
import { validateValue } from '../values/validate.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
/** The depth of a schema at most: each level is looked at by functions that call themselves. */
const DEPTH_MAX = 100;

/**
 * The mistakes of a schema: it must be structural. Source: apiextensions, pkg/apiserver/schema/validation.go.
 * @param isStored true: its rules were checked before
 */
export function checkSchema(root: SchemaProps, at: string, isStored: boolean): FieldError[] {
  if (depthOf(root) > DEPTH_MAX) return [invalid(at, 'object', `may not be deeper than ${DEPTH_MAX} levels`)];
  if (root.type !== undefined && root.type !== 'object' && root.type !== '') {
    return [invalid(`${at}.type`, root.type, 'must be object at the root')];
  }
  if (!root.type) return [required(`${at}.type`, 'must not be empty at the root')];
  const errors = checkLevel(root, at);
  return errors.length > 0 || isStored ? errors : checkSchemaRules(root, at);
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function checkLevel(schema: SchemaProps, at: string): FieldError[] {
  return [
    ...checkType(schema, at),
    ...checkUnsupported(schema, at),
    ...checkExtensions(schema, at),
    ...checkRuleTexts(schema, at),
    ...checkPattern(schema, at),
    ...checkDefault(schema, at),
    ...checkAlternatives(schema, at),
    ...childrenOf(schema, at).flatMap(([child, path, what]) => [
      ...(needsType(child) ? [required(`${path}.type`, `must not be empty for specified ${what}`)] : []),
      ...checkLevel(child, path),
    ]),
  ];
}

function childrenOf(schema: SchemaProps, at: string): [SchemaProps, string, string][] {
  const children = Object.entries(schema.properties ?? {}).map(([name, child]): [SchemaProps, string, string] => [
    child,
    `${at}.properties[${name}]`,
    'object fields',
  ]);
  if (schema.items !== undefined) children.push([schema.items, `${at}.items`, 'array items']);
  const values = schemaOr(schema.additionalProperties);
  if (values !== undefined) children.push([values, `${at}.additionalProperties`, 'object fields']);
  return children.filter(([child]) => isJsonObject(child));
}

function needsType(schema: SchemaProps): boolean {
  return !schema.type && !keepsUnknown(schema) && schema['x-kubernetes-int-or-string'] !== true;
}

function checkType({ type, items, properties }: SchemaProps, at: string): FieldError[] {
  if (type === undefined || type === '') return [];
  if (!TYPES.includes(type)) return [notSupported(`${at}.type`, type, TYPES)];
  if (type === 'array' && items === undefined) return [required(`${at}.items`, 'must be specified')];
  if (type !== 'array' && items !== undefined)
    return [forbidden(`${at}.items`, 'must be undefined if type is not array')];
  const isWrong = properties !== undefined && type !== 'object';
  return isWrong ? [forbidden(`${at}.properties`, 'must be undefined if type is not object')] : [];
}

function checkUnsupported(schema: SchemaProps, at: string): FieldError[] {
  const { properties, additionalProperties, uniqueItems } = schema;
  const errors: FieldError[] = [];
  if (schema['$ref'] !== undefined) errors.push(forbidden(`${at}.$ref`, '$ref is not supported'));
  for (const field of ['definitions', 'dependencies', 'patternProperties', 'additionalItems', 'id']) {
    if (schema[field] !== undefined) errors.push(forbidden(`${at}.${field}`, `${field} is not supported`));
  }
  if (uniqueItems === true) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(`${at}.uniqueItems`, why));
  }
  if (properties !== undefined && additionalProperties !== undefined) {
    errors.push(forbidden(`${at}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  }
  return errors;
}

function checkExtensions(schema: SchemaProps, at: string): FieldError[] {
  const { type } = schema;
  const errors: FieldError[] = [];
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalid(`${at}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  if (schema['x-kubernetes-embedded-resource'] === true && type !== 'object') {
    errors.push(invalid(`${at}.type`, type ?? '', 'must be object if x-kubernetes-embedded-resource is true'));
  }
  if (schema['x-kubernetes-embedded-resource'] === true && !schema.properties && !keepsUnknown(schema)) {
    errors.push(required(`${at}.properties`, EMPTY_RESOURCE));
  }
  if (schema['x-kubernetes-int-or-string'] === true && type !== undefined && type !== '') {
    errors.push(invalid(`${at}.type`, type, 'must be empty if x-kubernetes-int-or-string is true'));
  }
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType !== undefined && type !== 'object') {
    errors.push(invalid(`${at}.type`, type ?? '', 'must be object if x-kubernetes-map-type is specified'));
  }
  if (mapType !== undefined && !MAP_TYPES.includes(mapType)) {
    errors.push(notSupported(`${at}.x-kubernetes-map-type`, mapType, MAP_TYPES));
  }
  return [...errors, ...checkListType(schema, at)];
}

const MAP_TYPES = ['atomic', 'granular'];
const LIST_TYPES = ['atomic', 'map', 'set'];
const EMPTY_RESOURCE =
  'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';

function checkListType(schema: SchemaProps, at: string): FieldError[] {
  const { type, items } = schema;
  const errors: FieldError[] = [];
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== undefined && !LIST_TYPES.includes(listType)) {
    errors.push(notSupported(`${at}.x-kubernetes-list-type`, listType, LIST_TYPES));
  }
  if (listType !== undefined && type !== 'array') {
    errors.push(invalid(`${at}.type`, type ?? '', 'must be array if x-kubernetes-list-type is specified'));
  }
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (listType === 'map' && keys.length === 0) {
    errors.push(required(`${at}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'));
  }
  if (listType !== 'map' && keys.length > 0) {
    errors.push(forbidden(`${at}.x-kubernetes-list-map-keys`, 'must be empty if x-kubernetes-list-type is not map'));
  }
  for (const key of listType === 'map' ? keys : []) {
    const property = items?.properties?.[key];
    if (property === undefined) {
      errors.push(invalid(`${at}.x-kubernetes-list-map-keys`, keys, 'entries must all be names of item properties'));
    } else if (property.default === undefined && items?.required?.includes(key) !== true) {
      errors.push(required(`${at}.items.properties[${key}].default`, KEY_WITHOUT_VALUE));
    }
  }
  return listType === 'set' && items !== undefined ? [...errors, ...checkSetItems(items, `${at}.items`)] : errors;
}

const KEY_WITHOUT_VALUE =
  'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';

/** The items of a set are compared as a whole. */
function checkSetItems(items: SchemaProps, at: string): FieldError[] {
  const field = ({ object: 'x-kubernetes-map-type', array: 'x-kubernetes-list-type' } as const)[items.type ?? ''];
  const wrong = (name: string, value: unknown, why: string): FieldError => invalid(`${at}.${name}`, value, why);
  const own =
    items.nullable === true ? [wrong('nullable', true, 'cannot be nullable when x-kubernetes-list-type is set')] : [];
  if (field === undefined || items[field] === 'atomic') return own;
  return [
    ...own,
    wrong(field, items[field] ?? null, 'must be atomic as item of a list with x-kubernetes-list-type=set'),
  ];
}

/** The mistakes of rules, except for their types and costs (check-rules.ts). */
function checkRuleTexts(schema: SchemaProps, at: string): FieldError[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) => {
    const path = `${at}.x-kubernetes-validations[${index}]`;
    const { message = '', messageExpression = '', fieldPath = '', reason } = rule;
    const errors = checkRuleText(rule, path);
    if (messageExpression !== '' && messageExpression.trim() === '') {
      errors.push(required(`${path}.messageExpression`, 'must be non-empty if specified'));
    }
    if (message !== '' && message.trim() === '') {
      errors.push(invalid(`${path}.message`, message, 'must be non-empty if specified'));
    }
    if (reason !== undefined && !REASONS.includes(reason)) {
      errors.push(notSupported(`${path}.reason`, reason, REASONS));
    }
    if (fieldPath !== '' && !isFieldPath(schema, fieldPath)) {
      errors.push(invalid(`${path}.fieldPath`, fieldPath, 'must be a valid path'));
    }
    return errors;
  });
}

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const LINE_BREAK = /[\n\r]/;

function checkRuleText({ rule, message = '' }: Partial<ValidationRule>, path: string): FieldError[] {
  if (typeof rule !== 'string' || rule.trim() === '') return [required(`${path}.rule`, 'rule is not specified')];
  if (LINE_BREAK.test(message.trim())) return [invalid(`${path}.message`, message, 'must not contain line breaks')];
  if (message.trim() !== '' || !LINE_BREAK.test(rule.trim())) return [];
  return [required(`${path}.message`, 'must be specified if rule contains line breaks')];
}

/** `.a.b`, and `['c']` for names with other characters: fields of the schema. */
function isFieldPath(schema: SchemaProps, path: string): boolean {
  const part = /\.([^.[\]]+)|\['((?:\\.|[^'\\])*)'\]/y;
  let current: SchemaProps | undefined = schema;
  while (part.lastIndex < path.length) {
    const [, plain, quoted = ''] = part.exec(path) ?? [];
    if (part.lastIndex === 0) return false;
    current = fieldSchema(current, plain ?? quoted.replaceAll(/\\(.)/g, '$1'));
    if (current === undefined) return false;
  }
  return true;
}

function checkPattern({ pattern }: SchemaProps, at: string): FieldError[] {
  if (pattern === undefined) return [];
  try {
    fitsPattern(pattern, '');
    return [];
  } catch (error) {
    const why = errorMessage(error);
    return [invalid(`${at}.pattern`, pattern, `must be a valid regular expression, but isn't: ${why}`)];
  }
}

function checkDefault(schema: SchemaProps, at: string): FieldError[] {
  const value = schema.default;
  if (value === undefined) return [];
  const { unknown } = pruneUnknown(schema, value, '', false);
  if (unknown.length > 0) return [invalid(`${at}.default`, value, 'must not have unknown fields')];
  const place = (path: string): string => (path === '' || path.startsWith('[') ? path : `.${path}`);
  return validateValue(schema, value, '').map((error) => ({ ...error, path: `${at}.default${place(error.path)}` }));
}

/** Fields that only the schema itself may have, not its alternatives. */
const STRUCTURAL = new Set(['type', 'default', 'description', 'title', 'nullable', 'additionalProperties']);

function checkAlternatives(
  { allOf = [], anyOf = [], oneOf = [], not, ...schema }: SchemaProps,
  at: string,
): FieldError[] {
  const all = [
    ...allOf.map((one, index) => [one, `${at}.allOf[${index}]`] as const),
    ...anyOf.map((one, index) => [one, `${at}.anyOf[${index}]`] as const),
    ...oneOf.map((one, index) => [one, `${at}.oneOf[${index}]`] as const),
    ...(not === undefined ? [] : [[not, `${at}.not`] as const]),
  ];
  const mayHaveType = schema['x-kubernetes-int-or-string'] === true;
  return all.flatMap(([one, path]) => checkAlternative(one, path, mayHaveType));
}

function checkAlternative(schema: SchemaProps, at: string, mayHaveType: boolean): FieldError[] {
  const own = Object.keys(schema).flatMap((field) => {
    if (field === 'type' && mayHaveType) return [];
    const isStructural = STRUCTURAL.has(field) || field.startsWith('x-kubernetes-');
    return isStructural && field !== 'x-kubernetes-validations'
      ? [forbidden(`${at}.${field}`, 'must be empty to be structural')]
      : [];
  });
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
    checkAlternative(child, `${at}.properties[${name}]`, false),
  );
  return [
    ...own,
    ...inner,
    ...checkAlternatives(mayHaveType ? { ...schema, 'x-kubernetes-int-or-string': true } : schema, at),
  ];
}
