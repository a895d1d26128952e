import {
  DEFAULT_NAMESPACE,
  formatSeconds,
  type KubeObject,
  resourceTypeOf,
  type StoredKubeObject,
} from '../../api/index.ts';
import { randomSuffix } from '../base/random-suffix.ts';
import {
  applyDefaults,
  type FieldError,
  prepareForCreate,
  required,
  tooLong,
  validateObject,
  warningsFor,
  withoutRepeats,
} from '../../manifest/index.ts';
import { createObject, newObject } from '../objects/create-object.ts';
import { recordReplacedAddress } from '../services/record-replaced-address.ts';
import { readNode } from '../../settings/index.ts';
import { refuseEscalation } from '../access/escalation.ts';
import { refuseWrongExpressions } from '../admission/index.ts';
import type { ApiAnswer } from '../base/answer.ts';
import { authorize } from '../requests/authorize.ts';
import type { ServerContext } from '../base/context.ts';
import { shownObject, storedForm } from '../custom/index.ts';
import type { ApiRequest } from '../base/request.ts';
import { inStoredForm, type ServedResource } from '../resources/served-resource.ts';
import {
  badRequestStatus,
  invalidObject,
  notFoundStatus,
  objectExists,
  objectForbidden,
} from '../base/status-error.ts';
import { hasAdmission, mutatedObject, permitWrite } from './admission.ts';
import { defaulted, withRequestManager } from './field-managers.ts';
import { isApply } from './patched-object.ts';
import { readObject } from '../base/read-object.ts';
import { checkWriteOptions, isDryRun } from '../base/write-options.ts';

/** Creates an object. */
export async function createAnswer(request: ApiRequest, context: ServerContext): Promise<ApiAnswer> {
  checkWriteOptions(request);
  const object = await readObject(request);
  const created = await createFrom(inStoredForm(request.resource, object), request, context);
  return { object: await shownObject(request.resource, created, context), code: 201 };
}

/**
 * Stores a new object, as a request says: with a name, defaulted, valid and admitted. Returns the stored object. An
 * update and an apply that create it need both permissions.
 * @param object decoded. One with managers comes from server-side apply.
 * @throws {StatusError} when the API server would refuse it
 */
export async function createFrom(
  object: KubeObject,
  request: ApiRequest,
  context: ServerContext,
): Promise<StoredKubeObject> {
  const { resource } = request;
  if (request.verb !== 'create') authorize({ ...request, verb: 'create' }, context);
  const named = withName(withPlace(object, request));
  checkNamespace(named, request, context);
  const { resourceVersion } = named.metadata;
  if (resourceVersion) throw badRequestStatus('resourceVersion should not be set on objects to be created');
  // A mutating webhook may change the name, but not the namespace.
  const after = withPlace(await admitted(named, request, context), request);
  const name = after.metadata.name ?? '';
  refuseEscalation(request, context, { before: undefined, after });
  refuseWrongExpressions(request, { before: undefined, after });
  const prepared = preparedObject(after, resource);
  if (prepared.errors.length > 0) throw invalidObject(resource, name, prepared.errors);
  if (hasAdmission(context)) await permitWrite(request, context, { before: undefined, after: prepared.object });
  for (const warning of prepared.warnings) request.warn(warning);
  if (resource.noEffect !== undefined) request.warn(`the ${resource.kind} has no effect: ${resource.noEffect}`);
  const kept = await storedForm(resource, prepared.object, context);
  if (context.objects.get(resource.storage, kept.metadata.namespace, name) !== undefined)
    throw objectExists(resource, name);
  if (isDryRun(request)) return asDryRun(prepared.object, resource, context);
  const created = store(kept, resource, context);
  if (created.kind === 'Service') {
    const nodeName = readNode({ storageDir: context.store.root }).name;
    recordReplacedAddress(kept, { ...context, nodeName, warn: request.warn });
  }
  return created;
}

/** The object with its defaults, as mutating webhooks leave it, and with its manager. */
async function admitted(named: KubeObject, request: ApiRequest, context: ServerContext): Promise<KubeObject> {
  const after = defaulted(named, request);
  const mutated = hasAdmission(context) ? await mutatedObject(request, context, { before: undefined, after }) : after;
  return isApply(request) ? mutated : withRequestManager(undefined, mutated, request, context);
}

