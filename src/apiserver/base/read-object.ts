import { goJsonType, type JsonObject, type KubeObject, typeOfKind } from '../../api/index.ts';
import {
  cutDocuments,
  decodeObject,
  type FieldError,
  type MapNode,
  nodeValue,
  readDocument,
  readJson,
  SourceError,
  type SourceNode,
} from '../../manifest/index.ts';
import type { ApiRequest } from './request.ts';
import { apiVersionOf, type ServedResource } from '../resources/served-resource.ts';
import { badRequestStatus, StatusError } from './status-error.ts';
import { TypedFields } from './typed-fields.ts';
import { repeatedFields } from './repeated-fields.ts';
import { fieldValidation } from './write-options.ts';

type Kinds = Pick<ServedResource, 'group' | 'version' | 'kind' | 'custom'>;

/**
 * Reads the object in the body of a request.
 * @param kind the kind that the path takes: of its resource, or of its subresource
 * @throws {StatusError} 400 for an object of another kind or with wrong fields; 415 for an unknown content type
 */
export async function readObject(request: ApiRequest, kind: Kinds = request.resource): Promise<KubeObject> {
  const bytes = await request.body();
  const root = await rootOf(bytes, request.headers['content-type'], kind.kind);
  checkKind(nodeValue(root) as JsonObject, kind);
  return decoded(root, kind, request);
}

/** Reads a value in the body that is no object of a resource, such as DeleteOptions. Undefined: the body is empty. */
export async function readOptions(request: ApiRequest, kind: string): Promise<Record<string, unknown> | undefined> {
  const bytes = await request.body();
  if (bytes.length === 0) return undefined;
  return nodeValue(await rootOf(bytes, request.headers['content-type'], kind)) as Record<string, unknown>;
}

const ACCEPTED = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

async function rootOf(bytes: Buffer, contentType: string | undefined, kind: string): Promise<MapNode> {
  // `kubectl scale` sends a PUT without a content type.
  const [type = ''] = (contentType ?? 'application/json').split(';').map((part) => part.trim().toLowerCase());
  try {
    const root = await parsed(bytes, type);
    if (root?.kind === 'map') return root;
    throw unrecognized(kind, 'json: cannot unmarshal the body into an object');
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw unrecognized(kind, `json parse error: ${error.message}`);
  }
}

async function parsed(bytes: Buffer, type: string): Promise<SourceNode | undefined> {
  switch (type) {
    case 'application/json':
    case '':
      return readJson(bytes.toString())[0];
    case 'application/yaml':
      return cutDocuments(bytes).flatMap(readDocument)[0];
    case 'application/vnd.kubernetes.protobuf': {
      // Loaded by the first body in protobuf.
      const { decodeProtobuf } = await import('../protobuf/index.ts');
      return readJson(JSON.stringify(decodeProtobuf(bytes)))[0];
    }
    default:
      throw new StatusError({
        code: 415,
        reason: 'UnsupportedMediaType',
        message: `the body of the request was in an unknown format - accepted media types include: ${ACCEPTED}`,
        details: {},
      });
  }
}

function unrecognized(kind: string, why: string): StatusError {
  const what = "couldn't get version/kind";
  return badRequestStatus(`the object provided is unrecognized (must be of type ${kind}): ${what}; ${why}`);
}

/**
 * Reads fields of a body whose kind is not in the field table.
 * @throws {StatusError} 400 for one of a wrong type
 */
export function readFields<T>(
  object: JsonObject,
  kind: Pick<Kinds, 'kind' | 'version'>,
  read: (fields: TypedFields) => T,
): T {
  try {
    return read(new TypedFields(object, kind.kind));
  } catch (error) {
    throw error instanceof TypeError ? unhandled(kind, error.message) : error;
  }
}

