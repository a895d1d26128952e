import {
  applyPatch,
  applyServerSide,
  atOnce,
  checkApplied,
  errorMessage,
  goJsonType,
  inWholeSeconds,
  isJsonObject,
  type JsonObject,
  type KubeObject,
  managerName,
  ownValue,
  type PatchType,
  type Shape,
  shapeOfType,
  type PartRunner,
  typeOfKind,
} from '../../api/index.ts';
import { nodeValue, readJson, required } from '../../manifest/index.ts';
import type { PatchBody } from '../base/patch-body.ts';
import { jsonProblem } from '../base/json-problem.ts';
import { type ApiRequest, isOn } from '../base/request.ts';
import { isApplyType, mediaTypeOf } from '../base/media-type.ts';
import { versionsOf } from '../resources/kind-versions.ts';
import { apiVersionOf, type ServedResource } from '../resources/served-resource.ts';
import { quietly } from '../../quietly.ts';
import { badRequestStatus, invalidObject, plainError, StatusError } from '../base/status-error.ts';

/** A patch of an object, as it was requested. */
export interface PatchRequest {
  readonly resource: ServedResource;
  /** The object before the patch. Undefined: an apply creates it. */
  readonly stored: KubeObject | undefined;
  readonly name: string;
  /** Undefined: the object itself. */
  readonly subresource: string | undefined;
  readonly contentType: string | undefined;
  readonly body: PatchBody;
  readonly query: URLSearchParams;
  readonly userAgent: string | undefined;
  /** RFC 3339 in seconds. */
  readonly time: string;
}

const TYPES: Readonly<Record<string, PatchType | 'apply'>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/**
 * The type of a patch.
 * @throws {StatusError} 415
 */
