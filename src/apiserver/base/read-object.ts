import { goJsonType, type JsonObject, type KubeObject, OBJECT_FIELDS, typeOfKind } from '../../api/index.ts';
import {
  cutDocuments,
  decodeObject,
  type FieldError,
  goTypeError,
  type MapNode,
  nodeOf,
  nodeValue,
  readDocument,
  readJson,
  SourceError,
  type SourceNode,
} from '../../manifest/index.ts';
import { nextPart } from '../../clock.ts';
import type { ServerContext } from './context.ts';
import type { ApiRequest } from './request.ts';
import { apiVersionOf, type ServedResource } from '../resources/served-resource.ts';
import { badRequestStatus, StatusError } from './status-error.ts';
import { TypedFields } from './typed-fields.ts';
import { jsonProblem } from './json-problem.ts';
import { mediaTypeOf } from './media-type.ts';
import { repeatedFields, repeatedInYaml } from './repeated-fields.ts';
import { fieldValidation } from './write-options.ts';

type Kinds = Pick<ServedResource, 'group' | 'version' | 'kind' | 'custom'>;

/**
 * Reads the object in the body of a request.
 * @param context says when further requests are served between the parts of the work
 * @param kind the kind that the path takes: of its resource, or of its subresource
 * @throws {StatusError} 400 for an object of another kind or with wrong fields; 415 for an unknown content type
 */
export async function readObject(
  request: ApiRequest,
  { clock }: Pick<ServerContext, 'clock'>,
  kind: Kinds = request.resource,
): Promise<KubeObject> {
  // An object may have ten thousand fields: further requests are served between the parts of the work.
  await nextPart(clock);
  const root = await rootOf(request, kind.kind);
  await nextPart(clock);
  const named = root.entries.filter(({ key }) => key === 'apiVersion' || key === 'kind');
  const given = nodeValue({ ...root, entries: named }) as JsonObject;
  tellOtherVersion(root, given, kind, request);
  checkKind(given, kind, await request.body());
  return decoded(root, kind, { request, yaml: bodyType(request) === YAML ? await request.body() : undefined });
}

/** Reads a value in the body that is no object of a resource, such as DeleteOptions. Undefined: the body is empty. */
export async function readOptions(request: ApiRequest, kind: string): Promise<Record<string, unknown> | undefined> {
  const bytes = await request.body();
  if (bytes.length === 0) return undefined;
  const options = nodeValue(await rootOf(request, kind)) as Record<string, unknown>;
  const { apiVersion = 'v1', kind: given = kind } = options;
  if (given === kind || given === '') return options;
  const named = `no kind ${JSON.stringify(given)} is registered for version ${JSON.stringify(apiVersion)}`;
  throw badRequestStatus(`${named} in scheme ${SCHEME}`);
}

const ACCEPTED = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

const YAML = 'application/yaml';

/** The type of a body. `kubectl scale` sends a PUT without one. */
function bodyType({ headers }: ApiRequest): string {
  return mediaTypeOf(headers['content-type']) || 'application/json';
}

