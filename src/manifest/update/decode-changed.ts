import { PodrunError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/objects.ts';
import { typeOf } from '../../api/patch/field-rules.ts';
import { decodeObject } from '../decode/decode.ts';
import type { FieldError } from '../field-error.ts';
import { readJson } from '../read/json-reader.ts';
import type { SourceNode } from '../read/source-node.ts';
import { SourceError } from '../read/source-text.ts';

export interface DecodedChange {
  /** Without nulls, and without what is wrong or unknown. */
  readonly object: KubeObject;
  /** Wrong types; the object may not be stored. */
  readonly errors: readonly FieldError[];
  /** Fields that do not exist: an error, a warning or nothing, as `--validate` has it. */
  readonly unknown: readonly FieldError[];
}

/**
 * Reads the outcome of a patch as an object of the kind that was patched: a patch may have put anything anywhere.
 * Kinds without a table come back as they are.
 * @throws PodrunError when it is too deep or too large
 */
export function decodeChanged(changed: KubeObject, stored: KubeObject): DecodedChange {
  const type = typeOf(stored);
  const [root] = readAgain(changed);
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

function readAgain(changed: KubeObject): SourceNode[] {
  try {
    return readJson(JSON.stringify(changed));
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw new PodrunError(`Error from server (BadRequest): ${error.message}`);
  }
}
