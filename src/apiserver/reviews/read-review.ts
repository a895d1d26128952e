import type { KubeObject } from '../../api/index.ts';
import { checkWriteOptions } from '../base/write-options.ts';
import type { ServerContext } from '../base/context.ts';
import { readObject } from '../base/read-object.ts';
import type { ApiRequest } from '../base/request.ts';
import { badRequestStatus } from '../base/status-error.ts';
import { hasAdmission, mutatedObject, permitWrite } from '../writes/admission.ts';
import { withRequestManager } from '../writes/field-managers.ts';
import { OTHER_NAMESPACE } from '../writes/create.ts';

/**
 * Reads a review, an object that is returned and never stored: with the namespace of its path and its manager, as
 * mutating webhooks leave it.
 * Source: apiserver/pkg/endpoints/handlers/create.go.
 * @throws {StatusError} 400 for wrong and unknown fields, 422 for wrong options, and when a webhook refuses it
 */
export async function readReview(request: ApiRequest, context: ServerContext): Promise<KubeObject> {
  checkWriteOptions(request);
  const review = await readObject(request, context);
  const { uid: _, creationTimestamp: _at, deletionTimestamp: _end, ...metadata } = { ...review.metadata };
  const { namespace } = request;
  if (metadata.namespace && metadata.namespace !== namespace) throw badRequestStatus(OTHER_NAMESPACE);
  const placed = { ...review, metadata: { ...metadata, ...(namespace !== undefined && { namespace }) } } as KubeObject;
  const after = withRequestManager(undefined, placed, request, context);
  return hasAdmission(context) ? mutatedObject(request, context, { before: undefined, after }) : after;
}

/**
 * Asks validating webhooks whether they permit a review that is valid.
 * @throws {StatusError} when one refuses it
 */
export async function permitReview(after: KubeObject, request: ApiRequest, context: ServerContext): Promise<void> {
  if (hasAdmission(context)) await permitWrite(request, context, { before: undefined, after });
}
