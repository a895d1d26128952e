import {
  DEFAULT_NAMESPACE,
  formatSeconds,
  type KubeObject,
  type PartRunner,
  resourceTypeOf,
  type StoredKubeObject,
} from '../../api/index.ts';
import { randomSuffix } from '../base/random-suffix.ts';
import {
  applyDefaults,
  type FieldError,
  invalid,
  prepareForCreate,
  required,
  tooLong,
  validateObject,
  warningsFor,
  withProtection,
  withoutRepeats,
} from '../../manifest/index.ts';
import { nextPart } from '../../clock.ts';
import { createObject, newObject } from '../objects/create-object.ts';
import { recordReplacedAddress } from '../services/record-replaced-address.ts';
import { readNode } from '../../settings/index.ts';
import { refuseEscalation } from '../access/escalation.ts';
import { refuseUnknownNames, securityVerdict, wrongExpressions } from '../admission/index.ts';
import type { ApiAnswer } from '../base/answer.ts';
import { authorize } from '../requests/authorize.ts';
import type { ServerContext } from '../base/context.ts';
import { shownObject, storedForm } from '../custom/index.ts';
import type { ApiRequest } from '../base/request.ts';
import { inStoredForm, kindInMistakes, type ServedResource } from '../resources/served-resource.ts';
import {
  asStatusError,
  badRequestStatus,
  invalidObject,
  notFoundStatus,
  objectExists,
  objectForbidden,
} from '../base/status-error.ts';
import { hasAdmission, mutatedObject, permitWrite } from './admission.ts';
import { defaulted, withRequestManager } from './field-managers.ts';
import { LongChange } from './long-change.ts';
import { withRequester } from './signing-requests.ts';
import { readObject } from '../base/read-object.ts';
import { checkWriteOptions, isDryRun } from '../base/write-options.ts';

/** Creates an object. */
export async function createAnswer(request: ApiRequest, context: ServerContext): Promise<ApiAnswer> {
  checkWriteOptions(request);
  const object = await readObject(request, context);
  await nextPart(context.clock);
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
  const placed = withPlace(undeleted(object), request);
  checkNamespace(placed, request, context);
  const { resourceVersion } = placed.metadata;
  // Only the storage refuses a version, which a dry run does not reach.
  if (resourceVersion && !isDryRun(request))
    throw badRequestStatus('resourceVersion should not be set on objects to be created');
  // A mutating webhook may change the name, but not the namespace. It sees no name that is still to be generated.
  const admittedObject = withPlace(await admitted(placed, request, context), request);
  await nextPart(context.clock);
  const after = withRequester(withName(admittedObject, resource), request);
  const name = after.metadata.name ?? '';
  refuseEscalation(request, context, { before: undefined, after });
  const prepared = preparedObject(after, resource);
  const errors = [...prepared.errors, ...wrongExpressions(resource, { before: undefined, after })];
  if (errors.length > 0) {
    checkNames(prepared.object, request, context);
    throw invalidObject({ ...kindInMistakes(resource), kind: after.kind }, name, errors);
  }
  if (hasAdmission(context)) await permitWrite(request, context, { before: undefined, after: prepared.object });
  for (const warning of prepared.warnings) request.warn(warning);
  if (resource.noEffect !== undefined) request.warn(`the ${resource.kind} has no effect: ${resource.noEffect}`);
  const kept = await storedForm(resource, prepared.object, context);
  const security = securityVerdict(context.store.recent, prepared.object);
  request.annotate(security.annotations);
  await nextPart(context.clock);
  // The namespace may have been deleted between the parts.
  checkNamespace(kept, request, context);
  if (context.objects.get(resource.storage, kept.metadata.namespace, name) !== undefined)
    throw objectExists(resource, name);
  const created = stored(kept, request, context, () => asDryRun(prepared.object, resource, context));
  for (const warning of security.warnings) request.warn(warning);
  if (created.kind === 'Service' && !isDryRun(request)) {
    const nodeName = readNode({ storageDir: context.store.root }).name;
    recordReplacedAddress(kept, { ...context, nodeName, warn: request.warn });
  }
  return created;
}

