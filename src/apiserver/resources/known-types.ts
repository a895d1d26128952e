import { fieldsOf, typeOfKind } from '../../api/index.ts';
import added from './added-types.json' with { type: 'json' };

/**
 * Types of the API that no manifest has: of lists, of the options and results of requests, of discovery and of
 * CustomResourceDefinitions. Their fields are written as in the field table.
 * Source: apimachinery/pkg/apis/meta/v1/types.go; apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go.
 */
const ADDED: Readonly<Record<string, Readonly<Record<string, string>>>> = added;

const ADDED_KINDS: Readonly<Record<string, string>> = {
  'v1/ComponentStatus': 'ComponentStatus',
  'apiextensions.k8s.io/v1/CustomResourceDefinition': 'apiextensions.CustomResourceDefinition',
  'policy/v1/Eviction': 'policy.Eviction',
};

/** Fields that are a type of their own in Go. */
const FIELD_TYPES: Readonly<Record<string, string>> = { 'meta.ManagedFieldsEntry.fieldsV1': 'meta.FieldsV1' };

/** The type of a kind. Undefined: there is none. */
export function knownTypeOfKind(apiVersion: string, kind: string): string | undefined {
  return typeOfKind(apiVersion, kind) ?? ADDED_KINDS[`${apiVersion}/${kind}`];
}

/** The fields of a type with their types. Undefined: it is none. */
export function knownFieldsOf(type: string): Readonly<Record<string, string>> | undefined {
  const fields = fieldsOf(type) ?? ADDED[type];
  if (fields === undefined) return undefined;
  const entries = Object.entries(fields).map(([field, of]) => [field, FIELD_TYPES[`${type}.${field}`] ?? of]);
  return Object.fromEntries(entries) as Readonly<Record<string, string>>;
}

/** True for a type that any value has, such as the default of a field in a schema. */
export function isAnyValue(type: string): boolean {
  return /^apiextensions\.JSON(?:SchemaPropsOr\w+)?$/.test(type);
}
