import { unsupportedIn } from '../cel/rules.ts';
import { schemaOr, type SchemaProps } from '../schema.ts';
import type { Definition } from './definition.ts';

/** Parts of a definition that podrun does not carry out, for the answer to its writer. */
export function warningsAbout({ spec }: Definition): string[] {
  const served = spec.versions.filter((version) => version.served);
  const isConverted = spec.conversion?.strategy === 'Webhook' && served.length > 1;
  const rules = spec.versions.flatMap(({ name, schema }) =>
    rulesIn(schema?.openAPIV3Schema).flatMap((rule) => {
      const why = unsupportedIn(rule);
      return why === undefined ? [] : [`podrun does not evaluate a rule of version ${name}: ${rule}: ${why}`];
    }),
  );
  return [
    ...(isConverted ? ['podrun calls no conversion webhooks: objects have the same fields in all versions'] : []),
    ...rules,
  ];
}

function rulesIn(schema: SchemaProps | undefined): string[] {
  if (schema === undefined) return [];
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ rule }) => rule);
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schemaOr(schema.additionalProperties)];
  return [...own, ...inner.flatMap(rulesIn)];
}