/** @throws {StatusError} when an object that the new one names does not exist */
function checkNames(object: KubeObject, { resource }: ApiRequest, { store: { recent } }: ServerContext): void {
  try {
    refuseUnknownNames(recent, object);
  } catch (error) {
    throw asStatusError(error, { resource, name: object.metadata.name ?? '' });
  }
}

/** The object with its defaults and its manager, as mutating webhooks leave it: they own nothing. */
async function admitted(placed: KubeObject, request: ApiRequest, context: ServerContext): Promise<KubeObject> {
  const after = defaulted(placed, request);
  const change: LongChange<KubeObject, KubeObject> = new LongChange((object) => {
    const step: PartRunner = (part, compute) => change.step(part, object, compute);
    return withRequestManager(undefined, object, request, context, step);
  }, context.clock);
  const tracked = await change.run(() => change.of(after));
  return hasAdmission(context) ? mutatedObject(request, context, { before: undefined, after: tracked }) : tracked;
}

interface Prepared {
  readonly object: KubeObject;
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

const CONFIG_BYTES_MAX = 1024 * 1024;

/** Sets defaults, and finds the mistakes of a new object. */
function preparedObject(object: KubeObject, { custom, conversion, kind }: ServedResource): Prepared {
  if (custom !== undefined) {
    const isOther = object.kind !== kind;
    // A new object has no status, whatever a client sends. Source: customresource/strategy.go, PrepareForCreate.
    const { status: _, ...unsaid } = object as KubeObject & { readonly status?: unknown };
    const made = custom.hasStatus ? unsaid : object;
    const other = isOther ? [invalid('kind', object.kind, `must be ${kind}`)] : [];
    const errors = [...other, ...custom.validate(made, undefined, isOther)];
    return { object: made, errors, warnings: errors.length > 0 ? [] : (custom.warnings?.(made) ?? []) };
  }
  const prepared = prepareForCreate(applyDefaults(object), globalThis.crypto.randomUUID());
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

/** A new object is not being deleted. Source: apiserver/pkg/registry/rest/meta.go, WipeObjectMetaSystemFields. */
function undeleted(object: KubeObject): KubeObject {
  const { deletionTimestamp: _time, deletionGracePeriodSeconds: _seconds, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Source: apiserver/pkg/storage/names/generate.go. */
function withName(object: KubeObject, { isNamedByUid }: ServedResource): KubeObject {
  const { name, generateName } = object.metadata;
  if (name || (!generateName && isNamedByUid !== true)) return object;
  const chosen = generateName ? generateName.slice(0, 58) + randomSuffix() : globalThis.crypto.randomUUID();
  return { ...object, metadata: { ...object.metadata, name: chosen } };
}

function checkNamespace(
  { metadata }: KubeObject,
  { resource }: ApiRequest,
  { objects, resources }: ServerContext,
): void {
  const { namespace, name = '' } = metadata;
  if (!name && !metadata.generateName && resource.isNamedByUid !== true)
    throw invalidObject(resource, '', [required('metadata.name', 'name or generateName is required')]);
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

/** @throws {StatusError} about the object: it may have its name from the server */
function stored(
  object: KubeObject,
  request: ApiRequest,
  context: ServerContext,
  dryRun: () => StoredKubeObject,
): StoredKubeObject {
  const { resource } = request;
  try {
    return isDryRun(request) ? dryRun() : store(object, resource, context);
  } catch (error) {
    throw asStatusError(error, { resource, name: object.metadata.name ?? '' });
  }
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
function asCreated(
  { status, ...rest }: KubeObject & { readonly status?: unknown },
  { custom }: ServedResource,
): KubeObject {
  if (custom === undefined) return withProtection(rest);
  const isKept = !custom.hasStatus && status !== undefined;
  const object = { ...rest, ...(isKept && { status }), metadata: { ...rest.metadata, generation: 1 } };
  return custom.atCreation?.(object) ?? object;
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
  return { ...asNew, metadata: { ...asNew.metadata, uid, creationTimestamp } } as StoredKubeObject;
}
