import { DEFAULT_NAMESPACE, type KubeObject, removesLastFinalizer, type StoredKubeObject } from '../../api/index.ts';
import { inWholeSeconds, withKeptTimes } from '../state/time-fields.ts';
import type { ServerContext } from '../base/context.ts';
import { shownObject, storedForm } from '../custom/index.ts';
import { objectOf, storedObjectOf } from '../requests/get.ts';
import type { ApiRequest } from '../base/request.ts';
import { invalidObject, objectConflict } from '../base/status-error.ts';
import { withRequestManager } from './field-managers.ts';
import { isApply } from './patched-object.ts';
import { tellUnknown } from '../base/read-object.ts';
import { isDryRun } from '../base/write-options.ts';

/** A change of an object, in the version of the request. It may be called again, with a newer object. */
type CustomChange = (stored: StoredKubeObject) => KubeObject;

/** The tries of a change that a conversion webhook takes part in: other changes may come between. */
const TRIES = 5;

/**
 * Changes an object of a custom kind: these have their own rules instead of podrun's. Returns the changed object.
 * @throws {StatusError} when the API server would refuse the change
 */
export async function changeCustom(
  request: ApiRequest,
  context: ServerContext,
  change: CustomChange,
): Promise<StoredKubeObject> {
  if (request.resource.custom?.conversion !== undefined) return changeConverted(request, context, change);
  if (isDryRun(request)) return admitted(objectOf(request, context), change, request, context);
  return keep(request, context, (stored) => admitted(stored, change, request, context));
}

/** The webhook converts the object before and after the change, so the change is made beside the store. */
async function changeConverted(
  request: ApiRequest,
  context: ServerContext,
  change: CustomChange,
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
  change: CustomChange,
  request: ApiRequest,
  context: ServerContext,
): StoredKubeObject {
  const { resource, name = '', subresource } = request;
  const { custom } = resource;
  const isStatus = subresource === 'status';
  const { resourceVersion, uid } = stored.metadata;
  const wanted = change(stored);
  const decoded = custom?.decode(wanted);
  const [wrong] = decoded?.errors ?? [];
  // A body was decoded before: this is about the result of a patch.
  if (wrong !== undefined)
    throw invalidObject(resource, name, [{ ...wrong, path: 'patch', type: 'Invalid value', value: '<object>' }]);
  tellUnknown(
    (decoded?.unknown ?? []).map((path) => `unknown field ${JSON.stringify(path)}`),
    resource,
    request,
  );
  const changed = (decoded?.object ?? wanted) as KubeObject;
  const given = changed.metadata.resourceVersion;
  if (given && given !== resourceVersion) throw objectConflict(resource, name);
  const object = isApply(request) ? changed : withRequestManager(stored, changed, request, context);
  const merged = mergedPart(stored, object, { isStatus, hasStatus: custom?.hasStatus === true });
  const errors = custom?.validate(merged, stored) ?? [];
  if (errors.length > 0) throw invalidObject(resource, name, errors);
  if (!isStatus) for (const warning of custom?.warnings?.(merged) ?? []) request.warn(warning);
  const isSame = isStatus || JSON.stringify(merged['spec']) === JSON.stringify(stored['spec']);
  const generation = (stored.metadata.generation ?? 1) + (isSame ? 0 : 1);
  return { ...merged, metadata: { ...merged.metadata, uid, resourceVersion, generation } } as StoredKubeObject;
}

/** Stores the change. Without its last finalizer, a deleted object goes. */
function keep(
  { resource, namespace, name = '', subresource }: ApiRequest,
  { store, objects }: ServerContext,
  edit: (stored: StoredKubeObject) => StoredKubeObject,
): StoredKubeObject {
  const { storage } = resource;
  const key = { namespace: namespace ?? DEFAULT_NAMESPACE, name };
  let last: StoredKubeObject | undefined;
  const changed = store.change<StoredKubeObject>(
    storage,
    key,
    subresource === 'status' ? 'both' : 'object',
    (stored) => {
      const object = withKeptTimes(edit(stored), stored);
      last = removesLastFinalizer(stored, object) ? object : undefined;
      // The object is deleted in its stored form: readers see no change before that.
      return last === undefined ? object : stored;
    },
  );
  if (last !== undefined) {
    store.delete(storage, key.namespace, name);
    return inWholeSeconds(last);
  }
  return objects.get(storage, namespace, changed.metadata.name) ?? changed;
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
