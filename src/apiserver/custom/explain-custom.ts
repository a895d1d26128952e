import {
  type Descriptions,
  explain,
  type ExplainedField,
  type ExplainOutcome,
  type FieldDescription,
} from '../../manifest/index.ts';
import type { ResourceType } from '../../api/index.ts';
import type { SchemaProps } from './base/schema.ts';
import { DEFINITION_SCHEMA, isDefinition } from './definition/definition.ts';

/** The fields of every kind. No schema of a definition has them: any kind of Kubernetes has the same. */
const STANDARD: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
const ANY_KIND = { apiVersion: 'v1', kind: 'ConfigMap' };

/** The schema with the fields of a kind. Undefined: the field table has them. */
export function schemaOfType({ custom, kind, apiVersion }: ResourceType): SchemaProps | undefined {
  if (custom !== undefined) return custom.schema;
  return isDefinition({ kind, apiVersion }) ? DEFINITION_SCHEMA : undefined;
}

/**
 * Looks up a field of a custom kind, and everything below it, with the descriptions of its definition.
 * @param schema see schemaOfType
 * @param resource the beginning of paths: `widget`
 * @param names names of fields, the outermost first; empty for the kind itself
 */
export function explainCustom(
  schema: SchemaProps,
  resource: string,
  names: readonly string[],
): { readonly outcome: ExplainOutcome; readonly descriptions: Descriptions } {
  const descriptions = descriptionsIn(resource, schema);
  if (STANDARD.has(names[0] ?? '')) return { outcome: explainStandard(resource, names), descriptions };
  let at = { path: resource, schema };
  let field: ExplainedField | undefined;
  for (const name of names) {
    const inside = itemOf(at.schema).properties?.[name];
    if (inside === undefined) return { outcome: { ok: false, missing: name }, descriptions };
    field = fieldOf(at.path, name, inside);
    at = { path: field.path, schema: inside };
  }
  const own = fieldsBelow(at.path, at.schema);
  const below = field === undefined ? [...standardFields(resource), ...own.filter((one) => !isStandard(one))] : own;
  return {
    outcome: { ok: true, explained: { typeName: at.path, field, below: below.toSorted(byPath) } },
    descriptions,
  };
}

/** True for a field that every kind has, and for those below it: `widget.metadata.name`. */
function isStandard({ path }: ExplainedField): boolean {
  return STANDARD.has(path.split('.')[1] ?? '');
}

function standardFields(resource: string): readonly ExplainedField[] {
  const any = explainStandard(resource, []);
  return any.ok ? any.explained.below.filter(isStandard) : [];
}

/** Explains a field that every kind has. podrun has no record of what it does with them in custom kinds. */
function explainStandard(resource: string, names: readonly string[]): ExplainOutcome {
  const outcome = explain(ANY_KIND, resource, names);
  if (!outcome.ok) return outcome;
  const { field, below, typeName } = outcome.explained;
  const plain = (one: ExplainedField): ExplainedField => ({ ...one, support: undefined, note: '' });
  return { ok: true, explained: { typeName, field: field && plain(field), below: below.map(plain) } };
}

function byPath(a: ExplainedField, b: ExplainedField): number {
  return a.path < b.path ? -1 : 1;
}

function fieldOf(owner: string, name: string, schema: SchemaProps): ExplainedField {
  const path = `${owner}.${name}`;
  return { path, type: shownType(schema), support: undefined, note: '', owner, valueType: path };
}

function fieldsBelow(path: string, schema: SchemaProps): ExplainedField[] {
  return propertiesOf(schema).flatMap(([name, inside]) => {
    const field = fieldOf(path, name, inside);
    return [field, ...fieldsBelow(field.path, inside)];
  });
}

function descriptionsIn(path: string, schema: SchemaProps): Descriptions {
  const required = new Set(itemOf(schema).required);
  const fields = propertiesOf(schema).map(([name, inside]): [string, FieldDescription] => [
    name,
    {
      text: inside.description ?? '',
      ...(required.has(name) && { required: true }),
      ...(inside.enum && { values: inside.enum.map(String) }),
    },
  ]);
  // A field and its type have one description: kubectl prints it once.
  const own = path.includes('.') ? '' : (schema.description ?? '');
  return {
    [path]: { text: own, fields: Object.fromEntries(fields) },
    ...Object.assign({}, ...propertiesOf(schema).map(([name, inside]) => descriptionsIn(`${path}.${name}`, inside))),
  };
}

function propertiesOf(schema: SchemaProps): Array<[string, SchemaProps]> {
  return Object.entries(itemOf(schema).properties ?? {});
}

/** The schema of the items of a list or a map, or the schema itself. */
function itemOf(schema: SchemaProps): SchemaProps {
  const { items, additionalProperties } = schema;
  const inside = items ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  return inside === undefined ? schema : itemOf(inside);
}

/** Source: staging/src/k8s.io/kubectl/pkg/explain/v2/templates/plaintext.tmpl, typeGuess. */
function shownType({ type, items, additionalProperties, ...schema }: SchemaProps): string {
  if (items !== undefined) return `[]${shownType(items)}`;
  if (typeof additionalProperties === 'object') return `map[string]${shownType(additionalProperties)}`;
  if (schema['x-kubernetes-int-or-string'] === true) return 'IntOrString';
  return type === undefined || type === 'object' ? 'Object' : type;
}
