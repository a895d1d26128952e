import { isSameJson } from '../../../api/index.ts';
import { type GoShape, inGo } from '../../../manifest/index.ts';
import type { SchemaProps } from '../base/schema.ts';
import type { DefinitionVersion } from './definition.ts';

/** True for a part that all versions share: the internal type of the API server has it once. */
export function isShared(part: keyof DefinitionVersion, [first, ...more]: readonly DefinitionVersion[]): boolean {
  return first?.[part] !== undefined && more.every((version) => isSameJson(version[part], first[part]));
}

/**
 * Versions as the API server's internal type has them, for messages. Source: apiextensions, types.go and
 * types_jsonschema.go of the internal version, and apiextensions/v1, conversion.go.
 */
export function versionsInGo(versions: readonly DefinitionVersion[]): object[] {
  const own = (part: keyof DefinitionVersion, value: unknown): unknown =>
    isShared(part, versions) ? null : (value ?? null);
  return versions.map((version) => {
    const { AdditionalPrinterColumns, SelectableFields, ...head } = inGo({ ...version }, VERSION);
    const schema = version.schema?.openAPIV3Schema;
    return {
      ...head,
      Schema: own('schema', version.schema && { OpenAPIV3Schema: schema === undefined ? null : schemaInGo(schema) }),
      Subresources: own('subresources', version.subresources && inGo({ ...version.subresources }, SUBRESOURCES)),
      AdditionalPrinterColumns: own('additionalPrinterColumns', AdditionalPrinterColumns),
      SelectableFields: own('selectableFields', SelectableFields),
    };
  });
}

const VERSION: GoShape = {
  Name: ['name', ''],
  Served: ['served', false],
  Storage: ['storage', false],
  Deprecated: ['deprecated', false],
  DeprecationWarning: ['deprecationWarning', null],
  AdditionalPrinterColumns: [
    'additionalPrinterColumns',
    [
      {
        Name: ['name', ''],
        Type: ['type', ''],
        Format: ['format', ''],
        Description: ['description', ''],
        Priority: ['priority', 0],
        JSONPath: ['jsonPath', ''],
      },
    ],
  ],
  SelectableFields: ['selectableFields', [{ JSONPath: ['jsonPath', ''] }]],
};

const SUBRESOURCES: GoShape = {
  Status: ['status', {}],
  Scale: [
    'scale',
    {
      SpecReplicasPath: ['specReplicasPath', ''],
      StatusReplicasPath: ['statusReplicasPath', ''],
      LabelSelectorPath: ['labelSelectorPath', null],
    },
  ],
};

/** The fields of a schema before those with schemas in them. */
const FIRST: GoShape = {
  ID: ['id', ''],
  Schema: ['$schema', ''],
  Ref: ['$ref', null],
  Description: ['description', ''],
  Type: ['type', ''],
  Nullable: ['nullable', false],
  Format: ['format', ''],
  Title: ['title', ''],
  Default: ['default', null],
  Maximum: ['maximum', null],
  ExclusiveMaximum: ['exclusiveMaximum', false],
  Minimum: ['minimum', null],
  ExclusiveMinimum: ['exclusiveMinimum', false],
  MaxLength: ['maxLength', null],
  MinLength: ['minLength', null],
  Pattern: ['pattern', ''],
  MaxItems: ['maxItems', null],
  MinItems: ['minItems', null],
  UniqueItems: ['uniqueItems', false],
  MultipleOf: ['multipleOf', null],
  Enum: ['enum', null],
  MaxProperties: ['maxProperties', null],
  MinProperties: ['minProperties', null],
  Required: ['required', null],
};

/** The fields of a schema after those with schemas in them. */
const LAST: GoShape = {
  ExternalDocs: ['externalDocs', { Description: ['description', ''], URL: ['url', ''] }],
  Example: ['example', null],
  XPreserveUnknownFields: ['x-kubernetes-preserve-unknown-fields', null],
  XEmbeddedResource: ['x-kubernetes-embedded-resource', false],
  XIntOrString: ['x-kubernetes-int-or-string', false],
  XListMapKeys: ['x-kubernetes-list-map-keys', null],
  XListType: ['x-kubernetes-list-type', null],
  XMapType: ['x-kubernetes-map-type', null],
  XValidations: [
    'x-kubernetes-validations',
    [
      {
        Rule: ['rule', ''],
        Message: ['message', ''],
        MessageExpression: ['messageExpression', ''],
        Reason: ['reason', null],
        FieldPath: ['fieldPath', ''],
        OptionalOldSelf: ['optionalOldSelf', null],
      },
    ],
  ],
};

/** A structural schema has no patterns for names, no dependencies, no definitions: these are null. */
function schemaInGo(schema: SchemaProps): object {
  const { items, additionalProperties: additional, properties, not } = schema;
  const each = (schemas: readonly SchemaProps[] | undefined): object[] | null => schemas?.map(schemaInGo) ?? null;
  const named = Object.entries(properties ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...inGo(schema, FIRST),
    Items: items === undefined ? null : { Schema: schemaInGo(items), JSONSchemas: null },
    AllOf: each(schema.allOf),
    OneOf: each(schema.oneOf),
    AnyOf: each(schema.anyOf),
    Not: not === undefined ? null : schemaInGo(not),
    Properties:
      properties === undefined ? null : Object.fromEntries(named.map(([name, field]) => [name, schemaInGo(field)])),
    AdditionalProperties:
      additional === undefined
        ? null
        : typeof additional === 'boolean'
          ? { Allows: additional, Schema: null }
          : { Allows: true, Schema: schemaInGo(additional) },
    PatternProperties: null,
    Dependencies: null,
    AdditionalItems: null,
    Definitions: null,
    ...inGo(schema, LAST),
  };
}