/** A body may leave out its kind. */
function checkKind(body: JsonObject, wanted: Kinds): void {
  const apiVersion = apiVersionOf(wanted);
  const givenVersion = body['apiVersion'] ?? apiVersion;
  const kind = body['kind'] ?? wanted.kind;
  for (const [name, value] of Object.entries({ apiVersion: givenVersion, kind }))
    if (typeof value !== 'string') throw unrecognized(wanted.kind, `json parse error: ${notText(value, name)}`);
  if (typeof givenVersion !== 'string' || typeof kind !== 'string') return;
  if ((givenVersion === apiVersion || givenVersion === '') && (kind === wanted.kind || kind === '')) return;
  const version = givenVersion.slice(givenVersion.indexOf('/') + 1);
  const [from, to] = [`${version}.${kind}`, `${wanted.group || 'core'}.${wanted.kind}`];
  throw badRequestStatus(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${wanted.kind}: ` +
      `converting (${from}) to (${to}): unknown conversion`,
  );
}

function notText(value: unknown, field: string): string {
  return `json: cannot unmarshal ${goJsonType(value)} into Go struct field .${field} of type string`;
}

/**
 * Decodes an object that was not in the body of the request: the result of an apply.
 * @throws {StatusError} 400 for wrong fields
 */
export function decodedValue(object: KubeObject, request: ApiRequest): KubeObject {
  const [root] = readJson(JSON.stringify(object));
  if (root?.kind !== 'map') throw unrecognized(request.resource.kind, 'it is no object');
  return decoded(root, request.resource, request);
}

function decoded(root: MapNode, kind: Kinds, request: ApiRequest): KubeObject {
  const apiVersion = apiVersionOf(kind);
  const { object, errors, unknown } = decodeAs(root, kind, apiVersion);
  const [wrong] = errors;
  if (wrong !== undefined) throw unhandled(kind, wrong.detail);
  tellUnknown(unknown, kind, request);
  const { metadata = {} } = object as Partial<KubeObject>;
  return { ...object, apiVersion, kind: kind.kind, metadata: metadata ?? {} };
}

interface DecodedBody {
  readonly object: Record<string, unknown>;
  readonly errors: readonly FieldError[];
  /** Sentences about unknown and repeated fields. */
  readonly unknown: readonly string[];
}

function decodeAs(root: MapNode, { kind, custom }: Kinds, apiVersion: string): DecodedBody {
  if (custom !== undefined) {
    const { object, unknown, errors } = custom.decode(nodeValue(root) as Record<string, unknown>);
    const sentences = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
    return { object, errors, unknown: [...repeatedFields(root), ...sentences] };
  }
  const type = typeOfKind(apiVersion, kind);
  if (type === undefined) return { object: nodeValue(root) as Record<string, unknown>, errors: [], unknown: [] };
  const { object, problems } = decodeObject(root, type, { lineOf: () => 1 });
  // In the order of the text. A field that is unknown twice is reported once.
  const errors = problems.toSorted((a, b) => a.offset - b.offset).map(({ error }) => error);
  const unknown = new Set(errors.filter(({ type: what }) => what === 'Unknown field').map(({ path }) => path));
  const isRepeated = ({ type: what, path }: FieldError): boolean => what === 'Duplicate field' && !unknown.has(path);
  return {
    object,
    errors: errors.filter((error) => !isUnknown(error)),
    unknown: errors.filter((e) => e.type === 'Unknown field' || isRepeated(e)).map(({ detail }) => detail),
  };
}

const isUnknown = ({ type }: FieldError): boolean => type === 'Unknown field' || type === 'Duplicate field';

/**
 * Refuses unknown fields, warns of them or ignores them, as the request says.
 * @param unknown sentences: `unknown field "spec.x"`
 * @throws {StatusError} 400
 */
export function tellUnknown(
  unknown: readonly string[],
  kind: Pick<Kinds, 'kind' | 'version'>,
  request: ApiRequest,
): void {
  const sentences = [...(request.repeated ?? []), ...unknown];
  if (sentences.length === 0) return;
  const mode = fieldValidation(request);
  if (mode === 'Strict') throw unhandled(kind, `strict decoding error: ${sentences.join(', ')}`);
  if (mode === 'Warn') for (const sentence of sentences) request.warn(sentence);
}

function unhandled({ kind, version }: Pick<Kinds, 'kind' | 'version'>, why: string): StatusError {
  return badRequestStatus(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
}
