import { hasCode, type KubeObject, type PartRunner } from '../../api/index.ts';
import { nextPart } from '../../clock.ts';
import type { ApiAnswer } from '../base/answer.ts';
import type { ServerContext } from '../base/context.ts';
import { shownObject } from '../custom/index.ts';
import { storedObjectOf } from '../requests/get.ts';
import type { ApiRequest } from '../base/request.ts';
import { inStoredForm, inVersionOf } from '../resources/served-resource.ts';
import { quietly } from '../../quietly.ts';
import { PatchBody } from '../base/patch-body.ts';
import { badRequestStatus, StatusError } from '../base/status-error.ts';
import { createFrom } from './create.ts';
import { requestTime } from './field-managers.ts';
import { patchedObject, patchTypeOf } from './patched-object.ts';
import { decodedValue } from '../base/read-object.ts';
import { changeAdmitted, checkPlace } from './update.ts';
import { repeatedInPatch, tellRepeatedKeys } from '../base/repeated-fields.ts';
import { checkWriteOptions } from '../base/write-options.ts';

/** Patches an object, or the part of it that a subresource covers. An apply may create it. */
export async function patchAnswer(original: ApiRequest, context: ServerContext): Promise<ApiAnswer> {
  checkWriteOptions(original);
  await nextPart(context.clock);
  const { resource, namespace, name = '', subresource } = original;
  const type = patchTypeOf(original.headers['content-type'], resource);
  const request = { ...original, repeated: repeatedInPatch(await original.body(), type) };
  const requested = await requestedPatch(request, context);
  const patch = (stored: KubeObject | undefined, step?: PartRunner): KubeObject => {
    const patched = requested(stored && inVersionOf(resource, stored), step);
    checkPlace(patched, request);
    return patched;
  };
  if (type === 'apply' && context.objects.get(resource.storage, namespace, name) === undefined) {
    if (subresource !== undefined) storedObjectOf(request, context);
    const applied = decodedValue(patch(undefined), request);
    const created = await createFrom(inStoredForm(resource, applied), request, context);
    return { object: await shownObject(resource, created, context), code: 201 };
  }
  storedObjectOf(request, context);
  const changed = await changeAdmitted(request, context, (stored, step) => inStoredForm(resource, patch(stored, step)));
  await nextPart(context.clock);
  return { object: changed };
}

/**
 * The patch in the body of a request, as a function of the object before it.
 * @throws {StatusError} 415 for an unknown type
 */
export async function requestedPatch(
  request: ApiRequest,
  context: ServerContext,
): Promise<(stored: KubeObject | undefined, step?: PartRunner) => KubeObject> {
  const { resource, name = '', subresource, query, headers } = request;
  const contentType = headers['content-type'];
  const type = patchTypeOf(contentType, resource);
  const body = new PatchBody(await request.body());
  if (type === 'apply') quietly(() => body.root);
  await nextPart(context.clock);
  if (type === 'apply') quietly(() => body.manifest);
  await nextPart(context.clock);
  const time = requestTime(context);
  const about = { resource, name, subresource, contentType, body, query, userAgent: headers['user-agent'], time };
  return (stored, step) => {
    try {
      const patched = patchedObject({ ...about, stored }, step);
      if (type === 'apply') tellRepeatedKeys(body, request);
      return patched;
    } catch (error) {
      if (type === 'json' && hasCode(error, 'Invalid')) throw unfitPatch();
      if (hasCode(error, 'BadRequest')) throw badRequestStatus(error.message.replace(/^Error from .*?: /, ''));
      throw error;
    }
  };
}

/** The answer to a JSON patch with a failed test, or for a path that the object does not have. */
function unfitPatch(): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return new StatusError({ code: 422, reason: 'Invalid', message, details: {} });
}