export function patchTypeOf(
  contentType: string | undefined,
  { custom, group }: Pick<ServedResource, 'custom' | 'group'>,
): PatchType | 'apply' {
  const type = ownValue(TYPES, mediaTypeOf(contentType));
  if (type === undefined) throw unsupportedMediaType('415: Unsupported Media Type', { details: {} });
  // Definitions have a type in Go, which says how lists are merged: all are replaced.
  if (type !== 'strategic' || custom === undefined || group === 'apiextensions.k8s.io') return type;
  const accepted = Object.keys(TYPES).filter((name) => TYPES[name] !== 'strategic');
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

/** True for a request of server-side apply. Its result has its managers already. */
export function isApply({ verb, headers }: Pick<ApiRequest, 'verb' | 'headers'>): boolean {
  return verb === 'patch' && isApplyType(headers['content-type']);
}

/** True for a kind whose status is written by a subresource. */
export function hasStatus({ subresources }: ServedResource): boolean {
  return subresources.some(({ name }) => name === 'status');
}

/** The way in which server-side apply merges objects of a resource. */
export function shapeOfResource(resource: ServedResource): Shape {
  return resource.custom?.shape ?? shapeOfType(typeOfKind(apiVersionOf(resource), resource.kind));
}

/**
 * Carries out a patch. The result is neither defaulted nor validated; the result of an apply has its managers.
 * @param step runs the parts of an apply
 * @throws {StatusError} when the patch is malformed, does not fit the object, or takes fields of other managers
 */
export function patchedObject(patch: PatchRequest, step: PartRunner = atOnce): KubeObject {
  const type = patchTypeOf(patch.contentType, patch.resource);
  if (type === 'apply') return appliedObject(patch, step);
  const { stored, body } = patch;
  if (stored === undefined) throw badRequestStatus('only an apply creates objects');
  const value = jsonOf(body);
  if (type === 'json') checkOperations(value);
  // A test of a JSON patch compares the times that clients have read.
  return applyPatch(inWholeSeconds(stored), value, type);
}

/** The API server counts the operations of a patch before it reads them. Source: handlers/patch.go, jsonPatchOp. */
function checkOperations(patch: unknown): void {
  const wrong = (value: unknown, type: string): Error => {
    const what = `cannot unmarshal ${goJsonType(value)} into Go value of type ${type}handlers.jsonPatchOp`;
    return badRequestStatus(`error decoding patch: json: ${what}`);
  };
  if (patch === null) return;
  if (!Array.isArray(patch)) throw wrong(patch, '[]');
  const [first] = patch.filter((each: unknown) => each !== null && !isJsonObject(each)) as unknown[];
  if (first !== undefined) throw wrong(first, '');
}

/** Unlike JSON.parse, refuses what is nested too deeply for functions that call themselves. */
function jsonOf({ source }: PatchBody): unknown {
  const [value, ...others] = quietly(() => readJson(source.text)) ?? [];
  if (value !== undefined && others.length === 0) return nodeValue(value);
  throw badRequestStatus(`error decoding patch: ${jsonProblem(Buffer.from(source.text))}`);
}

function appliedObject(patch: PatchRequest, step: PartRunner): KubeObject {
  const { resource, stored, name, subresource = '', body, query, userAgent, time } = patch;
  const options = { kind: 'PatchOptions', group: 'meta.k8s.io' };
  const manager = query.get('fieldManager') ?? '';
  if (manager === '') throw invalidObject(options, '', [required('fieldManager', 'is required for apply patch')]);
  const applied = checkedManifest(appliedManifest(body), resource, name);
  const shape = shapeOfResource(resource);
  const mistakes = step('check', () => checkApplied(shape, applied));
  if (mistakes.length > 0) throw mistyped(applied, mistakes);
  const apply = {
    shape,
    versions: versionsOf(resource),
    manager: managerName(manager, userAgent),
    subresource,
    hasStatus: hasStatus(resource),
    time,
    isForced: isOn(query, 'force'),
  };
  const outcome = applyServerSide(stored, applied, apply, step);
  if (outcome.ok) return outcome.object;
  const { message, causes } = outcome.conflicts;
  throw new StatusError({ code: 409, reason: 'Conflict', message, details: { causes } });
}

function appliedManifest(body: PatchBody): JsonObject {
  try {
    const value = body.manifest;
    if (isJsonObject(value)) return value;
    throw new TypeError('the body is no object');
  } catch (error) {
    throw badRequestStatus(`error decoding YAML: ${errorMessage(error)}`);
  }
}

/** Source: managedfields, versionCheckManager and structuredMergeManager. */
function checkedManifest(manifest: JsonObject, resource: ServedResource, name: string): KubeObject {
  const { apiVersion, kind, metadata = {} } = manifest;
  if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind) {
    const [version = '', group = ''] = textOf(apiVersion).split('/').reverse();
    throw badRequestStatus(`invalid object type: ${group}/${version}, Kind=${textOf(kind)}`);
  }
  if (!isJsonObject(metadata)) throw badRequestStatus('metadata must be an object');
  const managed = metadata['managedFields'];
  if (Array.isArray(managed) && managed.length > 0) throw badRequestStatus('metadata.managedFields must be nil');
  const own = metadata['name'];
  if (own !== undefined && own !== name) {
    throw badRequestStatus(`the name of the object (${textOf(own)}) does not match the name on the URL (${name})`);
  }
  const { managedFields: _, ...rest } = metadata;
  return { ...manifest, apiVersion, kind, metadata: { ...rest, name } };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Source: structured-merge-diff, typed/helpers.go, ValidationErrors. */
function mistyped({ apiVersion, kind, metadata }: KubeObject, mistakes: readonly string[]): StatusError {
  // Go writes the slash behind the empty name of the core group, too.
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  const about = `${metadata.namespace ?? ''}/${metadata.name}; ${version}, Kind=${kind}`;
  const all = ['errors:', ...mistakes].join('\n  ');
  const message = `failed to create typed patch object (${about}): ${mistakes.length === 1 ? mistakes[0] : all}`;
  return plainError(message);
}

function unsupportedMediaType(message: string, about: { readonly details?: object } = {}): StatusError {
  return new StatusError({ code: 415, reason: 'UnsupportedMediaType', message, ...about });
}
