import { DEFAULT_NAMESPACE, type KubeObject, type ResourceType, type StoredKubeObject } from '../../api/index.ts';
import { inWholeSeconds, withKeptTimes } from '../state/time-fields.ts';
import { decodeChanged, type Subresource } from '../../manifest/index.ts';
import { changeObject } from '../objects/change-object.ts';
import { refuseEscalation } from '../access/escalation.ts';
import { refuseWrongExpressions } from '../admission/index.ts';
import type { ApiAnswer } from '../base/answer.ts';
import type { ServerContext } from '../base/context.ts';
import { objectOf, shownObjectOf, storedObjectOf } from '../requests/get.ts';
import type { ApiRequest } from '../base/request.ts';
import { apiVersionOf, inStoredForm, inVersionOf, type ServedResource } from '../resources/served-resource.ts';
import { asStatusError, badRequestStatus, invalidObject, objectConflict } from '../base/status-error.ts';
import { createFrom, OTHER_NAMESPACE } from './create.ts';
import { changeCustom } from './change-custom.ts';
import { hasAdmission, mutatedObject, permitWrite } from './admission.ts';
import { defaulted, withRequestManager } from './field-managers.ts';
import { isApply } from './patched-object.ts';
import { readObject, tellUnknown } from '../base/read-object.ts';
import { checkWriteOptions, fieldValidation, isDryRun } from '../base/write-options.ts';

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
  storedObjectOf(request, context);
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
    const before = await shownObjectOf(request, context);
    const after = await mutatedObject(request, context, { before, after: defaulted(change(before), request) });
    await permitWrite(request, context, { before, after });
    const isLast = tries === TRIES;
    if (!isLast && storedObjectOf(request, context).metadata.resourceVersion !== before.metadata.resourceVersion)
      continue;
    return changeStored(request, context, () => after);
  }
}

/**
 * Changes the stored object of a request. Returns the changed object.
 * @param change may be called again, with a newer object
 * @throws {StatusError} when the API server would refuse the change
 */
export async function changeStored(
  request: ApiRequest,
  context: ServerContext,
  change: (stored: StoredKubeObject) => KubeObject,
): Promise<StoredKubeObject> {
  const { resource, namespace, name = '', subresource } = request;
  const { store, objects } = context;
  if (resource.custom !== undefined) return changeCustom(request, context, change);
  try {
    const { object } = changeObject({
      store,
      ref: { type: typeOf(resource), namespace: namespace ?? DEFAULT_NAMESPACE, name },
      subresource: subresource === APPROVAL ? 'status' : (subresource as Subresource | undefined),
      isDryRun: isDryRun(request),
      warn: (sentence) => tellUnknown([sentence], resource, request),
      change: (stored) => {
        const changed = withKeptTimes(defaulted(change(stored), request), stored);
        const wanted = isApply(request) ? changed : withRequestManager(stored, changed, request, context);
        checkUid(wanted, stored, resource);
        tellMistakes(wanted, stored, request);
        refuseEscalation(request, context, { before: stored, after: wanted });
        refuseWrongExpressions(request, { before: stored, after: wanted });
        // A stale object is a conflict first: `changeObject` refuses it.
        const errors = isStale(wanted, stored) ? [] : (resource.conversion?.errors(wanted, stored) ?? []);
        if (errors.length > 0) throw invalidObject(resource, name, errors);
        const place = stored.metadata.namespace && { namespace: stored.metadata.namespace };
        return { ...wanted, metadata: { ...wanted.metadata, name, ...place } };
      },
    });
    const stored = objects.get(resource.storage, namespace, name)?.metadata.resourceVersion;
    const isStored = !isDryRun(request) && stored === object.metadata.resourceVersion;
    return isStored ? objectOf(request, context) : inVersionOf(resource, inWholeSeconds(placed(object, resource)));
  } catch (error) {
    throw asStatusError(error, { resource, name });
  }
}

/**
 * Refuses a patch for all of its unknown and repeated fields at once, or warns of them.
 * @throws {StatusError} 400, when the request is strict
 */
function tellMistakes(wanted: KubeObject, stored: StoredKubeObject, request: ApiRequest): void {
  const { verb, repeated = [] } = request;
  if (verb !== 'patch' || (fieldValidation(request) !== 'Strict' && repeated.length === 0)) return;
  const { errors, unknown } = decodeChanged(wanted, stored);
  const sentences = unknown.map(({ detail }) => detail);
  if (errors.length === 0) tellUnknown(sentences, request.resource, request);
}

/** The store keeps objects that belong to no namespace beside the objects of `default`. */
function placed(object: StoredKubeObject, { isNamespaced }: ServedResource): StoredKubeObject {
  if (isNamespaced) return object;
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata: metadata as StoredKubeObject['metadata'] };
}

function isStale({ metadata: { resourceVersion } }: KubeObject, stored: StoredKubeObject): boolean {
  return Boolean(resourceVersion) && resourceVersion !== stored.metadata.resourceVersion;
}

/** A body for an object of another uid is a conflict. Source: apiserver/pkg/registry/rest/update.go. */
function checkUid({ metadata }: KubeObject, stored: StoredKubeObject, resource: ServedResource): void {
  const { uid, name } = stored.metadata;
  if (!metadata.uid || metadata.uid === uid) return;
  const why = `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${uid}`;
  throw objectConflict(resource, name, why);
}

/** The resource as podrun's own code names it. */
export function typeOf(resource: ServedResource): ResourceType {
  const { storage, kind, isNamespaced } = resource;
  return { plural: storage, kind, apiVersion: apiVersionOf(resource), aliases: [], isNamespaced, inAll: false };
}
