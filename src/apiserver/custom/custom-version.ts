import type { FieldError } from '../../manifest/base/field-error.ts';
import type { CustomVersion, WebhookConversion } from '../resources/served-resource.ts';
import { checkRules } from './cel/rules.ts';
import { shapeOfSchema } from './custom-shape.ts';
import { REVIEW_VERSIONS } from './definition/check-conversion.ts';
import type { Definition, DefinitionSpec, DefinitionVersion } from './definition/definition.ts';
import type { SchemaProps } from './base/schema.ts';
import { typedMetadata } from './typed-metadata.ts';
import { setDefaults } from './values/defaults.ts';
import { checkListTypes } from './values/lists.ts';
import { pruneUnknown } from './values/prune.ts';
import { validateValue } from './values/validate.ts';

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
