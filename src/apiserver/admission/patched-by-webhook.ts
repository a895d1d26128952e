import {
  applyPatch,
  errorMessage,
  goJsonType,
  isJsonObject,
  type JsonObject,
  type KubeObject,
  PodrunError,
  typeOfKind,
} from '../../api/index.ts';
import { decodeObject, goTypeError, type MapNode, nodeOf, nodeValue, readJson } from '../../manifest/index.ts';
import { apiVersionOf } from '../resources/served-resource.ts';
import { internalError } from '../base/status-error.ts';
import type { AdmissionRequest } from './admission-request.ts';

const METADATA = 'meta.ObjectMeta';

/**
 * An object as the patch of a mutating webhook leaves it: an object of its kind again.
 * Source: apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go, callAttrMutatingHook.
 * @param patch a JSON patch, as text
 * @throws {StatusError} 500 when it is none, does not fit the object, or makes something else of it
 */
export function patchedByWebhook(object: KubeObject, patch: string, request: AdmissionRequest): KubeObject {
  try {
    const patched: unknown = applyPatch(object, valueOf(patch), 'json');
    return decodedAs(request.objectKind ?? request, patched);
  } catch (error) {
    throw internalError(patchReason(error));
  }
}

function valueOf(text: string): unknown {
  const [value, ...others] = readJson(text);
  if (value === undefined || others.length > 0) throw new SyntaxError('unexpected end of JSON input');
  return nodeValue(value);
}

/** The words of an error without the parts for users of `podrun patch`. */
export function patchReason(error: unknown): string {
  if (error instanceof PodrunError && error.hint !== undefined) return error.hint;
  return errorMessage(error).replace(/^Error from server(?: \(\w+\))?: /, '');
}

/**
 * An object of a kind, decoded anew.
 * @throws {TypeError} when the value is no such object
 */
export function decodedAs(
  kind: { readonly group: string; readonly version: string; readonly kind: string },
  value: unknown,
): KubeObject {
  const root = mapOf(value, `v1.${kind.kind}`);
  const apiVersion = apiVersionOf(kind);
  const type = typeOfKind(apiVersion, kind.kind);
  const head = { apiVersion, kind: kind.kind };
  if (type !== undefined) return { ...decodedPart(root, type, ''), ...head } as KubeObject;
  // The schema of a custom kind is looked at later, and the schema of an object that is not stored not at all.
  const object = nodeValue(root) as JsonObject;
  if (object['metadata'] === undefined) return { ...object, ...head } as KubeObject;
  const metadata = decodedPart(mapOf(object['metadata'], 'v1.ObjectMeta'), METADATA, 'metadata');
  return { ...object, ...head, metadata };
}

function mapOf(value: unknown, goType: string): MapNode {
  const root = nodeOf(value);
  if (root.kind === 'map') return root;
  throw new TypeError(`json: cannot unmarshal ${goJsonType(value)} into Go value of type ${goType}`);
}

/** @param at the path of the part in its object. Empty: it is the whole object */
function decodedPart(root: MapNode, type: string, at: string): JsonObject {
  const { object, problems } = decodeObject(root, type, { lineOf: () => 1 });
  const wrong = problems.find(({ error }) => error.type === 'Invalid type' || error.type === 'Invalid value');
  if (wrong !== undefined) throw new TypeError(goTypeError(wrong.error, type, at));
  return isJsonObject(object['metadata']) || at !== '' ? object : { ...object, metadata: {} };
}
