import { ownValue } from './json.ts';
import { fieldTable } from '../generated/field-table.ts';

/** The fields of a type with their types, as in the field table. */
export type FieldTypes = Readonly<Record<string, string>>;

const taken = new Map<string, FieldTypes>();

/** The type of the objects of a kind, for example `v1/Pod`. Undefined: not in the field table. */
export function typeOfKind(apiVersion: string, kind: string): string | undefined {
  const key = `${apiVersion}/${kind}`;
  return ownValue(fieldTable.kinds, key);
}

/** The fields of a type. Undefined for primitives and unknown types. */
export function fieldsOf(typeName: string): FieldTypes | undefined {
  if (!Object.hasOwn(fieldTable.types, typeName)) return undefined;
  const present = taken.get(typeName);
  if (present !== undefined) return present;
  const pairs = (fieldTable.types[typeName] ?? '').split(',').filter((pair) => pair !== '');
  const fields = Object.fromEntries(pairs.map((pair) => pair.split(' ')));
  taken.set(typeName, fields);
  return fields;
}
