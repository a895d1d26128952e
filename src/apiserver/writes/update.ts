import {
  DEFAULT_NAMESPACE,
  isJsonObject,
  type JsonObject,
  type KubeObject,
  type ResourceType,
  type PartRunner,
  type StoredKubeObject,
  inWholeSeconds,
  withKeptTimes,
} from '../../api/index.ts';
import { decodeChanged, invalid, type Subresource } from '../../manifest/index.ts';
import { changeObject } from '../objects/change-object.ts';
import { refuseEscalation } from '../access/escalation.ts';
import { securityVerdict, wrongExpressions } from '../admission/index.ts';
import type { ApiAnswer } from '../base/answer.ts';
import type { ServerContext } from '../base/context.ts';
import { objectOf, shownObjectOf, storedObjectOf } from '../requests/get.ts';
import type { ApiRequest } from '../base/request.ts';
import {
  apiVersionOf,
  inStoredForm,
  inVersionOf,
  kindInMistakes,
  type ServedResource,
} from '../resources/served-resource.ts';
import {
  asStatusError,
  badRequestStatus,
  invalidObject,
  invalidPatch,
  noVersion,
  objectConflict,
  wrongUid,
} from '../base/status-error.ts';
import { createFrom, OTHER_NAMESPACE } from './create.ts';
import { changeCustom } from './change-custom.ts';
import { type ChangeOfStored, LongChange } from './long-change.ts';
import { hasAdmission, mutatedObject, permitWrite } from './admission.ts';
import { defaulted, requestTime, withRequestManager } from './field-managers.ts';
import { asPermitted } from './signing-requests.ts';
import { isApply } from './patched-object.ts';
import { readObject, tellUnknown } from '../base/read-object.ts';
import { checkWriteOptions, fieldValidation, isDryRun } from '../base/write-options.ts';

/** Replaces an object, or the part of it that a subresource covers. */
export async function updateAnswer(request: ApiRequest, context: ServerContext): Promise<ApiAnswer> {
  checkWriteOptions(request);
  const wanted = await readObject(request, context);
  checkPlace(wanted, request);
  const { resource, subresource, name = '', namespace } = request;
  const stored = inStoredForm(resource, wanted);
  const isNew = context.objects.get(resource.storage, namespace, name) === undefined;
  if (isNew && resource.createsOnUpdate === true && subresource === undefined) {
    const created = await createFrom({ ...stored, metadata: { ...stored.metadata, name } }, request, context);
    return { object: inVersionOf(resource, created), code: 201 };
  }
  const present = storedObjectOf(request, context);
  if (!wanted.metadata.resourceVersion) requireVersion(wanted, present, request);
  return { object: await changeAdmitted(request, context, () => stored) };
}

/** @throws {StatusError} 422 for a kind whose updates need a version */
function requireVersion(wanted: KubeObject, present: StoredKubeObject, { resource, name = '' }: ApiRequest): void {
  const { group, plural, custom, needsVersion = custom !== undefined } = resource;
  checkUid(wanted, present, resource);
  if (!needsVersion) return;
  const wrong = invalid('metadata.resourceVersion', 0, 'must be specified for an update');
  throw invalidObject({ kind: plural, group }, name, [wrong]);
}

/** The subresource with which a CertificateSigningRequest is approved: conditions of its status. */
const APPROVAL = 'approval';

/** The tries of a change that webhooks decide about: other changes may come between. */
const TRIES = 5;

/**
 * Changes the stored object of a request, if webhooks and policies permit it.
 * @throws {StatusError} when the API server would refuse the change
 */
export async function changeAdmitted(
  request: ApiRequest,
  context: ServerContext,
  change: ChangeOfStored,
): Promise<StoredKubeObject> {
  if (!hasAdmission(context)) return changeStored(request, context, change);
  for (let tries = 1; ; tries++) {
    const before = await shownObjectOf(request, context);
    const tracked = withRequestManager(before, defaulted(change(before), request), request, context);
    const after = await mutatedObject(request, context, { before, after: tracked });
    const { resourceVersion } = before.metadata;
    const isOutdated = (): boolean => {
      return tries < TRIES && storedObjectOf(request, context).metadata.resourceVersion !== resourceVersion;
    };
    if (isOutdated()) continue;
    const admitted = { ...request, hasManagers: true };
    // The rules of the kind come before all that validates: webhooks and policies see no change that these refuse.
    await changeStored(asTrial(admitted), context, () => after);
    await permitWrite(request, context, { before, after });
    if (isOutdated()) continue;
    return changeStored(admitted, context, () => after);
  }
}

/** The same request, which stores nothing and warns of nothing. */
function asTrial(request: ApiRequest): ApiRequest {
  const query = new URLSearchParams([...request.query, ['dryRun', 'All']]);
  return { ...request, query, warn: () => undefined, annotate: () => undefined };
}

/**
 * Changes the stored object of a request. Returns the changed object.
 * @throws {StatusError} when the API server would refuse the change
 */
