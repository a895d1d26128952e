import { fromServer, isJsonObject, type JsonObject, type KubeObject, typeOfObject } from '../../api/index.ts';
import { decodeObject } from '../decode/decode.ts';
import type { FieldError } from '../base/field-error.ts';
import { SourceError, type SourceNode } from '../read/source-node.ts';
import { nodeOf } from '../read/value-node.ts';

export interface DecodedChange {
  /** The object without nulls, wrong values and unknown fields. */
  readonly object: KubeObject;
  /** Values of wrong types. The object must not be stored then. */
  readonly errors: readonly FieldError[];
  /** Unknown fields: errors, warnings or nothing, depending on `--validate`. */
  readonly unknown: readonly FieldError[];
}

/**
 * Decodes the result of a patch as an object of the stored kind: a patch may contain anything. Leaves kinds without a
 * field table unchanged.
 * @throws PodrunError when the result is too deep or too large
 */
export function decodeChanged(changed: KubeObject, stored: KubeObject): DecodedChange {
  const type = typeOfObject(stored);
  const sets = fieldSetsOf(changed);
  const root = nodeOfChanged(
    withFieldSets(
      changed,
      sets.map((fields) => fields && {}),
    ),
  );
  if (type === undefined || root.kind !== 'map') return { object: changed, errors: [], unknown: [] };
  const { object, problems } = decodeObject(root, type, { lineOf: () => 1 });
  const isUnknown = (error: FieldError): boolean => error.type === 'Unknown field' || error.type === 'Duplicate field';
  const errors = problems.map(({ error }) => error);
  const { apiVersion = '', kind = '', metadata = {} } = object as Partial<KubeObject>;
  return {
    object: withFieldSets({ ...object, apiVersion, kind, metadata }, sets),
    errors: errors.filter((error) => !isUnknown(error)),
    unknown: errors.filter(isUnknown),
  };
}

/** The sets of fields of the managers. Any object is one, so they need no decoding: each is as large as the object. */
function fieldSetsOf({ metadata }: KubeObject): (JsonObject | undefined)[] {
  const managers: unknown = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
  if (!Array.isArray(managers)) return [];
  return managers.map((manager: unknown) => {
    const fields = isJsonObject(manager) ? manager['fieldsV1'] : undefined;
    return isJsonObject(fields) ? fields : undefined;
  });
}

/** The object with other sets of fields, where its managers have any. */
function withFieldSets(object: KubeObject, sets: readonly (JsonObject | undefined)[]): KubeObject {
  const own = fieldSetsOf(object);
  const managedFields = object.metadata?.managedFields?.map((manager, index) => {
    return own[index] === undefined ? manager : { ...manager, fieldsV1: sets[index] };
  });
  return own.some(Boolean) ? { ...object, metadata: { ...object.metadata, managedFields } } : object;
}

function nodeOfChanged(changed: KubeObject): SourceNode {
  try {
    return nodeOf(changed);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw fromServer('BadRequest', error.message);
  }
}
