import { ownValue } from '../base/json.ts';
import { fieldsOf, typeOfKind } from '../base/field-types.ts';
import { patchTable } from '../generated/patch-table.ts';
import type { KubeObject } from '../base/objects.ts';

/** The rules of patches for a field. */
export interface FieldRules {
  /** The type of the object, or of the items of the list, in the field table. Undefined: the type has no fields. */
  readonly typeName: string | undefined;
  /** True: patches merge the list instead of replacing it. */
  readonly isMerged: boolean;
  /** The field that identifies items of a list. Undefined in lists of plain values. */
  readonly mergeKey: string | undefined;
  /** True for a union: setting one member clears all other members. */
  readonly retainsKeys: boolean;
}

const NO_RULES: FieldRules = { typeName: undefined, isMerged: false, mergeKey: undefined, retainsKeys: false };

/** The type of an object. Undefined for kinds that are not in the field table, whose lists are all replaced. */
export function typeOfObject({ apiVersion, kind }: KubeObject): string | undefined {
  return typeOfKind(apiVersion, kind);
}

/** @param typeName the type that contains the field */
export function fieldRulesOf(typeName: string | undefined, field: string): FieldRules {
  const type = typeName === undefined ? undefined : ownValue(fieldsOf(typeName), field);
  if (typeName === undefined || type === undefined) return NO_RULES;
  const rule = ownValue(ownValue(patchTable, typeName), field);
  const base = type.replace(/^\[\]/, '');
  return {
    typeName: fieldsOf(base) === undefined ? undefined : base,
    isMerged: rule?.strategies.includes('merge') ?? false,
    mergeKey: rule?.mergeKey,
    retainsKeys: rule?.strategies.includes('retainKeys') ?? false,
  };
}
