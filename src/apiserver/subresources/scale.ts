import { type KubeObject, typeOfObject } from '../../api/index.ts';
import { decodeChanged, goTypeError, invalid } from '../../manifest/index.ts';
import type { ApiAnswer, SubresourceHandlers } from '../base/answer.ts';
import type { ServerContext } from '../base/context.ts';
import { shownObjectOf } from '../requests/get.ts';
import type { ApiRequest } from '../base/request.ts';
import { invalidObject, invalidPatch, objectConflict } from '../base/status-error.ts';
import { admittedPart, hasAdmission } from '../writes/admission.ts';
import { requestedPatch } from '../writes/patch.ts';
import { readObject } from '../base/read-object.ts';
import { changeStored } from '../writes/update.ts';
import { replicasOf, scaleOf, withReplicas } from './scale-object.ts';

const SCALE_KIND = { group: 'autoscaling', version: 'v1', kind: 'Scale', custom: undefined };

/** The subresource `scale`: the replicas of a workload alone. */
export const SCALE_HANDLERS: SubresourceHandlers = {
  get: async (request, context) => ({
    object: scaleOf(await shownObjectOf(request, context), request.resource.custom?.scale),
  }),
  update: async (request, context) => {
    const scale = await readObject(request, context, SCALE_KIND);
    return rescaled(request, context, () => scale);
  },
  patch: async (request, context) => {
    const patch = await requestedPatch(request, context);
    return rescaled(request, context, (stored) => decodedScale(patch(stored), stored));
  },
};

async function rescaled(
  request: ApiRequest,
  context: ServerContext,
  wish: (stored: KubeObject) => KubeObject,
): Promise<ApiAnswer> {
  const { resource, name = '' } = request;
  const checked = (stored: KubeObject): KubeObject => checkedScale(wish(stored), name);
  const change = await admittedChange(request, context, checked);
  const whole = { ...request, subresource: undefined, managedAs: 'scale' };
  const changed = await changeStored(whole, context, (stored) => {
    const wanted = change(scaleOf(stored, resource.custom?.scale));
    const { resourceVersion } = wanted.metadata;
    if (resourceVersion && resourceVersion !== stored.metadata.resourceVersion) throw objectConflict(resource, name);
    return withReplicas(stored, resource.custom?.scale, replicasOf(wanted));
  });
  return { object: scaleOf(changed, resource.custom?.scale) };
}

/**
 * A patched Scale, decoded.
 * @throws {StatusError} 422 for values of wrong types
 */
function decodedScale(scale: KubeObject, before: KubeObject): KubeObject {
  const { object, errors } = decodeChanged(scale, before);
  const [wrong] = errors;
  if (wrong !== undefined) throw invalidPatch(scale, before, goTypeError(wrong, typeOfObject(before) ?? before.kind));
  return object;
}

/** Source: pkg/apis/autoscaling/validation/validation.go, ValidateScale. */
function checkedScale(scale: KubeObject, name: string): KubeObject {
  const replicas = replicasOf(scale);
  if (replicas >= 0) return scale;
  throw invalidObject(SCALE_KIND, name, [invalid('spec.replicas', replicas, 'must be greater than or equal to 0')]);
}

/** The change as webhooks leave it. They have seen one state: another one since is a conflict. */
async function admittedChange(
  request: ApiRequest,
  context: ServerContext,
  wish: (stored: KubeObject) => KubeObject,
): Promise<(stored: KubeObject) => KubeObject> {
  if (!hasAdmission(context)) return wish;
  const before = scaleOf(await shownObjectOf(request, context), request.resource.custom?.scale);
  const after = await admittedPart(request, context, { before, after: wish(before) });
  return () => after;
}
