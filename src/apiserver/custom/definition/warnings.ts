import { leavesThisMachine } from '../../admission/call-webhook.ts';
import { ruleProgram } from '../cel/rule-programs.ts';
import { isKnownFormat } from '../values/formats.ts';
import { schemaOr, type SchemaProps } from '../base/schema.ts';
import type { Definition } from './definition.ts';

/** Parts of a definition that podrun does not carry out, for the answer to its writer. */
export function warningsAbout({ spec }: Definition): string[] {
  const { url } = spec.conversion?.webhook?.clientConfig ?? {};
  const isRemote = url !== undefined && leavesThisMachine(url);
  const rules = spec.versions.flatMap(({ name, schema }) =>
    rulesIn(schema?.openAPIV3Schema).flatMap((rule) => {
      const why = ruleProgram(rule).unsupported;
      return why === undefined ? [] : [`podrun does not evaluate a rule of version ${name}: ${rule}: ${why}`];
    }),
  );
  const formats = spec.versions.flatMap(({ schema }) => unknownFormats(schema?.openAPIV3Schema));
  return [
    ...formats,
    ...(isRemote ? [`podrun calls webhooks of this machine only: ${url} converts no objects`] : []),
    ...rules,
  ];
}

/** Source: apiextensions, pkg/apiserver/validation/formats.go, GetUnrecognizedFormats. */
function unknownFormats(schema: SchemaProps | undefined): string[] {
  if (schema === undefined) return [];
  const { type, format = '' } = schema;
  const own =
    type === 'string' && format !== '' && !isKnownFormat(format)
      ? [`unrecognized format ${JSON.stringify(format)}`]
      : [];
  return [...own, ...partsOf(schema).flatMap(unknownFormats)];
}

function partsOf({ properties = {}, items, additionalProperties }: SchemaProps): (SchemaProps | undefined)[] {
  return [...Object.values(properties), items, schemaOr(additionalProperties)];
}

function rulesIn(schema: SchemaProps | undefined): string[] {
  if (schema === undefined) return [];
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ rule }) => rule);
  return [...own, ...partsOf(schema).flatMap(rulesIn)];
}
