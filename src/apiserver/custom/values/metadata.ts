import {
  goJsonType,
  type JsonObject,
  type KubeObject,
  type ObjectMeta,
  subdomainMessages,
} from '../../../api/index.ts';
import {
  decodeObject,
  type FieldError,
  goTypeError,
  nodeOf,
  validateMetadata,
  validateMetadataUpdate,
} from '../../../manifest/index.ts';

const TYPE = 'meta.ObjectMeta';

/** The metadata of an object of a custom kind, whose schema says nothing about it. */
export interface TypedMetadata {
  readonly metadata: JsonObject;
  /** Paths of fields that ObjectMeta does not have. */
  readonly unknown: readonly string[];
  /** In the words of Go's JSON decoder. */
  readonly errors: readonly FieldError[];
}

/** Decodes metadata. Source: apiextensions, pkg/apiserver/schema/objectmeta, GetObjectMeta. */
export function typedMetadata(metadata: unknown): TypedMetadata {
  const root = nodeOf(metadata ?? {});
  if (root.kind !== 'map') {
    const detail = `json: cannot unmarshal ${goJsonType(metadata)} into Go value of type v1.ObjectMeta`;
    return { metadata: {}, unknown: [], errors: [{ path: 'metadata', type: 'Invalid type', detail }] };
  }
  const { object, problems } = decodeObject(root, TYPE, { lineOf: () => 1 });
  const errors = problems.map(({ error }) => error);
  const wrong = errors.filter(({ type }) => type !== 'Unknown field' && type !== 'Duplicate field');
  return {
    metadata: object,
    unknown: errors.filter(({ type }) => type === 'Unknown field').map(({ path }) => path),
    errors: wrong.map((error) => ({ ...error, detail: goTypeError(error, TYPE) })),
  };
}

/**
 * The mistakes of the metadata of an object of a custom kind.
 * Source: apimachinery/pkg/api/validation/objectmeta.go, ValidateObjectMetaAccessor and its update.
 * @param stored the object before a change. Undefined: it is new
 */
export function checkMetadata(object: JsonObject, stored: JsonObject | undefined): FieldError[] {
  const changes =
    stored === undefined
      ? []
      : validateMetadataUpdate(stored as unknown as KubeObject, object as unknown as KubeObject);
  return [...changes, ...validateMetadata(object['metadata'] as ObjectMeta, subdomainMessages)];
}
