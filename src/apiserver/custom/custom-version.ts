import { decodeObject, type FieldError, goTypeError, readJson } from '../../manifest/index.ts';
import type { CustomVersion, WebhookConversion } from '../resources/served-resource.ts';
import { checkRules } from './cel/rules.ts';
import { shapeOfSchema } from './custom-shape.ts';
import { REVIEW_VERSIONS } from './definition/check-conversion.ts';
import type { Definition, DefinitionSpec, DefinitionVersion } from './definition/definition.ts';
import { fieldSchema, type SchemaProps } from './base/schema.ts';
import { checkListTypes } from './values/lists.ts';
import { pruneUnknown } from './values/prune.ts';
import { validateValue } from './values/validate.ts';
import { goJsonType, isJsonObject, type JsonObject } from '../../api/index.ts';

const TYPE = 'meta.ObjectMeta';

/** The metadata of an object of a custom kind, whose schema says nothing about it. */
interface TypedMetadata {
  readonly metadata: JsonObject;
  /** Paths of fields that ObjectMeta does not have. */
  readonly unknown: readonly string[];
  /** In the words of Go's JSON decoder. */
  readonly errors: readonly FieldError[];
}

type Fields = Record<string, unknown>;

/** The rules for objects of a schema. */
export function versionOfSchema(
  schema: SchemaProps,
  about: Omit<CustomVersion, 'decode' | 'validate' | 'schema' | 'shape'>,
): CustomVersion {
  return {
    ...about,
    schema,
    shape: shapeOfSchema(schema),
    decode: decoderOf(schema),
    validate: (object, stored) => validate(schema, object, stored),
  };
}

function decoderOf(schema: SchemaProps): CustomVersion['decode'] {
  return (object) => {
    const { metadata, ...typed } = typedMetadata(object['metadata']);
    const { value, unknown } = pruneUnknown(schema, { ...object, metadata });
    const decoded = setDefaults(schema, value) as Fields;
    return { object: decoded, unknown: [...unknown, ...typed.unknown], errors: typed.errors };
  };
}

function validate(schema: SchemaProps, object: Fields, stored: Fields | undefined): FieldError[] {
  const errors = [...validateValue(schema, object, ''), ...checkListTypes(schema, object, '')];
  // A rule may take for granted that values have their types.
  return errors.length > 0 ? errors : checkRules(schema, { value: object, before: stored }, '');
}

/** A served version of a definition. */
export function customVersionOf(
  { schema, subresources, additionalPrinterColumns = [], selectableFields = [] }: DefinitionVersion,
  { spec }: Definition,
): CustomVersion {
  const scale = subresources?.scale;
  return versionOfSchema(schemaIn(schema), {
    hasStatus: subresources?.status !== undefined,
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

/** Decodes metadata. Source: apiextensions, pkg/apiserver/schema/objectmeta, GetObjectMeta. */
function typedMetadata(metadata: unknown): TypedMetadata {
  const [root] = readJson(JSON.stringify(metadata ?? {}));
  if (root?.kind !== 'map') {
    const detail = `json: cannot unmarshal ${goJsonType(metadata)} into Go value of type v1.ObjectMeta`;
    return { metadata: {}, unknown: [], errors: [{ path: 'metadata', type: 'Invalid type', detail }] };
  }
  const { object, problems } = decodeObject(root, TYPE, { lineOf: () => 1 });
  const errors = problems.map(({ error }) => error);
  const wrong = errors.filter(({ type }) => type !== 'Unknown field' && type !== 'Duplicate field');
  return {
    metadata: object,
    unknown: errors.filter(({ type }) => type === 'Unknown field').map(({ path }) => `metadata.${path}`),
    errors: wrong.map((error) => ({ ...error, detail: goTypeError(error, TYPE) })),
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
  const entries = [...fields].map(([name, field]) => {
    const known = fieldSchema(schema, name);
    return [name, known === undefined ? field : setDefaults(known, field)] as const;
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
