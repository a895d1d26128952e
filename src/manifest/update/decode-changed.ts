import { fromServer, type KubeObject, typeOfObject } from '../../api/index.ts';
import { decodeObject } from '../decode/decode.ts';
import type { FieldError } from '../base/field-error.ts';
import { readJson } from '../read/json-reader.ts';
import type { SourceNode } from '../read/source-node.ts';
import { SourceError } from '../read/source-text.ts';

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
  const [root] = reread(changed);
  if (type === undefined || root?.kind !== 'map') return { object: changed, errors: [], unknown: [] };
  const { object, problems } = decodeObject(root, type, { lineOf: () => 1 });
  const isUnknown = (error: FieldError): boolean => error.type === 'Unknown field' || error.type === 'Duplicate field';
  const errors = problems.map(({ error }) => error);
  const { apiVersion = '', kind = '', metadata = {} } = object as Partial<KubeObject>;
  return {
    object: { ...object, apiVersion, kind, metadata },
    errors: errors.filter((error) => !isUnknown(error)),
    unknown: errors.filter(isUnknown),
  };
}

function reread(changed: KubeObject): SourceNode[] {
  try {
    return readJson(JSON.stringify(changed));
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw fromServer('BadRequest', error.message);
  }
}
