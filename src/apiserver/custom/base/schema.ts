import { ownValue } from '../../../api/index.ts';
/**
 * A schema of a CustomResourceDefinition: `JSONSchemaProps`. Source: apiextensions/v1, types_jsonschema.go.
 */
export interface SchemaProps {
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaProps>>;
  readonly additionalProperties?: boolean | SchemaProps;
  readonly items?: SchemaProps;
  readonly required?: readonly string[];
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly multipleOf?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly allOf?: readonly SchemaProps[];
  readonly oneOf?: readonly SchemaProps[];
  readonly anyOf?: readonly SchemaProps[];
  readonly not?: SchemaProps;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
  readonly [other: string]: unknown;
}

/** A rule in CEL. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** A schema in the place of `true` or of nothing: `additionalProperties` and `items` may be either. */
export function schemaOr(value: boolean | SchemaProps | undefined): SchemaProps | undefined {
  return typeof value === 'object' ? value : undefined;
}

/** The schema of a field. Undefined: the schema says nothing about it. */
export function fieldSchema(schema: SchemaProps, name: string): SchemaProps | undefined {
  const { properties } = schema;
  const known = ownValue(properties, name);
  return known ?? schemaOr(schema.additionalProperties);
}

/** True when the schema keeps fields that it does not name. */
export function keepsUnknown(schema: SchemaProps): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

/** True for an object of Kubernetes inside another one: it has apiVersion, kind and metadata. */
export function isEmbeddedResource(schema: SchemaProps): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

/** The path of a field: `spec.a`, and at the root `a`. */
export function childPath(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}
