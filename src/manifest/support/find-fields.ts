import { fieldsOf, isJsonObject, type KubeObject, typeOfObject } from '../../api/index.ts';
import { parseType } from '../decode/fields.ts';
import { child, entry, item } from '../base/path.ts';
import { coversBelow, type FieldRule, type Isolation, type Treatment } from './rule.ts';
import { SUPPORT_TABLE, SUPPORTED_KINDS } from './table.ts';

/** A field of an object whose value has the wanted treatment. */
export interface FoundField {
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
export function fieldsWith(object: KubeObject, treatment: Treatment): FoundField[] {
  if (!SUPPORTED_KINDS.includes(object.kind)) return [];
  const typeName = typeOfObject(object) ?? object.kind;
  return search({ path: '', field: '', typeName, value: object, name: '' }, treatment);
}

export function fieldsWithoutEffect(object: KubeObject, isolation: Isolation): FoundField[] {
  const { hasNamespaces = false, hasPodNetwork = false, hasOciRuntime = false } = isolation;
  const works = ({ worksInNamespaces, worksInPodNetwork, worksInOciRuntime }: FieldRule): boolean =>
    (hasNamespaces && worksInNamespaces === true) ||
    (hasPodNetwork && worksInPodNetwork === true) ||
    (hasOciRuntime && worksInOciRuntime === true);
  return fieldsWith(object, 'no effect').filter(
    ({ rule, value }) => !works(rule) && rule.worksWhere?.(value, isolation) !== true,
  );
}

function search({ path, field, typeName, value }: SearchPosition, treatment: Treatment): FoundField[] {
  if (!isJsonObject(value)) return [];
  const types = fieldsOf(typeName) ?? {};
  return Object.entries(SUPPORT_TABLE[typeName] ?? {}).flatMap(([name, rule]) => {
    const inner = Object.hasOwn(value, name) ? value[name] : undefined;
    if (isEmpty(inner)) return [];
    const { container, base } = parseType(types[name] ?? '');
    const position: SearchPosition = {
      path: child(path, name),
      field: child(field, name),
      typeName: base,
      value: inner,
      name,
    };
    if (!coversBelow(rule)) return itemsOf(position, container).flatMap((item) => search(item, treatment));
    if (rule.treatment !== treatment) return [];
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
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
