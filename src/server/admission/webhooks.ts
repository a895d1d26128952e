import { randomUUID } from 'node:crypto';
import type { KubeObject } from '../../api/objects.ts';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { applyPatch } from '../../api/patch/index.ts';
import { StatusError } from '../status-error.ts';
import { reviewRequestOf, type AdmissionRequest } from './admission-request.ts';
import type { WebhookClient } from './call-webhook.ts';
import { bindingsOf, meetsConditions, type MatchCondition } from './expressions.ts';
import { isMatched, type AdmissionMatch } from './match-rules.ts';

/** A webhook of a configuration. Source: k8s.io/api/admissionregistration/v1. */
export interface Webhook extends AdmissionMatch {
  readonly name: string;
  readonly clientConfig: WebhookClient;
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

/** A refusal of a write, for a Status. */
export interface WebhookDenial {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

/** Calls a webhook with a review. Undefined: podrun does not call this address. Rejects when the call fails. */
export type CallWebhook = (webhook: Webhook, review: object) => Promise<unknown> | undefined;

/** The outcome of the webhooks: the object as they have changed it. */
export interface WebhookOutcome {
  readonly object: KubeObject | undefined;
  readonly denial: WebhookDenial | undefined;
  readonly warnings: readonly string[];
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
  let { object } = request;
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
      const response = responseIn(await answer, uid);
      warnings.push(...response.warnings);
      if (!response.isAllowed) return { object, denial: denialOf(webhook, response.status), warnings };
      if (isMutating && response.patch !== undefined && object !== undefined)
        object = applyPatch(object, response.patch, 'json');
    } catch (error) {
      if (error instanceof StatusError) throw error;
      if (webhook.failurePolicy === 'Ignore') continue;
      return { object, denial: failureOf(webhook, error), warnings };
    }
  }
  return { object, denial: undefined, warnings };
}

interface WebhookResponse {
  readonly isAllowed: boolean;
  readonly status: JsonObject;
  /** A JSON patch. */
  readonly patch: unknown;
  readonly warnings: readonly string[];
}

function responseIn(review: unknown, uid: string): WebhookResponse {
  const response = isJsonObject(review) ? review['response'] : undefined;
  if (!isJsonObject(response)) throw new TypeError('webhook response was absent');
  if (response['uid'] !== uid)
    throw new TypeError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'])}`);
  const { allowed, status, patch, warnings } = response;
  return {
    isAllowed: allowed === true,
    status: isJsonObject(status) ? status : {},
    patch:
      typeof patch === 'string' && patch !== '' ? JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) : undefined,
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
  };
}

/** Source: apiserver/pkg/admission/plugin/webhook/errors, ToStatusErr. */
function denialOf({ name }: Webhook, { code, reason, message }: JsonObject): WebhookDenial {
  const head = `admission webhook ${JSON.stringify(name)} denied the request`;
  const why = [message, reason].find((text) => typeof text === 'string' && text !== '') as string | undefined;
  return {
    code: typeof code === 'number' && code >= 400 ? code : 400,
    reason: typeof reason === 'string' ? reason : '',
    message: why === undefined ? `${head} without explanation` : `${head}: ${why}`,
  };
}

function failureOf({ name }: Webhook, error: unknown): WebhookDenial {
  const text = error instanceof Error ? error.message : String(error);
  const head = `Internal error occurred: failed calling webhook ${JSON.stringify(name)}`;
  const message = `${head}: failed to call webhook: ${text}`;
  return { code: 500, reason: 'InternalError', message };
}
