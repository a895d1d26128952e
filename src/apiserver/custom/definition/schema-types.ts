import { isJsonObject, type JsonObject } from '../../../api/index.ts';
import { TypedFields } from '../../base/typed-fields.ts';

const TYPE = 'JSONSchemaProps';
const TEXTS = ['description', 'format', 'pattern', 'title', 'type', 'x-kubernetes-list-type', 'x-kubernetes-map-type'];
const NUMBERS = ['maximum', 'minimum', 'multipleOf'];
const COUNTS = ['maxItems', 'maxLength', 'maxProperties', 'minItems', 'minLength', 'minProperties'];
const FLAGS = [
  'exclusiveMaximum',
  'exclusiveMinimum',
  'nullable',
  'uniqueItems',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
];
const LISTS_OF_TEXTS = ['required', 'x-kubernetes-list-map-keys'];
const LISTS_OF_SCHEMAS = ['allOf', 'anyOf', 'oneOf'];
const MAPS_OF_SCHEMAS = ['definitions', 'patternProperties', 'properties'];
const RULE_TEXTS = ['fieldPath', 'message', 'messageExpression', 'reason', 'rule'];

const FREE = ['default', 'enum', 'example'];
const OTHERS = [
  '$ref',
  '$schema',
  'additionalItems',
  'additionalProperties',
  'dependencies',
  'externalDocs',
  'id',
  'items',
];

/** The fields of a schema. Source: apiextensions/v1, types_jsonschema.go. */
const KNOWN: ReadonlySet<string> = new Set([
  ...[TEXTS, NUMBERS, COUNTS, FLAGS, LISTS_OF_TEXTS, LISTS_OF_SCHEMAS, MAPS_OF_SCHEMAS, FREE, OTHERS].flat(),
  'not',
  'x-kubernetes-validations',
]);

/** Fields that Go leaves out when they are empty: no pointers. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'description',
  'enum',
  'format',
  'pattern',
  'title',
  'type',
  'x-kubernetes-validations',
  ...[LISTS_OF_TEXTS, LISTS_OF_SCHEMAS, MAPS_OF_SCHEMAS].flat(),
  ...FLAGS.filter((name) => name !== 'x-kubernetes-preserve-unknown-fields'),
]);

/** The body of a CustomResourceDefinition with schemas as Go's decoder leaves them. */
interface TypedSchemas {
  readonly object: JsonObject;
  /** The first mistake in the types of the schemas, in the words of Go's JSON decoder. */
  readonly mistake: string | undefined;
  /** The paths of fields that no schema has. */
  readonly unknown: readonly string[];
}

/**
 * Reads the body of a CustomResourceDefinition without nulls, which say nothing: Go writes them for lists and times
 * that are not set. Unknown and empty fields of schemas go.
 */
export function withTypedSchemas(definition: JsonObject): TypedSchemas {
  const { metadata, ...parts } = definition;
  const { spec, ...others } = withoutAnyNulls(parts) as JsonObject;
  const object = { ...(metadata !== undefined && { metadata }), ...(spec !== undefined && { spec }), ...others };
  const unknown: string[] = [];
  if (!isJsonObject(spec) || !Array.isArray(spec['versions'])) return { object, mistake: undefined, unknown };
  let mistake: string | undefined;
  const versions = spec['versions'].map((version: unknown, index) => {
    const schema = isJsonObject(version) ? version['schema'] : undefined;
    const root = isJsonObject(schema) ? schema['openAPIV3Schema'] : undefined;
    if (!isJsonObject(version) || !isJsonObject(schema) || !isJsonObject(root)) return version;
    const openAPIV3Schema = readSchema(root, `spec.versions[${index}].schema.openAPIV3Schema`, unknown);
    try {
      checkSchemaTypes(openAPIV3Schema, 'spec.versions.schema.openAPIV3Schema.');
    } catch (error) {
      mistake ??= (error as TypeError).message;
    }
    return { ...version, schema: { ...schema, openAPIV3Schema } };
  });
  return { object: { ...object, spec: { ...spec, versions } }, mistake, unknown };
}

