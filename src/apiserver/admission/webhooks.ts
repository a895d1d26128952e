import { randomUUID } from 'node:crypto';
import { errorMessage, isSameJson, type KubeObject } from '../../api/index.ts';
import { internalError, StatusError, type StatusFailure } from '../base/status-error.ts';
import { reviewRequestOf, type AdmissionRequest } from './admission-request.ts';
import { bindingsOf, meetsConditions, type MatchCondition } from './expressions.ts';
import { isMatched, type AdmissionMatch } from './match-rules.ts';
import { patchedByWebhook } from './patched-by-webhook.ts';
import { INVALID_ANSWER, webhookResponse, type WebhookStatus } from './webhook-answer.ts';
import type { WebhookClient } from '../resources/served-resource.ts';

/** A webhook of a configuration. Source: k8s.io/api/admissionregistration/v1. */
export interface Webhook extends AdmissionMatch {
  readonly name: string;
  readonly clientConfig?: WebhookClient;
  readonly failurePolicy?: string;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly matchConditions?: readonly MatchCondition[];
  readonly reinvocationPolicy?: string;
}

/** A ValidatingWebhookConfiguration or MutatingWebhookConfiguration. */
export interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

/** Calls a webhook with a review. Undefined: podrun does not call this address. Rejects when the call fails. */
export type CallWebhook = (webhook: Webhook, review: object) => Promise<unknown> | undefined;

/** The outcome of the webhooks: the object as they have changed it. */
export interface WebhookOutcome {
  readonly object: KubeObject | undefined;
  /** Undefined: none refuses the write. */
  readonly denial: StatusFailure | undefined;
  readonly warnings: readonly string[];
  /** The webhooks that were asked and want to be asked again when something changes the object behind them. */
  readonly reinvocable: readonly Webhook[];
  /** Such webhooks behind which another one has changed the object. */
  readonly overtaken: readonly Webhook[];
}

/**
 * Asks webhooks about a write, one after the other: each sees the changes of those before it. Source:
 * apiserver/pkg/admission/plugin/webhook.
 */
export async function askWebhooks(
  webhooks: readonly Webhook[],
  request: AdmissionRequest,
  { call, isMutating }: { readonly call: CallWebhook; readonly isMutating: boolean },
): Promise<WebhookOutcome> {
  const warnings: string[] = [];
  const reinvocable: Webhook[] = [];
  let overtaken: readonly Webhook[] = [];
  let { object } = request;
  const outcome = (denial?: StatusFailure): WebhookOutcome => ({ object, denial, warnings, reinvocable, overtaken });
  for (const webhook of webhooks) {
    try {
      const current = { ...request, object };
      if (!isMatched(webhook, current) || !meetsConditions(webhook.matchConditions ?? [], bindingsOf(current)))
        continue;
      const uid = randomUUID();
      const answer = call(webhook, {
        kind: 'AdmissionReview',
        apiVersion: 'admission.k8s.io/v1',
        request: reviewRequestOf(current, uid),
      });
      if (answer === undefined) {
        warnings.push(`podrun calls webhooks of this machine only: ${webhook.name} was not asked`);
        continue;
      }
      const response = webhookResponse(await answer, uid, isMutating);
      warnings.push(...response.warnings);
      if (!response.isAllowed) return outcome(denialOf(webhook, response.status));
      const after = response.patch === '' ? object : changed(object, response.patch, webhook, request);
      if (!isSameJson(object, after)) overtaken = [...reinvocable];
      if (webhook.reinvocationPolicy === 'IfNeeded') reinvocable.push(webhook);
      object = after;
    } catch (error) {
      if (error instanceof StatusError) throw error;
      if (webhook.failurePolicy === 'Ignore') continue;
      return outcome(failureOf(webhook, error));
    }
  }
  return outcome();
}

function changed(
  object: KubeObject | undefined,
  patch: string,
  { name }: Webhook,
  request: AdmissionRequest,
): KubeObject {
  if (object !== undefined) return patchedByWebhook(object, patch, request);
  const what = 'attempted to modify the object, which is not supported for this operation';
  throw internalError(`admission webhook ${JSON.stringify(name)} ${what}`);
}

/** Source: apiserver/pkg/admission/plugin/webhook/errors, ToStatusErr. */
function denialOf({ name }: Webhook, { code, reason, message, details }: WebhookStatus): StatusFailure {
  const head = `admission webhook ${JSON.stringify(name)} denied the request`;
  const why = message || reason;
  return {
    code: Math.max(code, 400),
    reason,
    message: why === '' ? `${head} without explanation` : `${head}: ${why}`,
    details,
  };
}

function failureOf({ name }: Webhook, error: unknown): StatusFailure {
  const text = errorMessage(error);
  const why = text.startsWith(INVALID_ANSWER) ? text : `failed to call webhook: ${text}`;
  return internalError(`failed calling webhook ${JSON.stringify(name)}: ${why}`).failure;
}
