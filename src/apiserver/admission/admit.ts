import { type KubeObject, matchesSelector, ownValue, type Shape, shapeOfType, typeOfKind } from '../../api/index.ts';
import type { ServerContext } from '../base/context.ts';
import type { ApiRequest } from '../base/request.ts';
import { apiVersionOf, pluralWithGroup } from '../resources/served-resource.ts';
import { StatusError } from '../base/status-error.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { callOnMachine } from './call-webhook.ts';
import { isMutated, mutatedByPolicies, reinvocable, type MutatingPolicy } from './mutating-policies.ts';
import type { AnyPolicy, Policies, PolicyBinding } from './policies.ts';
import { kindOfParams } from './type-checks.ts';
import { askPolicies, type ValidatingPolicy } from './validating-policies.ts';
import {
  askWebhooks,
  type CallWebhook,
  type Webhook,
  type WebhookConfiguration,
  type WebhookOutcome,
} from './webhooks.ts';

/** Admission decides about no objects of this group: a webhook cannot lock its own configuration. */
const EXEMPT = 'admissionregistration.k8s.io';

/** No policy is asked about these: it could break the cluster. Source: pkg/kubeapiserver/admission/exclusion. */
const WITHOUT_POLICIES: ReadonlySet<string> = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
]);

/** The request, as admission gives warnings to its client and annotations to its audit event. */
type AdmissionListener = Pick<ApiRequest, 'warn' | 'annotate'>;

/**
 * Lets the MutatingAdmissionPolicies, then the mutating webhooks, change an object before it is validated. When one of
 * them has changed it, the policies that want it are asked once more, then the webhooks that want it and behind which
 * the object has changed. Source: apiserver/pkg/admission/reinvocation.go and plugin/webhook/mutating/dispatcher.go.
 * @returns the object as they leave it
 * @throws {StatusError} when one refuses the write, or fails
 */
export async function mutatedByAll(
  request: AdmissionRequest,
  context: ServerContext,
  { warn }: Pick<AdmissionListener, 'warn'>,
): Promise<KubeObject | undefined> {
  const policies = policiesIn<MutatingPolicy>('mutating', request, context);
  const first = withPolicies(policies, request, context);
  const ask = (webhooks: readonly Webhook[], object: KubeObject | undefined): Promise<WebhookOutcome> =>
    askAll(webhooks, { ...request, object }, { context, warn, isMutating: true });
  const outcome = await ask(webhooksIn('mutatingwebhookconfigurations', request, context), first);
  const { object } = outcome;
  if (object === undefined || request.object === undefined || !isMutated(request.object, object)) return object;
  const last = withPolicies(reinvocable(policies), { ...request, object }, context);
  const isChanged = last !== undefined && isMutated(object, last);
  return (await ask(isChanged ? outcome.reinvocable : outcome.overtaken, last)).object;
}

function withPolicies(
  policies: Policies<MutatingPolicy>,
  request: AdmissionRequest,
  context: ServerContext,
): KubeObject | undefined {
  const { object, operation } = request;
  const isMutable = operation === 'CREATE' || operation === 'UPDATE';
  if (request.group === EXEMPT || object === undefined || !isMutable || policies.policies.length === 0) return object;
  const outcome = mutatedByPolicies(policies, { ...request, object }, shapeOf(request, context));
  const [first] = outcome.problems;
  if (first === undefined) return outcome.object;
  const causes = outcome.problems.map(({ message }) => ({ message }));
  throw new StatusError({ code: 403, ...first, details: { ...detailsOf(request), causes } });
}

/** The way in which an apply merges the object of a write. */
function shapeOf({ group, version, resource, kind, objectKind }: AdmissionRequest, context: ServerContext): Shape {
  const custom = context.resources.find(group, version, resource)?.custom;
  if (custom !== undefined && objectKind === undefined) return custom.shape;
  const type = objectKind ?? { group, version, kind };
  return shapeOfType(typeOfKind(apiVersionOf(type), type.kind));
}

/**
 * Asks the ValidatingAdmissionPolicies and the validating webhooks whether they permit a write.
 * @throws {StatusError} when one refuses the write, or fails
 */
