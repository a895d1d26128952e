import type { JsonObject } from '../base/json.ts';
import { fieldSetOf, withNamedFields } from './field-set-of.ts';
import { FieldSet } from './field-set.ts';
import type { FieldManager, FieldManagers } from './managers.ts';
import { removeFields } from './remove-fields.ts';
import type { Shape } from './shape.ts';
import type { VersionedFields } from './versions.ts';

/**
 * Removes what only this manager owned and has left out. Source: structured-merge-diff, merge.Updater.prune.
 * @param all the merged object, in the version of this apply
 * @param last the fields of the manager's last apply, in the version of that one
 * @param owners all managers, with the fields of this apply
 */
export function withoutAbandoned(
  all: JsonObject,
  { fields: last, apiVersion: version }: FieldManager,
  owners: FieldManagers,
  versions: VersionedFields,
): JsonObject | undefined {
  const shape = versions.shapeOf(version);
  const whole = versions.convert(all, version);
  let kept = removeFields(shape, whole, last) as JsonObject | undefined;
  for (const [owned, fields] of ownedByVersion(version, owners, versions)) {
    const [shapeThere, wholeThere] = [versions.shapeOf(owned), versions.convert(all, owned)];
    const keptThere = namedFieldsOf(shapeThere, versions.convert(kept, owned));
    const wanted = keptThere.union(withNamedFields(fields, shapeThere));
    const unwanted = namedFieldsOf(shapeThere, wholeThere).difference(wanted);
    kept = removeFields(shapeThere, wholeThere, unwanted) as JsonObject | undefined;
  }
  const lost = namedFieldsOf(shape, whole).difference(namedFieldsOf(shape, versions.convert(kept, version)));
  const pruned = removeFields(shape, whole, lost.intersection(withNamedFields(last, shape)));
  return versions.convert(pruned as JsonObject | undefined, String(all['apiVersion']));
}

/** The fields that the managers own in each version of the API, the version of the last apply first. */
function ownedByVersion(first: string, owners: FieldManagers, versions: VersionedFields): [string, FieldSet][] {
  const owned = new Map([[versions.keyOf(first), { version: first, fields: new FieldSet() }]]);
  for (const { apiVersion, fields } of owners.values()) {
    const key = versions.keyOf(apiVersion);
    const known = owned.get(key);
    owned.set(key, { version: known?.version ?? apiVersion, fields: known?.fields.union(fields) ?? fields });
  }
  return [...owned.values()].map(({ version, fields }) => [version, fields]);
}

function namedFieldsOf(shape: Shape, value: unknown): FieldSet {
  return withNamedFields(fieldSetOf(shape, value), shape);
}
