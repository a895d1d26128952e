import { removesLastFinalizer } from '../../api/finalizers.ts';
import { DEFAULT_NAMESPACE, type KubeObject, type StoredKubeObject } from '../../api/objects.ts';
import type { ResourceType } from '../../api/resource-types.ts';
import type { Subresource } from '../../manifest/update/index.ts';
import { changeObject } from '../../objects/change-object.ts';
import type { ApiAnswer } from '../answer.ts';
import type { ServerContext } from '../context.ts';
import { objectOf } from '../reads/get.ts';
import type { ApiRequest } from '../request.ts';
import { apiVersionOf, inStoredForm, inVersionOf, type ServedResource } from '../resources/served-resource.ts';
import { asStatusError, badRequestStatus, invalidObject, objectConflict } from '../status-error.ts';
import { createFrom, OTHER_NAMESPACE } from './create.ts';
import { hasAdmission, mutatedObject, permitWrite } from './admission.ts';
import { defaulted, withRequestManager } from './field-managers.ts';
import { isApply } from './patched-object.ts';
import { readObject, tellUnknown } from './read-object.ts';
import { checkWriteOptions, isDryRun } from './write-options.ts';

/** Replaces an object, or the part of it that a subresource covers. */
export async function updateAnswer(request: ApiRequest, context: ServerContext): Promise<ApiAnswer> {
  checkWriteOptions(request);
  const wanted = await readObject(request);
  const { name = '', namespace } = request;
  const given = wanted.metadata;
  if (given.name && given.name !== name)
    throw badRequestStatus(`the name of the object (${given.name}) does not match the name on the URL (${name})`);
  if (given.namespace && given.namespace !== namespace) throw badRequestStatus(OTHER_NAMESPACE);
  const { resource, subresource } = request;
  const stored = inStoredForm(resource, wanted);
  const isNew = context.objects.get(resource.storage, namespace, name) === undefined;
  if (isNew && resource.createsOnUpdate === true && subresource === undefined) {
    const created = await createFrom({ ...stored, metadata: { ...stored.metadata, name } }, request, context);
    return { object: inVersionOf(resource, created), code: 201 };
  }
  objectOf(request, context);
  return { object: await changeAdmitted(request, context, () => stored) };
}

/** The subresource with which a CertificateSigningRequest is approved: conditions of its status. */
const APPROVAL = 'approval';

/** The tries of a change that webhooks decide about: other changes may come between. */
const TRIES = 5;

/**
 * Changes the stored object of a request, if webhooks and policies permit it.
 * @param change may be called again, with a newer object
 * @throws {StatusError} when the API server would refuse the change
 */
export async function changeAdmitted(
  request: ApiRequest,
  context: ServerContext,
  change: (stored: StoredKubeObject) => KubeObject,
): Promise<StoredKubeObject> {
  if (!hasAdmission(context)) return changeStored(request, context, change);
  for (let tries = 1; ; tries++) {
    const before = objectOf(request, context);
    const after = await mutatedObject(request, context, { before, after: defaulted(change(before), request) });
    await permitWrite(request, context, { before, after });
    const isLast = tries === TRIES;
    if (!isLast && objectOf(request, context).metadata.resourceVersion !== before.metadata.resourceVersion) continue;
    return changeStored(request, context, () => after);
  }
}

/**
 * Changes the stored object of a request. Answers the object as it is then.
 * @param change may be called again, with a newer object
 * @throws {StatusError} when the API server would refuse the change
 */
export function changeStored(
  request: ApiRequest,
  context: ServerContext,
  change: (stored: StoredKubeObject) => KubeObject,
): StoredKubeObject {
  const { resource, namespace, name = '', subresource } = request;
  const { store, objects } = context;
  if (resource.custom !== undefined) return changeCustom(request, context, change);
  const unknown: string[] = [];
  try {
    const { object } = changeObject({
      store,
      ref: { type: typeOf(resource), namespace: namespace ?? DEFAULT_NAMESPACE, name },
      subresource: subresource === APPROVAL ? 'status' : (subresource as Subresource | undefined),
      isDryRun: isDryRun(request),
      warn: (sentence) => {
        if (!unknown.includes(sentence)) unknown.push(sentence);
        tellUnknown([sentence], resource, request);
      },
      change: (stored) => {
        const changed = defaulted(change(stored), request);
        const wanted = isApply(request) ? changed : withRequestManager(stored, changed, request, context);
        checkUid(wanted, stored, resource);
        // The store keeps objects that belong to no namespace beside those of `default`.
        const place = stored.metadata.namespace && { namespace: stored.metadata.namespace };
        return { ...wanted, metadata: { ...wanted.metadata, name, ...place } };
      },
    });
    const isStored = objects.get(resource.storage, namespace, name)?.metadata.resourceVersion;
    return isStored === object.metadata.resourceVersion ? objectOf(request, context) : inVersionOf(resource, object);
  } catch (error) {
    throw asStatusError(error, { resource, name });
  }
}

