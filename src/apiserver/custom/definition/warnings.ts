import { leadsElsewhere } from '../../admission/call-webhook.ts';
import { ruleProgram } from '../cel/rule-programs.ts';
import { schemaOr, type SchemaProps } from '../base/schema.ts';
import type { Definition } from './definition.ts';

/** Parts of a definition that podrun does not carry out, for the answer to its writer. */
export function warningsAbout({ spec }: Definition): string[] {
  const { url } = spec.conversion?.webhook?.clientConfig ?? {};
  const isElsewhere = url !== undefined && leadsElsewhere(url);
  const rules = spec.versions.flatMap(({ name, schema }) =>
    rulesIn(schema?.openAPIV3Schema).flatMap((rule) => {
      const why = ruleProgram(rule).unsupported;
      return why === undefined ? [] : [`podrun does not evaluate a rule of version ${name}: ${rule}: ${why}`];
    }),
  );
  return [...(isElsewhere ? [`podrun calls webhooks of this machine only: ${url} converts no objects`] : []), ...rules];
}

function rulesIn(schema: SchemaProps | undefined): string[] {
  if (schema === undefined) return [];
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ rule }) => rule);
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schemaOr(schema.additionalProperties)];
  return [...own, ...inner.flatMap(rulesIn)];
}
