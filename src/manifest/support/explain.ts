import { fieldsOf, resourceTypeNamed, typeOfKind } from '../../api/index.ts';
import { knownType, parseType } from '../decode/fields.ts';
import { coversBelow, type FieldRule, inAnyTier } from './rule.ts';
import { SUPPORT_TABLE, SUPPORTED_KINDS } from './table.ts';

/** The explanation of a resource, or of a field of it. */
export interface Explained {
  /** The type of the value in the field table: it has the fields in `below`. */
  readonly typeName: string;
  /** Undefined for the resource as a whole. */
  readonly field: ExplainedField | undefined;
  /** All fields below, sorted by name. The fields of a field follow it. */
  readonly below: readonly ExplainedField[];
}

export type ExplainOutcome =
  | { readonly ok: true; readonly explained: Explained }
  /** The resource has no such field: `missing` is the first unknown name. */
  | { readonly ok: false; readonly missing: string };

interface ExplainPosition {
  readonly path: string;
  readonly typeName: string;
  /** The rule for all fields below. Undefined when each field has its own. */
  readonly cover: FieldRule | undefined;
}

/** Every field of every kind that podrun takes. A template in a workload has the fields of what it makes. */
export function explainEverything(): readonly ExplainedField[] {
  return SUPPORTED_KINDS.flatMap((kind) => {
    const type = resourceTypeNamed(kind);
    const outcome = type && explain(type, kind.toLowerCase(), []);
    return outcome?.ok ? outcome.explained.below.filter(({ path }) => kind === 'Pod' || !/emplates?\./.test(path)) : [];
  });
}

/**
 * Looks up a field of a kind, and everything below it.
 * @param resource the beginning of paths: `pod`
 * @param names names of fields, the outermost first; empty for the kind itself
 */
export function explain(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  resource: string,
  names: readonly string[],
): ExplainOutcome {
  const typeName = typeOfKind(apiVersion, kind) ?? kind;
  let position: ExplainPosition = { path: resource, typeName, cover: undefined };
  let field: ExplainedField | undefined;
  for (const name of names) {
    const next = stepTo(position, name);
    if (next === undefined) return { ok: false, missing: name };
    ({ position, field } = next);
  }
  return {
    ok: true,
    explained: { typeName: position.typeName, field, below: fieldsBelow(position, [position.typeName]) },
  };
}

function fieldsBelow(place: ExplainPosition, above: readonly string[]): ExplainedField[] {
  return Object.keys(fieldsOf(place.typeName) ?? {})
    .toSorted()
    .flatMap((name) => {
      const next = stepTo(place, name);
      if (next === undefined) return [];
      const { typeName } = next.position;
      // A type may contain itself, as JSONSchemaProps does: descend into it once.
      return [next.field, ...(above.includes(typeName) ? [] : fieldsBelow(next.position, [...above, typeName]))];
    });
}

/** Goes down one field. Undefined for a field that the followed version of Kubernetes does not have. */
function stepTo(
  { path, typeName, cover }: ExplainPosition,
  name: string,
): { position: ExplainPosition; field: ExplainedField } | undefined {
  const type = knownType(typeName, name, false);
  if (type === undefined) return undefined;
  const rule = cover ?? SUPPORT_TABLE[typeName]?.[name];
  const general = rule && inAnyTier(rule);
  const below = { path: `${path}.${name}`, typeName: parseType(type).base };
  return {
    position: { ...below, cover: rule !== undefined && coversBelow(rule) ? rule : undefined },
    field: {
      path: below.path,
      type: shownType(type),
      support: general?.treatment,
      note: general?.note ?? '',
      owner: typeName,
      valueType: below.typeName,
    },
  };
}

/** The names of primitive types as in JSON schemas. Other types keep their Go names. */
const SHOWN: Readonly<Record<string, string>> = {
  bool: 'boolean',
  int32: 'integer',
  int64: 'integer',
  float64: 'number',
  quantity: 'Quantity',
  intOrString: 'IntOrString',
  time: 'string',
  microTime: 'string',
  bytes: 'string',
  any: 'Object',
  object: 'Object',
};

function shownType(type: string): string {
  const { container, base } = parseType(type);
  const typeName = SHOWN[base] ?? base.slice(base.lastIndexOf('.') + 1);
  return `${container === 'list' ? '[]' : container === 'map' ? 'map[string]' : ''}${typeName}`;
}

/** A field of a kind, as `podrun explain` shows it. */
export interface ExplainedField {
  /** The path from the resource on, without indexes: `pod.spec.containers.image`. */
  readonly path: string;
  /** The type in kubectl's form: `string`, `[]Container`, `map[string]Quantity`. */
  readonly type: string;
  /** The support in podrun: `works`, `no effect` and so on. Undefined: podrun has no record for this kind. */
  readonly support: string | undefined;
  /** The reason or the difference. May be empty. */
  readonly note: string;
  /** The type that contains the field, as in the field table: `PodSpec`. */
  readonly owner: string;
  /**
   * The type of its values, as in the field table. For a list or a map, the type of its items: `Container`, `string`.
   */
  readonly valueType: string;
}

/** Kubernetes' description of a field. */
export interface FieldDescription {
  /** Several paragraphs without line breaks inside. */
  readonly text: string;
  readonly required?: true;
  /** The allowed texts of a closed set. */
  readonly values?: readonly string[];
}

/** Kubernetes' descriptions of types, by their names in the field table. Newer types are missing. */
export type Descriptions = Readonly<
  Record<string, { readonly text: string; readonly fields: Readonly<Record<string, FieldDescription>> }>
>;
