import {
  DEFAULT_NAMESPACE,
  type KubeObject,
  type StoredKubeObject,
  inWholeSeconds,
  withKeptTimes,
} from '../../api/index.ts';
import type { ServerContext } from '../base/context.ts';
import { admitCustomChange, shownObject, storedForm } from '../custom/index.ts';
import { keepChange } from '../objects/keep-change.ts';
import { objectOf, storedObjectOf } from '../requests/get.ts';
import type { ApiRequest } from '../base/request.ts';
import { invalidObject, invalidPatch, objectConflict } from '../base/status-error.ts';
import { withRequestManager } from './field-managers.ts';
import { type ChangeOfStored, LongChange } from './long-change.ts';
import { isApply } from './patched-object.ts';
import { tellUnknown } from '../base/read-object.ts';
import { fieldValidation, isDryRun } from '../base/write-options.ts';

/** The tries of a change that a conversion webhook takes part in: other changes may come between. */
const TRIES = 5;

/**
 * Changes an object of a custom kind: these have their own rules instead of podrun's. Returns the changed object.
 * @throws {StatusError} when the API server would refuse the change
 */
export async function changeCustom(
  request: ApiRequest,
  context: ServerContext,
  change: ChangeOfStored,
): Promise<StoredKubeObject> {
  if (request.resource.custom?.conversion !== undefined) return changeConverted(request, context, change);
  if (isDryRun(request)) return admitted(objectOf(request, context), change, request, context);
  const computed: LongChange<StoredKubeObject> = new LongChange((stored) => {
    const inParts = (): KubeObject => change(stored, (part, compute) => computed.step(part, stored, compute));
    return admitted(stored, inParts, request, context);
  }, context.clock);
  return computed.run(() => keep(request, context, (stored) => computed.of(stored)));
}

/** The webhook converts the object before and after the change, so the change is made beside the store. */
async function changeConverted(
  request: ApiRequest,
  context: ServerContext,
  change: ChangeOfStored,
): Promise<StoredKubeObject> {
  const { resource, name = '' } = request;
  for (let tries = 1; ; tries++) {
    const before = storedObjectOf(request, context);
    const { resourceVersion } = before.metadata;
    const after = admitted(await shownObject(resource, before, context), change, request, context);
    const stored = await storedForm(resource, after, context);
    if (isDryRun(request)) return after;
    const isOutdated = storedObjectOf(request, context).metadata.resourceVersion !== resourceVersion;
    if (isOutdated && tries < TRIES) continue;
    const changed = keep(request, context, (now) => {
      if (now.metadata.resourceVersion !== resourceVersion) throw objectConflict(resource, name);
      return stored;
    });
    return shownObject(resource, changed, context);
  }
}

/**
 * The object after a change: pruned, defaulted, valid, and with its managers.
 * @throws {StatusError} when the API server would refuse the change
 */
function admitted(
  stored: StoredKubeObject,
  change: ChangeOfStored,
  request: ApiRequest,
  context: ServerContext,
): StoredKubeObject {
  const { resource, name = '', subresource } = request;
  const { custom } = resource;
  const isStatus = subresource === 'status';
  const { resourceVersion } = stored.metadata;
  const wanted = change(stored);
  const decoded = custom?.decode(wanted);
  const [wrong] = decoded?.errors ?? [];
  // A body was decoded before: this is about the result of a patch.
  if (wrong !== undefined) throw invalidPatch(wanted, stored, wrong.detail);
  const unknown = (decoded?.unknown ?? []).map((path) => `unknown field ${JSON.stringify(path)}`);
  const isStrictPatch = request.verb === 'patch' && !isApply(request) && fieldValidation(request) === 'Strict';
  const mistakes = isStrictPatch ? [...(request.repeated ?? []), ...unknown] : [];
  if (mistakes.length > 0) throw invalidPatch(wanted, stored, `strict decoding error: ${mistakes.join(', ')}`);
  tellUnknown(unknown, resource, request);
  const changed = withKeptTimes((decoded?.object ?? wanted) as KubeObject, stored);
  const given = changed.metadata.resourceVersion;
  if (given && given !== resourceVersion) throw objectConflict(resource, name);
  const object = withRequestManager(stored, changed, request, context);
  const { object: admitted, errors } = admitCustomChange(custom, stored, object, isStatus);
  if (errors.length > 0) throw invalidObject(resource, name, errors);
  if (!isStatus) for (const warning of custom?.warnings?.(admitted) ?? []) request.warn(warning);
  return admitted;
}

/** Stores the change. Without its last finalizer, a deleted object goes. */
function keep(
  { resource, namespace, name = '', subresource }: ApiRequest,
  { store, objects }: ServerContext,
  edit: (stored: StoredKubeObject) => StoredKubeObject,
): StoredKubeObject {
  const key = { namespace: namespace ?? DEFAULT_NAMESPACE, name };
  const hasStatus = subresource === 'status' || resource.custom?.hasStatus === false;
  const { object, isGone } = keepChange({ store, resource: resource.storage, key, hasStatus, edit });
  if (isGone) return inWholeSeconds(object);
  return objects.get(resource.storage, namespace, name) ?? object;
}