/** The type of Go that a body is read into first, for its kind. */
const TYPE_META =
  String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; ` +
  String.raw`Kind string "json:\"kind,omitempty\"" }`;

async function rootOf(request: ApiRequest, kind: string): Promise<MapNode> {
  const [bytes, type] = [await request.body(), bodyType(request)];
  try {
    const root = await parsed(bytes, type, kind);
    if (root.kind === 'map') return root;
    const value = nodeValue(root);
    if (value === null) return { kind: 'map', offset: 0, entries: [] };
    const why = `${NO_KIND}json: cannot unmarshal ${goJsonType(value)} into Go value of type ${TYPE_META}`;
    throw unrecognized(kind, why, bytes);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const ofYaml = error.message.replace(/^error converting YAML to JSON: /, '');
    throw unrecognized(kind, type === YAML ? ofYaml : `${NO_KIND}${jsonProblem(bytes)}`, bytes);
  }
}

async function parsed(bytes: Buffer, type: string, kind: string): Promise<SourceNode> {
  switch (type) {
    case 'application/json':
      return only(readJson(bytes.toString()));
    case YAML:
      return only(cutDocuments(bytes).slice(0, 1).flatMap(readDocument));
    case 'application/vnd.kubernetes.protobuf':
      return await ofProtobuf(bytes, kind);
    default:
      throw new StatusError({
        code: 415,
        reason: 'UnsupportedMediaType',
        message: `the body of the request was in an unknown format - accepted media types include: ${ACCEPTED}`,
      });
  }
}

/** @throws SourceError when there is none, or another one */
function only([first, ...others]: readonly SourceNode[]): SourceNode {
  if (first === undefined || others.length > 0) throw new SourceError('not one value', 0);
  return first;
}

async function ofProtobuf(bytes: Buffer, kind: string): Promise<SourceNode> {
  // Loaded by the first body in protobuf.
  const { decodeProtobuf } = await import('../protobuf/index.ts');
  let object: KubeObject;
  try {
    object = decodeProtobuf(bytes);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unrecognized(kind, error.message, bytes);
  }
  return nodeOf(object);
}

/** Stands before the mistakes of a body whose kind cannot be read. */
const NO_KIND = "couldn't get version/kind; json parse error: ";

function unrecognized(kind: string, why: string, bytes: Buffer): StatusError {
  const sent = summaryOf(bytes);
  return badRequestStatus(`the object provided is unrecognized (must be of type ${kind}): ${why} (${sent})`);
}

/** The bytes of a body that an error shows. */
const SHOWN_MAX = 30;

/** The beginning of a body, for a message. Source: apiserver/pkg/endpoints/handlers/rest.go, summarizeData. */
function summaryOf(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const beginning = bytes.subarray(0, SHOWN_MAX).toString(bytes.toString('utf8', 0, 1) === '{' ? 'utf8' : 'hex');
  return bytes.length > SHOWN_MAX ? `${beginning} ...` : beginning;
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

/** The place in Kubernetes' sources that names the known kinds. */
const SCHEME = '"pkg/api/legacyscheme/scheme.go:30"';

/** A body may leave out its kind. */
function checkKind(body: JsonObject, wanted: Kinds, bytes: Buffer): void {
  const apiVersion = apiVersionOf(wanted);
  const givenVersion = body['apiVersion'] ?? apiVersion;
  const kind = body['kind'] ?? wanted.kind;
  for (const [name, value] of Object.entries({ apiVersion: givenVersion, kind }))
    if (typeof value !== 'string') throw unrecognized(wanted.kind, NO_KIND + notText(value, name), bytes);
  if (typeof givenVersion !== 'string' || typeof kind !== 'string') return;
  if ((givenVersion === apiVersion || givenVersion === '') && (kind === wanted.kind || kind === '')) return;
  if (wanted.custom?.isTyped === false) {
    if (givenVersion === apiVersion) return;
    throw badRequestStatus(
      `the API version in the data (${givenVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  const version = givenVersion.slice(givenVersion.indexOf('/') + 1);
  const [from, to] = [`${version}.${kind}`, `${wanted.group || 'core'}.${wanted.kind}`];
  const isKnown = typeOfKind(givenVersion, kind) !== undefined;
  const why = isKnown
    ? `converting (${from}) to (${to}): unknown conversion`
    : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(givenVersion)} in scheme ${SCHEME}`;
  throw badRequestStatus(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${wanted.kind}: ${why}`);
}

/**
 * Tells which fields an object of another version of a custom kind has: this server has no schema for any of them.
 * @throws {StatusError} 400, when the request is strict
 */
