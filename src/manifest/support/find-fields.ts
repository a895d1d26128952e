import { fieldsOf, isJsonObject, type KubeObject, ownValue, typeOfObject } from '../../api/index.ts';
import { child, entry, type FieldError, forbidden, item } from '../base/field-error.ts';
import { parseType } from '../decode/fields.ts';
import { coversBelow, type FieldRule, type Isolation, type Treatment } from './rule.ts';
import { SUPPORT_TABLE, SUPPORTED_KINDS } from './table.ts';

/** A field of an object whose value has the wanted treatment. */
interface FoundField {
  readonly path: string;
  /** The path without list indexes, equal for all containers. */
  readonly field: string;
  readonly value: unknown;
  readonly rule: FieldRule;
}

/** The position of the search: a value of a type that has rules. */
interface SearchPosition {
  readonly path: string;
  readonly field: string;
  readonly typeName: string;
  readonly value: unknown;
  /** The name of the field, or the key of the map entry. */
  readonly name: string;
}

/** All fields of an object with a treatment, in the order of the table. */
function fieldsWith(object: KubeObject, treatment: Treatment): FoundField[] {
  if (!SUPPORTED_KINDS.includes(object.kind)) return [];
  const typeName = typeOfObject(object) ?? object.kind;
  return search({ path: '', field: '', typeName, value: object, name: '' }, treatment);
}

function fieldsWithoutEffect(object: KubeObject, isolation: Isolation): FoundField[] {
  const { hasNamespaces = false, hasPodNetwork = false } = isolation;
  const works = ({ worksInNamespaces, worksInPodNetwork }: FieldRule): boolean =>
    (hasNamespaces && worksInNamespaces === true) || (hasPodNetwork && worksInPodNetwork === true);
  return fieldsWith(object, 'no effect').filter(
    ({ rule, value }) => !works(rule) && rule.worksWhere?.(value, isolation) !== true,
  );
}

function search({ path, field, typeName, value }: SearchPosition, treatment: Treatment): FoundField[] {
  if (!isJsonObject(value)) return [];
  const types = fieldsOf(typeName) ?? {};
  return Object.entries(SUPPORT_TABLE[typeName] ?? {}).flatMap(([name, rule]) => {
    const inner = ownValue(value, name);
    // Most rules are about absent fields, and most present fields have another treatment.
    if (inner === undefined || isEmpty(inner)) return [];
    const isWhole = coversBelow(rule);
    if (isWhole && rule.treatment !== treatment) return [];
    const { container, base } = parseType(types[name] ?? '');
    const position: SearchPosition = {
      path: child(path, name),
      field: child(field, name),
      typeName: base,
      value: inner,
      name,
    };
    if (!isWhole) return itemsOf(position, container).flatMap((item) => search(item, treatment));
    return (container === 'map' ? entriesOf(position) : [position])
      .filter((inner) => rule.isHarmless?.(inner.value, value, inner.name) !== true)
      .map((inner) => ({ path: inner.path, field: inner.field, value: inner.value, rule }));
  });
}

/** The objects at a place: itself, or the items of its list or map. */
function itemsOf(position: SearchPosition, container: 'list' | 'map' | undefined): SearchPosition[] {
  if (container === 'map') return entriesOf(position);
  if (container === undefined) return [position];
  if (!Array.isArray(position.value)) return [];
  return position.value.map((value: unknown, index) => ({ ...position, path: item(position.path, index), value }));
}

function entriesOf(position: SearchPosition): SearchPosition[] {
  if (!isJsonObject(position.value)) return [];
  return Object.entries(position.value).map(([key, value]) => ({
    ...position,
    path: entry(position.path, key),
    field: entry(position.field, key),
    value,
    name: key,
  }));
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** A field that is accepted and has no effect: one event. */
interface FieldWithoutEffect {
  /** The paths of the field: several when several containers have it. */
  readonly paths: readonly string[];
  /** The reason, one short sentence. */
  readonly note: string;
}

/**
 * All fields of a stored object whose values have no effect here, in the order of the support table, without default
 * values. A client of an API server can store also fields that podrun refuses in manifests.
 */
export function groupIgnoredFields(object: KubeObject, isolation: Isolation = {}): FieldWithoutEffect[] {
  return grouped([...fieldsWith(object, 'refused'), ...fieldsWithoutEffect(object, isolation)]);
}

/** The fields of a manifest whose values have no effect, as {@link groupIgnoredFields} groups them. */
export function groupFieldsWithoutEffect(object: KubeObject, isolation: Isolation = {}): FieldWithoutEffect[] {
  return grouped(fieldsWithoutEffect(object, isolation));
}

function grouped(fields: readonly FoundField[]): FieldWithoutEffect[] {
  const byField = new Map<string, { paths: string[]; note: string }>();
  for (const { path, field, rule } of fields) {
    const key = field.replace(/\b(initC|ephemeralC)ontainers\b/, 'containers');
    const known = byField.get(key);
    if (known === undefined) byField.set(key, { paths: [path], note: rule.note });
    else known.paths.push(path);
  }
  return [...byField.values()];
}

/** Paths of safety fields that nothing enforces here. They get one common warning. */
export function unenforcedPaths(object: KubeObject, isolation: Isolation = {}): string[] {
  return fieldsWithoutEffect(object, isolation)
    .filter(({ rule }) => rule.isSafety)
    .map(({ path }) => path);
}

/**
 * Fields that podrun cannot fulfil and refuses. This is a stage of its own after validation: a cluster would accept the
 * object.
 */
export function refusedFields(object: KubeObject): FieldError[] {
  return errorsOf(fieldsWith(object, 'refused'));
}

/** Errors for fields without effect, for `--strict`. */
export function withoutEffectErrors(object: KubeObject, isolation: Isolation = {}): FieldError[] {
  return errorsOf(fieldsWithoutEffect(object, isolation));
}

function errorsOf(fields: readonly FoundField[]): FieldError[] {
  return fields.map(({ path, rule }) => forbidden(path, `not supported by this runner: ${rule.note}`));
}