/** A part of the definition without nulls. Schemas stay: a default may contain one. */
function withoutAnyNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutAnyNulls(item ?? {}));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(
    kept.map(([name, field]) => [name, name === 'openAPIV3Schema' ? field : withoutAnyNulls(field)]),
  );
}

/** @param unknown gets the paths of unknown fields */
function readSchema(schema: JsonObject, at: string, unknown: string[]): JsonObject {
  const part = (value: unknown, path: string): unknown =>
    isJsonObject(value) ? readSchema(value, `${at}.${path}`, unknown) : value;
  const names = Object.keys(schema).filter((name) => !KNOWN.has(name));
  unknown.push(...names.toSorted().map((name) => `${at}.${name}`));
  const kept = Object.entries(schema).filter(
    ([name, value]) => KNOWN.has(name) && value !== null && !(LEFT_OUT.has(name) && isEmpty(value)),
  );
  return Object.fromEntries(
    kept.map(([name, value]) => {
      if (LISTS_OF_SCHEMAS.includes(name) && Array.isArray(value))
        return [name, value.map((one: unknown, index) => part(one ?? {}, `${name}[${index}]`))];
      if (MAPS_OF_SCHEMAS.includes(name) && isJsonObject(value))
        return [
          name,
          Object.fromEntries(Object.entries(value).map(([key, one]) => [key, part(one ?? {}, `${name}.${key}`)])),
        ];
      return [name, ['additionalProperties', 'items', 'not'].includes(name) ? part(value, name) : value];
    }),
  );
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === '' || value === false || (isJsonObject(value) && Object.keys(value).length === 0);
}

/**
 * Checks the types of the fields of a schema. Source: apiextensions/v1, types_jsonschema.go.
 * @param path the path of the schema, with a dot at its end
 * @throws {TypeError} in the words of Go's JSON decoder
 */
function checkSchemaTypes(schema: JsonObject, path: string): void {
  const fields = new TypedFields(schema, TYPE, path);
  for (const name of TEXTS) fields.get(name, 'string');
  for (const name of NUMBERS) fields.get(name, 'float64');
  for (const name of COUNTS) fields.get(name, 'int64');
  for (const name of FLAGS) fields.get(name, 'bool');
  for (const name of LISTS_OF_TEXTS) fields.texts(name);
  for (const rule of fields.parts('x-kubernetes-validations', 'ValidationRule')) {
    for (const name of RULE_TEXTS) rule.get(name, 'string');
    rule.get('optionalOldSelf', 'bool');
  }
  for (const [name, child] of childrenOf(schema, fields)) checkSchemaTypes(child, `${path}${name}.`);
}

/** The schemas in a schema, and the fields that have them. */
function childrenOf(schema: JsonObject, fields: TypedFields): [string, JsonObject][] {
  // These call for lists and objects, and know nothing of what is in them.
  for (const name of LISTS_OF_SCHEMAS) fields.parts(name, TYPE);
  for (const name of MAPS_OF_SCHEMAS) fields.part(name, `map[string]v1.${TYPE}`);
  fields.part('not', TYPE);
  const lists = LISTS_OF_SCHEMAS.flatMap((name) =>
    ((schema[name] ?? []) as readonly JsonObject[]).map((one): [string, unknown] => [name, one]),
  );
  const maps = MAPS_OF_SCHEMAS.flatMap((name) =>
    Object.values((schema[name] ?? {}) as JsonObject).map((one): [string, unknown] => [name, one]),
  );
  const others = ['additionalProperties', 'items', 'not'].map((name): [string, unknown] => [name, schema[name]]);
  return [...lists, ...maps, ...others].filter((each): each is [string, JsonObject] => isJsonObject(each[1]));
}
