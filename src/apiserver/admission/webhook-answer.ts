import { isJsonObject } from '../../api/index.ts';
import { checkBase64 } from '../../manifest/index.ts';
import type { FailureCause, FailureDetails } from '../base/status-error.ts';
import { TypedFields } from '../base/typed-fields.ts';

/** The Status with which a webhook explains a refusal. */
export interface WebhookStatus {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details: FailureDetails | undefined;
}

/** The answer of a webhook. */
export interface WebhookResponse {
  readonly isAllowed: boolean;
  readonly status: WebhookStatus;
  /** A JSON patch, as text. Empty: the object stays unchanged. */
  readonly patch: string;
  readonly warnings: readonly string[];
}

/**
 * Reads the answer of an admission webhook.
 * Source: apiserver/pkg/admission/plugin/webhook/request, VerifyAdmissionResponse.
 * @throws {TypeError} when it is no such thing, in the API server's words
 */
export function webhookResponse(review: unknown, uid: string, isMutating: boolean): WebhookResponse {
  const root = new TypedFields(isJsonObject(review) ? review : {}, 'AdmissionReview');
  const response = root.part('response', 'AdmissionResponse');
  if (response === undefined) throw invalidAnswer('webhook response was absent');
  const given = response.text('uid');
  if (given !== uid) throw invalidAnswer(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`);
  const isAllowed = response.get('allowed', 'bool') === true;
  const status = statusIn(response.part('status', 'Status'));
  const warnings = response.texts('warnings');
  const patch = patchIn(response);
  checkPatchType(patch, response.has('patchType') ? response.text('patchType') : undefined, isMutating);
  return { isAllowed, status, patch, warnings };
}

/** The beginning of errors about responses that were read. */
export const INVALID_ANSWER = 'received invalid webhook response';

function invalidAnswer(why: string): TypeError {
  return new TypeError(`${INVALID_ANSWER}: ${why}`);
}

function statusIn(status: TypedFields | undefined): WebhookStatus {
  const details = status?.part('details', 'StatusDetails');
  return {
    code: (status?.get('code', 'int32') as number | undefined) ?? 0,
    reason: status?.text('reason') ?? '',
    message: status?.text('message') ?? '',
    details: details && detailsIn(details),
  };
}

function detailsIn(details: TypedFields): FailureDetails {
  const seconds = details.get('retryAfterSeconds', 'int32') as number | undefined;
  const causes = details.parts('causes', 'StatusCause').map(causeIn);
  return {
    name: details.text('name'),
    group: details.text('group'),
    kind: details.text('kind'),
    uid: details.text('uid'),
    ...(causes.length > 0 && { causes }),
    ...(seconds !== undefined && seconds > 0 && { retryAfterSeconds: seconds }),
  };
}

function causeIn(cause: TypedFields): FailureCause {
  return { reason: cause.text('reason'), message: cause.text('message'), field: cause.text('field') };
}

function patchIn(response: TypedFields): string {
  const text = response.text('patch');
  const { wrong } = checkBase64(text);
  if (wrong !== undefined) throw new TypeError(wrong);
  return Buffer.from(text, 'base64').toString();
}

function checkPatchType(patch: string, type: string | undefined, isMutating: boolean): void {
  if (!isMutating) {
    if (patch !== '') throw invalidAnswer('validating webhook may not return response.patch');
    if (type !== undefined) throw invalidAnswer('validating webhook may not return response.patchType');
    return;
  }
  if (patch !== '' && type === undefined)
    throw invalidAnswer('webhook returned response.patch but not response.patchType');
  if (patch === '' && type !== undefined)
    throw invalidAnswer('webhook returned response.patchType but not response.patch');
  if (type === '') throw invalidAnswer('webhook returned invalid response.patchType of ""');
  if (type !== undefined && type !== 'JSONPatch') throw new TypeError(`unsupported patch type ${JSON.stringify(type)}`);
}
