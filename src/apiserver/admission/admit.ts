import type { KubeObject } from '../../api/index.ts';
import type { ServerContext } from '../base/context.ts';
import { apiVersionOf, pluralWithGroup } from '../resources/served-resource.ts';
import { StatusError } from '../base/status-error.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { callOnLoopback, serviceAddresses } from './call-webhook.ts';
import { askPolicies, type AdmissionPolicy, type PolicyBinding } from './policies.ts';
import { askWebhooks, type Webhook, type WebhookConfiguration } from './webhooks.ts';

/** Admission decides about no objects of this group: a webhook cannot lock its own configuration. */
const EXEMPT = 'admissionregistration.k8s.io';

/** Gives a warning to the client. */
type Warn = (text: string) => void;

/**
 * Lets the mutating webhooks change an object before it is validated.
 * @returns the object as they leave it
 * @throws {StatusError} when one refuses the write, or fails
 */
export async function mutatedByWebhooks(
  request: AdmissionRequest,
  context: ServerContext,
  warn: Warn,
): Promise<KubeObject | undefined> {
  return askAll('mutatingwebhookconfigurations', request, context, warn);
}

/**
 * Asks the ValidatingAdmissionPolicies and the validating webhooks whether they permit a write.
 * @throws {StatusError} when one refuses the write, or fails
 */
export async function checkAdmission(request: AdmissionRequest, context: ServerContext, warn: Warn): Promise<void> {
  if (request.group === EXEMPT) return;
  const { denial, warnings } = askPolicies(
    {
      policies: listed<AdmissionPolicy>('validatingadmissionpolicies', context),
      bindings: listed<PolicyBinding>('validatingadmissionpolicybindings', context),
      paramsOf: (policy, binding) => paramsOf(policy, binding, request, context),
    },
    request,
  );
  for (const text of warnings) warn(text);
  if (denial !== undefined) {
    const { reason } = denial;
    const about = pluralWithGroup({ group: request.group, plural: request.resource });
    const message = `${about} "${request.name}" is forbidden: ${denial.message}`;
    // kubectl prints the causes of what is invalid, not the message.
    const details = { ...detailsOf(request), causes: [{ message: denial.message }] };
    throw new StatusError({ code: CODES[reason] ?? 422, reason, message, details });
  }
  await askAll('validatingwebhookconfigurations', request, context, warn);
}

/** Source: apiserver/pkg/admission/plugin/policy/validating, reasonToCode. */
const CODES: Readonly<Record<string, number>> = {
  Invalid: 422,
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
};

async function askAll(
  configurations: 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations',
  request: AdmissionRequest,
  context: ServerContext,
  warn: Warn,
): Promise<KubeObject | undefined> {
  if (request.group === EXEMPT) return request.object;
  const webhooks = listed<WebhookConfiguration>(configurations, context).flatMap((one) => one.webhooks ?? []);
  if (webhooks.length === 0) return request.object;
  const { object, denial, warnings } = await askWebhooks(webhooks, request, {
    call: (webhook, review) => called(webhook, review, request, context),
    isMutating: configurations === 'mutatingwebhookconfigurations',
  });
  for (const text of warnings) warn(text);
  if (denial !== undefined) throw new StatusError(denial);
  return object;
}

function called(
  webhook: Webhook,
  review: object,
  { isDryRun }: AdmissionRequest,
  { clock, objects, closed }: ServerContext,
): Promise<unknown> | undefined {
  if (isDryRun && webhook.sideEffects !== 'None' && webhook.sideEffects !== 'NoneOnDryRun') {
    const message = `admission webhook ${JSON.stringify(webhook.name)} does not support dry run`;
    throw new StatusError({ code: 400, reason: 'BadRequest', message });
  }
  return callOnLoopback(webhook, review, { clock, closed, addressOf: serviceAddresses(objects) });
}

function listed<T extends KubeObject>(resource: string, { objects }: ServerContext): readonly T[] {
  return objects.list(resource) as readonly KubeObject[] as readonly T[];
}

function paramsOf(
  { spec }: AdmissionPolicy,
  { spec: { paramRef } }: PolicyBinding,
  request: AdmissionRequest,
  { resources, objects }: ServerContext,
): KubeObject | undefined {
  const resource = resources.all.find(
    (one) => apiVersionOf(one) === spec.paramKind?.apiVersion && one.kind === spec.paramKind.kind,
  );
  if (resource === undefined || paramRef?.name === undefined) return undefined;
  const namespace = resource.isNamespaced ? (paramRef.namespace ?? request.namespace) : undefined;
  return objects.get(resource.storage, namespace, paramRef.name);
}

function detailsOf({ name, group, resource }: AdmissionRequest): { name: string; group: string; kind: string } {
  return { name, group, kind: resource };
}