export async function checkAdmission(
  request: AdmissionRequest,
  context: ServerContext,
  { warn, annotate }: AdmissionListener,
): Promise<void> {
  if (request.group === EXEMPT) return;
  const policies = policiesIn<ValidatingPolicy>('validating', request, context);
  const { denial, warnings, annotations } = askPolicies(policies, request);
  annotate(annotations);
  for (const text of warnings) warn(text);
  if (denial !== undefined) {
    const { reason } = denial;
    const about = pluralWithGroup({ group: request.group, plural: request.resource });
    const message = `${about} "${request.name}" is forbidden: ${denial.message}`;
    // kubectl prints the causes of what is invalid, not the message.
    const details = { ...detailsOf(request), causes: [{ message: denial.message }] };
    throw new StatusError({ code: ownValue(CODES, reason) ?? 422, reason, message, details });
  }
  const webhooks = webhooksIn('validatingwebhookconfigurations', request, context);
  await askAll(webhooks, request, { context, warn, isMutating: false });
}

/** Source: apiserver/pkg/admission/plugin/policy/validating, reasonToCode. */
const CODES: Readonly<Record<string, number>> = {
  Invalid: 422,
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
};

function webhooksIn(
  configurations: 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations',
  { group }: AdmissionRequest,
  context: ServerContext,
): readonly Webhook[] {
  if (group === EXEMPT) return [];
  return listed<WebhookConfiguration>(configurations, context).flatMap(({ webhooks = [] }) => webhooks);
}

async function askAll(
  webhooks: readonly Webhook[],
  request: AdmissionRequest,
  { context, warn, isMutating }: Pick<AdmissionListener, 'warn'> & { context: ServerContext; isMutating: boolean },
): Promise<WebhookOutcome> {
  const call: CallWebhook = (webhook, review) => called(webhook, review, request, context);
  const outcome = await askWebhooks(webhooks, request, { call, isMutating });
  for (const text of outcome.warnings) warn(text);
  if (outcome.denial !== undefined) throw new StatusError(outcome.denial);
  return outcome;
}

function called(
  webhook: Webhook,
  review: object,
  { isDryRun }: AdmissionRequest,
  context: ServerContext,
): Promise<unknown> | undefined {
  if (isDryRun && webhook.sideEffects !== 'None' && webhook.sideEffects !== 'NoneOnDryRun') {
    const message = `admission webhook ${JSON.stringify(webhook.name)} does not support dry run`;
    throw new StatusError({ code: 400, reason: 'BadRequest', message });
  }
  return callOnMachine(webhook, review, context);
}

function listed<T extends KubeObject>(resource: string, { objects }: ServerContext): readonly T[] {
  return objects.list(resource) as readonly KubeObject[] as readonly T[];
}

/** The policies of a kind, with their bindings. */
function policiesIn<P extends AnyPolicy>(
  kind: 'mutating' | 'validating',
  request: AdmissionRequest,
  context: ServerContext,
): Policies<P> {
  const hasNone = WITHOUT_POLICIES.has(`${request.group}/${request.resource}`);
  return {
    policies: hasNone ? [] : listed<P>(`${kind}admissionpolicies`, context),
    bindings: listed<PolicyBinding>(`${kind}admissionpolicybindings`, context),
    hasKind: (kind) => kindOfParams(kind, context.resources.all) !== undefined,
    paramsOf: (policy, binding) => paramsOf(policy, binding, request, context),
  };
}

/** Source: apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go, CollectParams. */
function paramsOf(
  { spec }: AnyPolicy,
  { spec: { paramRef = {} } }: PolicyBinding,
  request: AdmissionRequest,
  { resources, objects }: ServerContext,
): readonly KubeObject[] {
  const resource = spec.paramKind && kindOfParams(spec.paramKind, resources.all);
  if (resource === undefined) return [];
  if (!resource.isNamespaced && paramRef.namespace)
    throw new TypeError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const namespace = resource.isNamespaced ? paramRef.namespace || request.namespace : undefined;
  if (resource.isNamespaced && namespace === undefined)
    throw new TypeError('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  const { name, selector } = paramRef;
  if (name) return [objects.get(resource.storage, namespace, name) ?? []].flat();
  return objects
    .list(resource.storage, namespace)
    .filter(({ metadata }) => matchesSelector(selector ?? {}, metadata.labels));
}

function detailsOf({ name, group, resource }: AdmissionRequest): { name: string; group: string; kind: string } {
  return { name, group, kind: resource };
}
