import {
  formatSeconds,
  fromServer,
  type KubeObject,
  shapeOfType,
  type StoredKubeObject,
  trackUpdate,
  typeOfKind,
} from '../api/index.ts';
import type { ManifestObject, ServerSideMerge } from '../manifest/index.ts';
import { PatchBody } from './base/patch-body.ts';
import { StatusError } from './base/status-error.ts';
import { BUILT_IN_RESOURCES } from './built-in.ts';
import { apiVersionOf, type ServedResource } from './resources/served-resource.ts';
import { patchedObject } from './writes/patched-object.ts';
import { applyConflict, CLIENT_SIDE, type ManifestManager } from './base/manifest-manager.ts';

/** The annotation in which `kubectl apply` keeps the last manifest. podrun keeps it beside the object. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The manifest of an object that has a manager, and with `--server-side`, is merged as an API server does. */
export function withManager<T extends ManifestObject>(manifest: T, manager: ManifestManager, nowMs: number): T {
  const { object, written } = manifest;
  const resource = BUILT_IN_RESOURCES.find((one) => {
    return apiVersionOf(one) === object.apiVersion && one.kind === object.kind;
  });
  if (resource === undefined) return manifest;
  const applying = { manager, time: formatSeconds(nowMs) };
  const { managedFields } = manager.isServerSide
    ? applied(resource, undefined, written, applying).metadata
    : owned(object, manager.name, applying.time).metadata;
  const stamped = { ...object, metadata: { ...object.metadata, managedFields } };
  const merge: ServerSideMerge = ({ stored, last }, wanted) =>
    mergedByServer({ stored, wanted, last }, resource, applying);
  return { ...manifest, object: stamped, manager: manager.name, ...(manager.isServerSide && { merge }) };
}

interface Applying {
  readonly manager: ManifestManager;
  readonly time: string;
}

function owned(object: KubeObject, manager: string, time: string | undefined): KubeObject {
  const shape = shapeOfType(typeOfKind(object.apiVersion, object.kind));
  return trackUpdate(undefined, object, { shape, manager, subresource: '', hasStatus: true, time });
}

/**
 * Merges a manifest into a stored object. An object that no API server has written belongs to the manager that made
 * it. Source: managedfields, skipNonAppliedManager.
 */
function mergedByServer(
  { stored, wanted, last }: { stored: StoredKubeObject; wanted: KubeObject; last: KubeObject | undefined },
  resource: ServedResource,
  applying: Applying,
): KubeObject {
  const maker = last === undefined ? 'before-first-apply' : CLIENT_SIDE;
  const before = stored.metadata.managedFields ?? [];
  const { managedFields = [] } = before.length > 0 ? stored.metadata : owned(stored, maker, undefined).metadata;
  // kubectl takes over the fields of its own last manifest, which the server reads in an annotation.
  const isOwn = last !== undefined && managedFields.some(({ manager }) => manager === CLIENT_SIDE);
  const hasAnnotation = stored.metadata.annotations?.[LAST_APPLIED] !== undefined;
  const own = isOwn && !hasAnnotation ? { [LAST_APPLIED]: JSON.stringify(last) } : {};
  const annotations = { ...stored.metadata.annotations, ...own };
  const live = { ...stored, metadata: { ...stored.metadata, managedFields, annotations } };
  const result = applied(resource, live, wanted, applying);
  return hasAnnotation ? result : withoutAnnotation(result);
}

function withoutAnnotation(object: KubeObject): KubeObject {
  const { annotations: all = {}, ...metadata } = object.metadata;
  const { [LAST_APPLIED]: _, ...annotations } = all;
  const isEmpty = Object.keys(annotations).length === 0;
  return { ...object, metadata: { ...metadata, ...(!isEmpty && { annotations }) } };
}

/** @throws {PodrunError} in kubectl's words, when other managers own fields with other values */
function applied(
  resource: ServedResource,
  stored: KubeObject | undefined,
  wanted: KubeObject,
  { manager: { name, isForced }, time }: Applying,
): KubeObject {
  try {
    return patchedObject({
      resource,
      stored,
      name: wanted.metadata.name ?? '',
      subresource: undefined,
      contentType: 'application/apply-patch+yaml',
      body: new PatchBody(Buffer.from(JSON.stringify(wanted))),
      query: new URLSearchParams({ fieldManager: name, force: String(isForced) }),
      userAgent: undefined,
      time,
    });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.failure.code !== 409) throw fromServer('BadRequest', error.message);
    throw applyConflict(error.message);
  }
}
