import { escapedName, schemaType } from '../custom/cel/check/schema-types.ts';
import type { CelType } from '../custom/cel/check/types.ts';
import { isEmbeddedResource, type SchemaProps, schemaOr } from '../custom/base/schema.ts';
import { isAnyValue, knownFieldsOf, knownTypeOfKind } from '../resources/known-types.ts';
import { apiVersionOf } from '../resources/served-resource.ts';
import type { CheckableKind } from './checked-kinds.ts';

const TEXT: SchemaProps = { type: 'string' };
const INTEGER: SchemaProps = { type: 'integer' };
const TIME: SchemaProps = { type: 'string', format: 'date-time' };
/** Expressions see such a value as one of any type. */
const ANY: SchemaProps = { 'x-kubernetes-int-or-string': true };

/** The schemas of the primitives of the field table. Expressions do not see quantities, whose schema has no type. */
const PRIMITIVES: Readonly<Record<string, SchemaProps>> = {
  string: TEXT,
  bool: { type: 'boolean' },
  int32: INTEGER,
  int64: INTEGER,
  float64: { type: 'number' },
  bytes: { type: 'string', format: 'byte' },
  time: TIME,
  microTime: TIME,
  quantity: {},
  intOrString: ANY,
  object: ANY,
  any: ANY,
};

/** Every object has these. */
const OWN_FIELDS = ['apiVersion', 'kind', 'metadata', 'name', 'generateName'];

/** The types that some expressions see for objects of kinds. */
export class KindTypes {
  readonly #words: ReadonlySet<string>;

  /** @param expressions the fields that none of them names are left out: a Pod has 1,600 */
  constructor(expressions: readonly string[]) {
    this.#words = new Set([...OWN_FIELDS, ...expressions.flatMap((text) => text.match(/\w+/g) ?? [])]);
  }

  /**
   * The type of a kind. Undefined: any.
   * Source: apiserver/pkg/cel/openapi/resolver, and apiextensions, pkg/controller/openapi/builder.
   * @param name the name of the type in mistakes: `Deployment1`
   */
  of(resource: CheckableKind, name: string): CelType | undefined {
    const { custom, kind, published } = resource;
    if (published !== undefined) return schemaType(this.#published(published), true, name);
    const type = custom?.isTyped === false ? undefined : knownTypeOfKind(apiVersionOf(resource), kind);
    if (type !== undefined) return schemaType(this.#schemaOf(type, []), true, name);
    return custom && schemaType(this.#withObjectFields(this.#published(custom.schema)), true, name);
  }

  #isNamed(field: string): boolean {
    return this.#words.has(field) || this.#words.has(escapedName(field));
  }

  /** @param within the outer types: one that contains itself is an object without fields there */
  #schemaOf(type: string, within: readonly string[]): SchemaProps {
    if (type.startsWith('[]')) return { type: 'array', items: this.#schemaOf(type.slice(2), within) };
    if (type.startsWith('map:')) {
      return { type: 'object', additionalProperties: this.#schemaOf(type.slice('map:'.length), within) };
    }
    const primitive = PRIMITIVES[type];
    if (primitive !== undefined) return primitive;
    if (isAnyValue(type)) return {};
    const inner = [...within, type];
    const fields = Object.entries(within.includes(type) ? {} : (knownFieldsOf(type) ?? {}))
      .filter(([field]) => this.#isNamed(field))
      .map(([field, of]) => [field, this.#schemaOf(of, inner)] as const);
    return { type: 'object', properties: Object.fromEntries(fields) };
  }

  /** The schema of a definition as OpenAPI has it: with all metadata, also of objects within. */
  #published(schema: SchemaProps): SchemaProps {
    const { properties, items, additionalProperties } = schema;
    const values = schemaOr(additionalProperties);
    const fields = Object.entries(properties ?? {})
      .filter(([field]) => this.#isNamed(field))
      .map(([field, one]) => [field, this.#published(one)] as const);
    const all = {
      ...schema,
      properties: Object.fromEntries(fields),
      ...(items !== undefined && { items: this.#published(items) }),
      ...(values !== undefined && { additionalProperties: this.#published(values) }),
    };
    return isEmbeddedResource(schema) ? this.#withObjectFields(all) : all;
  }

  #withObjectFields(schema: SchemaProps): SchemaProps {
    const about = { apiVersion: TEXT, kind: TEXT, metadata: this.#schemaOf('meta.ObjectMeta', []) };
    return { ...schema, properties: { ...schema.properties, ...about } };
  }
}
