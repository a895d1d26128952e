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

/**
 * The body of a CustomResourceDefinition with schemas that have no nulls, which say nothing.
 * @returns also the first mistake in the types of its schemas, in the words of Go's JSON decoder
 */
export function withTypedSchemas(definition: JsonObject): { object: JsonObject; mistake: string | undefined } {
  const { spec } = definition;
  if (!isJsonObject(spec) || !Array.isArray(spec['versions'])) return { object: definition, mistake: undefined };
  let mistake: string | undefined;
  const versions = spec['versions'].map((version: unknown) => {
    const schema = isJsonObject(version) ? version['schema'] : undefined;
    const root = isJsonObject(schema) ? schema['openAPIV3Schema'] : undefined;
    if (!isJsonObject(version) || !isJsonObject(schema) || !isJsonObject(root)) return version;
    const openAPIV3Schema = withoutNulls(root);
    try {
      checkSchemaTypes(openAPIV3Schema, 'spec.versions.schema.openAPIV3Schema.');
    } catch (error) {
      mistake ??= (error as TypeError).message;
    }
    return { ...version, schema: { ...schema, openAPIV3Schema } };
  });
  return { object: { ...definition, spec: { ...spec, versions } }, mistake };
}

/** A schema without nulls. Those in a value stay. */
function withoutNulls(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([, value]) => value !== null);
  return Object.fromEntries(
    kept.map(([name, value]) => {
      if (LISTS_OF_SCHEMAS.includes(name) && Array.isArray(value))
        return [name, value.map((one: unknown) => partWithoutNulls(one ?? {}))];
      if (MAPS_OF_SCHEMAS.includes(name) && isJsonObject(value))
        return [
          name,
          Object.fromEntries(Object.entries(value).map(([key, one]) => [key, partWithoutNulls(one ?? {})])),
        ];
      return [name, ['additionalProperties', 'items', 'not'].includes(name) ? partWithoutNulls(value) : value];
    }),
  );
}

function partWithoutNulls(value: unknown): unknown {
  return isJsonObject(value) ? withoutNulls(value) : value;
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
