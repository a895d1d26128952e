import type { JsonObject } from '../../api/json.ts';
import { goJsonType } from '../../api/patch/index.ts';
import { decodeObject } from '../../manifest/decode/decode.ts';
import { goTypeError } from '../../manifest/decode/go-type-error.ts';
import type { FieldError } from '../../manifest/base/field-error.ts';
import { readJson } from '../../manifest/read/json-reader.ts';

const TYPE = 'meta.ObjectMeta';

/** The metadata of an object of a custom kind, whose schema says nothing about it. */
interface TypedMetadata {
  readonly metadata: JsonObject;
  /** Paths of fields that ObjectMeta does not have. */
  readonly unknown: readonly string[];
  /** In the words of Go's JSON decoder. */
  readonly errors: readonly FieldError[];
}

/** Decodes metadata. Source: apiextensions, pkg/apiserver/schema/objectmeta, GetObjectMeta. */
export function typedMetadata(metadata: unknown): TypedMetadata {
  const [root] = readJson(JSON.stringify(metadata ?? {}));
  if (root?.kind !== 'map') {
    const detail = `json: cannot unmarshal ${goJsonType(metadata)} into Go value of type v1.ObjectMeta`;
    return { metadata: {}, unknown: [], errors: [{ path: 'metadata', type: 'Invalid type', detail }] };
  }
  const { object, problems } = decodeObject(root, TYPE, { lineOf: () => 1 });
  const errors = problems.map(({ error }) => error);
  const wrong = errors.filter(({ type }) => type !== 'Unknown field' && type !== 'Duplicate field');
  return {
    metadata: object,
    unknown: errors.filter(({ type }) => type === 'Unknown field').map(({ path }) => `metadata.${path}`),
    errors: wrong.map((error) => ({ ...error, detail: goTypeError(error, TYPE) })),
  };
}
