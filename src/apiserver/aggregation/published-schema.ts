import { isJsonObject, type JsonObject } from '../../api/index.ts';
import { quietly } from '../../quietly.ts';
import type { SchemaProps } from '../custom/base/schema.ts';
import type { DiscoveredKind } from '../resources/aggregated-table.ts';

const REFERENCE = '#/components/schemas/';
/** Limits for a document that is made to take long. A Pod has 1,650 schemas, 12 deep. */
const SCHEMAS_MAX = 20_000;
const DEPTH_MAX = 100;
/** The fields that say nothing about the types within. */
const SIMPLE_FIELDS = ['format', 'x-kubernetes-int-or-string', 'x-kubernetes-embedded-resource'];

/**
 * The schema of a kind in the OpenAPI v3 document of another API server, with the types in the places of references.
 * Undefined: the document has none, or refers to a schema that it does not have.
 * Source: apiserver/pkg/cel/openapi/resolver, discovery.go and refs.go.
 */
export function publishedSchema(document: unknown, kind: DiscoveredKind): SchemaProps | undefined {
  const components = isJsonObject(document) ? document['components'] : undefined;
  const schemas = isJsonObject(components) ? components['schemas'] : undefined;
  if (!isJsonObject(schemas)) return undefined;
  const name = Object.keys(schemas).find((one) => isSchemaOf(schemas[one], kind));
  if (name === undefined) return undefined;
  return quietly(() => new Resolution(schemas).of({ $ref: REFERENCE + name }, []));
}

function isSchemaOf(schema: unknown, { group, version, kind }: DiscoveredKind): boolean {
  const kinds = isJsonObject(schema) ? schema['x-kubernetes-group-version-kind'] : undefined;
  return (
    Array.isArray(kinds) &&
    kinds.some(
      (one) => isJsonObject(one) && one['group'] === group && one['version'] === version && one['kind'] === kind,
    )
  );
}

/** Makes one schema of the schemas of a document. */
class Resolution {
  readonly #schemas: JsonObject;
  #count = 0;

  constructor(schemas: JsonObject) {
    this.#schemas = schemas;
  }

  /**
   * @param within the outer references: a schema that contains itself is an object without fields there
   * @throws {Error} for a reference that leads nowhere, and beyond the limits
   */
  of(schema: unknown, within: readonly string[], depth = 0): SchemaProps {
    this.#count += 1;
    if (this.#count > SCHEMAS_MAX || depth > DEPTH_MAX) throw new Error('the schema is too large');
    if (!isJsonObject(schema)) return {};
    const reference = referenceOf(schema);
    if (reference === undefined) return this.#fieldsOf(schema, within, depth + 1);
    if (within.includes(reference)) return { type: 'object' };
    const name = reference.startsWith(REFERENCE) ? reference.slice(REFERENCE.length) : '';
    const target = Object.hasOwn(this.#schemas, name) ? this.#schemas[name] : undefined;
    if (!isJsonObject(target)) throw new Error(`no schema ${reference}`);
    return this.#fieldsOf(target, [...within, reference], depth + 1);
  }

  #fieldsOf(schema: JsonObject, within: readonly string[], depth: number): SchemaProps {
    const { type, properties, items, additionalProperties: values } = schema;
    const of = (one: unknown): SchemaProps => this.of(one, within, depth);
    const first: unknown = Array.isArray(type) ? type[0] : type;
    const fields = isJsonObject(properties) ? Object.entries(properties) : [];
    return {
      ...Object.fromEntries(SIMPLE_FIELDS.flatMap((field) => (field in schema ? [[field, schema[field]]] : []))),
      ...(typeof first === 'string' && { type: first }),
      ...(fields.length > 0 && { properties: Object.fromEntries(fields.map(([name, one]) => [name, of(one)])) }),
      ...(isJsonObject(items) && { items: of(items) }),
      ...(isJsonObject(values) && { additionalProperties: of(values) }),
    };
  }
}

/** Documents wrap a reference with a description in `allOf`. */
function referenceOf({ $ref, allOf }: JsonObject): string | undefined {
  if (typeof $ref === 'string') return $ref;
  const parts = Array.isArray(allOf) ? allOf.filter(isJsonObject) : [];
  return parts.map(({ $ref: one }) => one).find((one) => typeof one === 'string');
}
