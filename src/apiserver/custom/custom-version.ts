import type { FieldError } from '../../manifest/index.ts';
import { checkMetadata, typedMetadata } from './values/metadata.ts';
import { checkScale } from './values/scale.ts';
import { NOT_CHECKED, stopsRules } from './values/not-checked.ts';
import type { CustomVersion, WebhookConversion } from '../resources/served-resource.ts';
import { checkRules, hasRules } from './cel/rules.ts';
import { shapeOfSchema } from './custom-shape.ts';
import { REVIEW_VERSIONS } from './definition/check-conversion.ts';
import type { Definition, DefinitionSpec, DefinitionVersion } from './definition/definition.ts';
import { fieldSchema, type SchemaProps } from './base/schema.ts';
import { checkListTypes } from './values/lists.ts';
import { pruneUnknown } from './values/prune.ts';
import { validateValue } from './values/validate.ts';
import { isJsonObject, type KubeObject } from '../../api/index.ts';

type Fields = Record<string, unknown>;

/** The rules for objects of a schema. */
export function versionOfSchema(
  schema: SchemaProps,
  about: Omit<CustomVersion, 'decode' | 'validate' | 'withDefaults' | 'schema' | 'shape'>,
): CustomVersion {
  return {
    ...about,
    schema,
    shape: shapeOfSchema(schema),
    decode: decoderOf(schema),
    validate: (object, stored, isOtherKind = false) =>
      validate(schema, { object, stored, scale: about.scale, isOtherKind }),
    withDefaults: hasDefaults(schema) ? readerOf(schema) : undefined,
  };
}

/** True for a schema with a default anywhere. */
function hasDefaults(schema: SchemaProps): boolean {
  const { properties = {}, additionalProperties, items } = schema;
  const inner = [...Object.values(properties), additionalProperties, items];
  return schema.default !== undefined || inner.some((one) => isJsonObject(one) && hasDefaults(one));
}

/** Sets the defaults of an object that is read. The same object always becomes the same one: its text is kept. */
function readerOf(schema: SchemaProps): CustomVersion['withDefaults'] {
  const known = new WeakMap<KubeObject, KubeObject>();
  return <T extends KubeObject>(object: T): T => {
    const defaulted = known.get(object) ?? (setDefaults(schema, object) as KubeObject);
    known.set(object, defaulted);
    return defaulted as T;
  };
}

/** Source: apiextensions, pkg/apiserver/customresource_handler.go, schemaCoercingDecoder and unstructuredDefaulter. */
function decoderOf(schema: SchemaProps): CustomVersion['decode'] {
  return (object, isOtherKind = false) => {
    const { metadata, ...typed } = typedMetadata(object['metadata']);
    const whole: Fields = { ...object, metadata };
    const { value, unknown } = isOtherKind ? { value: whole, unknown: [] } : pruneUnknown(schema, whole);
    return {
      object: isOtherKind ? whole : (setDefaults(schema, value) as Fields),
      unknown: [...unknown, ...typed.unknown.map((path) => `metadata.${path}`)],
      errors: typed.errors,
    };
  };
}

/** Source: apiextensions, pkg/registry/customresource/strategy.go and validator.go. */
function validate(schema: SchemaProps, { object, stored, scale, isOtherKind }: CustomObject): FieldError[] {
  const ofSchema = (): FieldError[] => [
    ...checkMetadata(object, stored),
    ...validateValue(schema, object, ''),
    ...(scale === undefined ? [] : checkScale(scale, object)),
  ];
  const errors = [...(isOtherKind ? [] : ofSchema()), ...checkListTypes(schema, object, '')];
  if (!hasRules(schema)) return errors;
  // A rule may take for granted that values have their types.
  if (errors.some(stopsRules)) return [...errors, NOT_CHECKED];
  return [...errors, ...checkRules(schema, { value: object, before: stored }, '')];
}

interface CustomObject {
  readonly object: Fields;
  readonly stored: Fields | undefined;
  readonly scale: CustomVersion['scale'];
  readonly isOtherKind: boolean;
}

/** A served version of a definition. */
export function customVersionOf(
  { schema, subresources, additionalPrinterColumns = [], selectableFields = [] }: DefinitionVersion,
  { spec }: Definition,
): CustomVersion {
  const scale = subresources?.scale;
  return versionOfSchema(schemaIn(schema), {
    hasStatus: subresources?.status !== undefined,
    isTyped: false,
    conversion: conversionOf(spec),
    selectable: selectableFields.map(({ jsonPath }) => jsonPath.replace(/^\./, '')),
    ...(scale === undefined
      ? {}
      : {
          scale: {
            specPath: scale.specReplicasPath,
            statusPath: scale.statusReplicasPath,
            selectorPath: scale.labelSelectorPath,
          },
        }),
    columns: additionalPrinterColumns.map(({ name, type, format = '', description = '', priority = 0, jsonPath }) => ({
      name,
      type,
      format,
      description,
      priority,
      jsonPath,
    })),
  });
}

function schemaIn(schema: DefinitionVersion['schema']): SchemaProps {
  return schema?.openAPIV3Schema ?? { type: 'object' };
}

function conversionOf({ group, versions, conversion }: DefinitionSpec): WebhookConversion | undefined {
  const { clientConfig, conversionReviewVersions = [] } = conversion?.webhook ?? {};
  const stored = versions.find(({ storage }) => storage);
  if (conversion?.strategy !== 'Webhook' || clientConfig === undefined || stored === undefined) return undefined;
  return {
    clientConfig,
    reviewVersion: conversionReviewVersions.find((version) => REVIEW_VERSIONS.includes(version)) ?? 'v1',
    storedAs: `${group}/${stored.name}`,
    decodeStored: decoderOf(schemaIn(stored.schema)),
  };
}

/**
 * Sets the defaults of missing fields, from outside to inside: a default may contain fields with defaults. A null
 * counts as missing where the schema does not permit it. Source: apiextensions, pkg/apiserver/schema/defaulting.
 */
function setDefaults(schema: SchemaProps, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item: unknown) => setDefaults(items, withoutNull(items, item)));
  }
  if (!isJsonObject(value)) return value;
  const fields = new Map(Object.entries(value));
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (field.default === undefined || !isMissing(field, fields.get(name))) continue;
    fields.set(name, structuredClone(field.default));
  }
  const entries = [...fields].flatMap(([name, field]): (readonly [string, unknown])[] => {
    const known = fieldSchema(schema, name);
    // A null that neither means something nor has a default says nothing.
    if (field === null && known !== undefined && known.nullable !== true) return [];
    return [[name, known === undefined ? field : setDefaults(known, field)]];
  });
  return Object.fromEntries(entries);
}

function isMissing({ nullable }: SchemaProps, value: unknown): boolean {
  return value === undefined || (value === null && nullable !== true);
}

function withoutNull(schema: SchemaProps, value: unknown): unknown {
  return value === null && schema.nullable !== true && schema.default !== undefined
    ? structuredClone(schema.default)
    : value;
}