/** A body for an object of another uid is a conflict. Source: apiserver/pkg/registry/rest/update.go. */
function checkUid({ metadata }: KubeObject, stored: StoredKubeObject, resource: ServedResource): void {
  const { uid, name } = stored.metadata;
  if (!metadata.uid || metadata.uid === uid) return;
  const why = `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${uid}`;
  throw objectConflict(resource, name, why);
}

/** Custom kinds have their own rules instead of those of podrun. */
function changeCustom(
  request: ApiRequest,
  context: ServerContext,
  change: (stored: StoredKubeObject) => KubeObject,
): StoredKubeObject {
  const { resource, namespace, name = '', subresource } = request;
  const { custom, storage } = resource;
  const isStatus = subresource === 'status';
  const key = { namespace: namespace ?? DEFAULT_NAMESPACE, name };
  const admit = (stored: StoredKubeObject): StoredKubeObject => {
    const { resourceVersion, uid } = stored.metadata;
    const wanted = change(stored);
    if (wanted.metadata.resourceVersion && wanted.metadata.resourceVersion !== resourceVersion)
      throw objectConflict(resource, name);
    const decoded = custom?.decode(wanted);
    tellUnknown(
      (decoded?.unknown ?? []).map((path) => `unknown field ${JSON.stringify(path)}`),
      resource,
      request,
    );
    const changed = (decoded?.object ?? wanted) as KubeObject;
    const object = isApply(request) ? changed : withRequestManager(stored, changed, request, context);
    const merged = mergedPart(stored, object, { isStatus, hasStatus: custom?.hasStatus === true });
    const errors = [...(decoded?.errors ?? []), ...(custom?.validate(merged, stored) ?? [])];
    if (errors.length > 0) throw invalidObject(resource, name, errors);
    if (!isStatus) for (const warning of custom?.warnings?.(merged) ?? []) request.warn(warning);
    const isSame = isStatus || JSON.stringify(merged['spec']) === JSON.stringify(stored['spec']);
    const generation = (stored.metadata.generation ?? 1) + (isSame ? 0 : 1);
    return { ...merged, metadata: { ...merged.metadata, uid, resourceVersion, generation } } as StoredKubeObject;
  };
  if (isDryRun(request)) return admit(objectOf(request, context));
  let last: StoredKubeObject | undefined;
  const changed = context.store.change<StoredKubeObject>(storage, key, isStatus ? 'both' : 'object', (stored) => {
    const object = admit(stored);
    last = removesLastFinalizer(stored, object) ? object : undefined;
    // The object is deleted in its stored form: readers see no change before that.
    return last === undefined ? object : stored;
  });
  if (last !== undefined) {
    context.store.delete(storage, key.namespace, name);
    return last;
  }
  return context.objects.get(storage, namespace, changed.metadata.name) ?? changed;
}

function mergedPart(
  stored: StoredKubeObject,
  wanted: KubeObject,
  { isStatus, hasStatus }: { readonly isStatus: boolean; readonly hasStatus: boolean },
): KubeObject {
  if (isStatus) {
    // The managers are all that is written of the metadata. Source: customresource/status_strategy.go.
    const { managedFields } = wanted.metadata;
    return { ...stored, metadata: { ...stored.metadata, managedFields }, status: wanted['status'] };
  }
  if (!hasStatus) return wanted;
  const { status: _, ...rest } = wanted;
  const { status } = stored;
  return { ...rest, ...(status !== undefined && { status }) };
}

/** The resource as podrun's own code names it. */
export function typeOf(resource: ServedResource): ResourceType {
  const { storage, kind, isNamespaced } = resource;
  return { plural: storage, kind, apiVersion: apiVersionOf(resource), aliases: [], isNamespaced, inAll: false };
}