export async function changeStored(
  request: ApiRequest,
  context: ServerContext,
  change: ChangeOfStored,
): Promise<StoredKubeObject> {
  const { resource, namespace, name = '', subresource } = request;
  const { store, objects } = context;
  if (resource.custom !== undefined) return changeCustom(request, context, change);
  const computed: LongChange<KubeObject> = new LongChange(
    (stored) => changedObject(stored, { change, computed, request, context }),
    context.clock,
  );
  let before: StoredKubeObject | undefined;
  const attempt = (): StoredKubeObject => {
    const { object } = changeObject({
      store,
      ref: { type: typeOf(resource), namespace: namespace ?? DEFAULT_NAMESPACE, name },
      subresource: subresource === APPROVAL ? 'status' : (subresource as Subresource | undefined),
      isDryRun: isDryRun(request),
      known: isDryRun(request) ? undefined : objects.get(resource.storage, namespace, name),
      warn: (sentence) => tellUnknown([sentence], resource, request),
      refusal: (changed, why) => invalidPatch(inVersionOf(resource, changed), before ?? changed, why),
      change: (stored) => {
        before = stored;
        return computed.of(stored);
      },
      step: (part, stored, compute) => computed.step(part, stored, compute),
    });
    const stored = objects.get(resource.storage, namespace, name)?.metadata.resourceVersion;
    const isStored = !isDryRun(request) && stored === object.metadata.resourceVersion;
    return isStored ? objectOf(request, context) : inVersionOf(resource, inWholeSeconds(placed(object, resource)));
  };
  try {
    const changed = await computed.run(attempt);
    const isSecured = changed.kind === 'Pod' ? subresource !== 'status' : subresource === undefined;
    if (isSecured) {
      const { warnings, annotations } = securityVerdict(store.recent, changed, before);
      request.annotate(annotations);
      for (const warning of warnings) request.warn(warning);
    }
    return changed;
  } catch (error) {
    throw asStatusError(error, { resource, name });
  }
}

interface RequestedChange {
  readonly change: ChangeOfStored;
  /** Runs the steps of the change. */
  readonly computed: LongChange<KubeObject>;
  readonly request: ApiRequest;
  readonly context: ServerContext;
}

/** The object that a change makes of the stored one, as far as the request permits it. */
function changedObject(stored: StoredKubeObject, { change, computed, request, context }: RequestedChange): KubeObject {
  const { resource, name = '' } = request;
  const step: PartRunner = (part, compute) => computed.step(part, stored, compute);
  const requested = step('request', () => change(stored, step));
  const changed = step('change', () => withKeptTimes(defaulted(requested, request), stored));
  const { resourceVersion: version } = changed.metadata;
  if (version && !/^\d+$/.test(version)) throw noVersion(version);
  const wanted = step('manage', () => withRequestManager(stored, changed, request, context, step));
  if (request.verb !== 'patch') checkUid(wanted, stored, resource);
  tellMistakes(wanted, stored, request);
  refuseEscalation(request, context, { before: stored, after: wanted });
  const expressions = wrongExpressions(resource, { before: stored, after: wanted });
  if (expressions.length > 0) throw invalidObject(resource, name, expressions);
  // A stale object is a conflict first: `changeObject` refuses it.
  const errors = isStale(wanted, stored) ? [] : (resource.conversion?.errors(wanted, stored) ?? []);
  if (errors.length > 0) throw invalidObject(kindInMistakes(resource), name, errors);
  const place = stored.metadata.namespace && { namespace: stored.metadata.namespace };
  const permitted = asPermitted(wanted, stored, request, requestTime(context));
  return { ...permitted, metadata: { ...wanted.metadata, name, ...place } };
}

/**
 * Refuses an object of another name or namespace than its path has. Texts only: other types are refused elsewhere.
 * @throws {StatusError} 400
 */
export function checkPlace({ metadata }: KubeObject, { name = '', namespace }: ApiRequest): void {
  const { name: given, namespace: place }: JsonObject = isJsonObject(metadata) ? metadata : {};
  if (typeof given === 'string' && given !== '' && given !== name)
    throw badRequestStatus(`the name of the object (${given}) does not match the name on the URL (${name})`);
  if (typeof place === 'string' && place !== '' && namespace !== undefined && place !== namespace)
    throw badRequestStatus(OTHER_NAMESPACE);
}

/**
 * Refuses a patch for all of its unknown and repeated fields at once, or warns of them.
 * @throws {StatusError} 400 or 422, when the request is strict
 */
function tellMistakes(wanted: KubeObject, stored: StoredKubeObject, request: ApiRequest): void {
  const { verb, repeated = [] } = request;
  if (verb !== 'patch' || (fieldValidation(request) !== 'Strict' && repeated.length === 0)) return;
  const { errors, unknown } = decodeChanged(wanted, stored);
  const sentences = unknown.map(({ detail }) => detail);
  if (errors.length > 0) return;
  if (isApply(request) || fieldValidation(request) !== 'Strict')
    return tellUnknown(sentences, request.resource, request);
  const all = [...repeated, ...sentences];
  if (all.length > 0) throw invalidPatch(wanted, stored, `strict decoding error: ${all.join(', ')}`);
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
  throw objectConflict(resource, name, wrongUid(metadata.uid, uid));
}

/** The resource as podrun's own code names it. */
export function typeOf(resource: ServedResource): ResourceType {
  const { storage, kind, isNamespaced } = resource;
  return { plural: storage, kind, apiVersion: apiVersionOf(resource), aliases: [], isNamespaced, inAll: false };
}