function tellOtherVersion(root: MapNode, given: JsonObject, wanted: Kinds, request: ApiRequest): void {
  const { apiVersion, kind = wanted.kind } = given;
  if (wanted.custom?.isTyped !== false || typeof apiVersion !== 'string' || kind !== wanted.kind) return;
  const [group] = apiVersion.split('/');
  if (apiVersion === apiVersionOf(wanted) || group !== wanted.group) return;
  const unknown = root.entries.map(({ key }) => key).filter((key) => !OBJECT_FIELDS.has(key));
  const sentences = [...new Set(unknown)].toSorted().map((key) => `unknown field ${JSON.stringify(key)}`);
  tellUnknown(sentences, wanted, request);
}

function notText(value: unknown, field: string): string {
  return `json: cannot unmarshal ${goJsonType(value)} into Go struct field .${field} of type string`;
}

/**
 * Decodes an object that was not in the body of the request: the result of an apply.
 * @throws {StatusError} 400 for wrong fields
 */
export function decodedValue(object: KubeObject, request: ApiRequest): KubeObject {
  const root = nodeOf(object);
  if (root.kind !== 'map') throw badRequestStatus('the applied object is none');
  return decoded(root, request.resource, { request, yaml: undefined });
}

interface Body {
  readonly request: ApiRequest;
  /** Undefined: it was JSON or protobuf. */
  readonly yaml: Buffer | undefined;
}

function decoded(root: MapNode, kind: Kinds, { request, yaml }: Body): KubeObject {
  const apiVersion = apiVersionOf(kind);
  const { object, errors, unknown } = decodeAs(root, kind, { apiVersion, yaml });
  const [wrong] = errors;
  const type = kind.custom === undefined ? typeOfKind(apiVersion, kind.kind) : undefined;
  if (wrong !== undefined) throw unhandled(kind, type === undefined ? wrong.detail : goTypeError(wrong, type));
  tellUnknown(unknown, kind, request);
  const { metadata = {} } = object as Partial<KubeObject>;
  // An object of a custom kind says itself which kind it is: its validation compares.
  const own = kind.custom?.isTyped === false && typeof object['kind'] === 'string' ? object['kind'] : '';
  return { ...object, apiVersion, kind: own || kind.kind, metadata: metadata ?? {} };
}

interface DecodedBody {
  readonly object: Record<string, unknown>;
  readonly errors: readonly FieldError[];
  /** Sentences about unknown and repeated fields. */
  readonly unknown: readonly string[];
}

function decodeAs(
  root: MapNode,
  { kind, custom }: Kinds,
  { apiVersion, yaml }: Pick<Body, 'yaml'> & { readonly apiVersion: string },
): DecodedBody {
  const repeated = yaml === undefined ? undefined : repeatedInYaml(root, yaml);
  if (custom !== undefined) {
    const value = nodeValue(root) as Record<string, unknown>;
    const isOtherKind = !custom.isTyped && Boolean(value['kind']) && value['kind'] !== kind;
    const { object, unknown, errors } = custom.decode(value, isOtherKind);
    const sentences = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
    return { object, errors, unknown: [...(repeated ?? repeatedFields(root)), ...sentences] };
  }
  const type = typeOfKind(apiVersion, kind);
  if (type === undefined) return { object: nodeValue(root) as Record<string, unknown>, errors: [], unknown: [] };
  const isYaml = yaml !== undefined;
  const { object, problems } = decodeObject(root, type, { lineOf: () => 1, takesFractions: isYaml });
  // JSON is read in the order of the text; YAML becomes JSON with sorted keys first. A field that is unknown twice is
  // reported once.
  const errors = (isYaml ? problems : problems.toSorted((a, b) => a.offset - b.offset)).map(({ error }) => error);
  const unknown = new Set(errors.filter(({ type: what }) => what === 'Unknown field').map(({ path }) => path));
  const isRepeated = ({ type: what, path }: FieldError): boolean =>
    what === 'Duplicate field' && !isYaml && !unknown.has(path);
  return {
    object,
    errors: errors.filter((error) => !isUnknown(error)),
    unknown: [
      ...(repeated ?? []),
      ...errors.filter((e) => e.type === 'Unknown field' || isRepeated(e)).map(({ detail }) => detail),
    ],
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