interface Prepared {
  readonly object: KubeObject;
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

const CONFIG_BYTES_MAX = 1024 * 1024;

/** Sets defaults, and finds the mistakes of a new object. */
function preparedObject(object: KubeObject, { custom, conversion }: ServedResource): Prepared {
  if (custom !== undefined) {
    const errors = custom.validate(object, undefined);
    return { object, errors, warnings: errors.length > 0 ? [] : (custom.warnings?.(object) ?? []) };
  }
  const prepared = prepareForCreate(applyDefaults(object));
  const errors = withoutRepeats(conversion?.errors(prepared, undefined) ?? validateObject(prepared));
  if (prepared.kind === 'ConfigMap' && Buffer.byteLength(JSON.stringify(prepared)) > CONFIG_BYTES_MAX)
    errors.push(tooLong('', CONFIG_BYTES_MAX));
  return { object: prepared, errors, warnings: errors.length > 0 ? [] : warningsFor(prepared) };
}

/** Puts an object into the namespace of the path. */
function withPlace(object: KubeObject, { resource, namespace }: ApiRequest): KubeObject {
  const given = object.metadata.namespace;
  if (!resource.isNamespaced) {
    const { namespace: _, ...metadata } = object.metadata;
    return { ...object, metadata };
  }
  if (given && given !== namespace) throw badRequestStatus(OTHER_NAMESPACE);
  return { ...object, metadata: { ...object.metadata, namespace: namespace ?? DEFAULT_NAMESPACE } };
}

export const OTHER_NAMESPACE = 'the namespace of the provided object does not match the namespace sent on the request';

/** Source: apiserver/pkg/storage/names/generate.go. */
function withName(object: KubeObject): KubeObject {
  const { name, generateName } = object.metadata;
  if (name || !generateName) return object;
  return { ...object, metadata: { ...object.metadata, name: generateName.slice(0, 58) + randomSuffix() } };
}

function checkNamespace(
  { metadata }: KubeObject,
  { resource }: ApiRequest,
  { objects, resources }: ServerContext,
): void {
  const { namespace, name = '' } = metadata;
  if (name === '') throw invalidObject(resource, '', [required('metadata.name', 'name or generateName is required')]);
  if (!resource.isNamespaced || namespace === undefined) return;
  const stored = objects.get('namespaces', undefined, namespace);
  const namespaces = resources.find('', 'v1', 'namespaces');
  if (stored === undefined && namespaces !== undefined) throw notFoundStatus(namespaces, namespace);
  if (stored?.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const message = `namespace ${namespace} is being terminated`;
  throw objectForbidden(resource, name, why, [
    { reason: 'NamespaceTerminating', message, field: 'metadata.namespace' },
  ]);
}

function store(object: KubeObject, resource: ServedResource, context: ServerContext): StoredKubeObject {
  const { storage, isNamespaced } = resource;
  const { node } = context;
  const created = isStoredOnly(object, resource)
    ? (context.store.create<KubeObject>(storage, asCreated(object, resource)) as StoredKubeObject)
    : createObject(context.store, object, { startPod: node?.createPod });
  node?.took(created);
  const { namespace, name } = created.metadata;
  return context.objects.get(storage, isNamespaced ? namespace : undefined, name) ?? created;
}

/** The rest of podrun knows neither custom kinds nor kinds that only the server keeps. */
function isStoredOnly(object: KubeObject, { storage, custom }: ServedResource): boolean {
  return custom !== undefined || resourceTypeOf(object).plural !== storage;
}

/** Source: apiextensions, pkg/registry/customresource/strategy.go PrepareForCreate. */
function asCreated(object: KubeObject, { custom }: ServedResource): KubeObject {
  if (custom?.hasStatus === false) return object;
  const { status: _, ...rest } = object;
  return rest;
}

/**
 * The object as it would be stored. Only storing gives it a version.
 * Source: apiserver/pkg/registry/generic/registry/dryrun.go.
 */
function asDryRun(object: KubeObject, resource: ServedResource, context: ServerContext): StoredKubeObject {
  const { store } = context;
  const asNew = isStoredOnly(object, resource) ? asCreated(object, resource) : newObject(store, object);
  const creationTimestamp = formatSeconds(store.clock.now().wallMs);
  const uid = asNew.metadata.uid ?? globalThis.crypto.randomUUID();
  const { resourceVersion: _, ...metadata } = { ...asNew.metadata, uid, creationTimestamp };
  return { ...asNew, metadata } as StoredKubeObject;
}
