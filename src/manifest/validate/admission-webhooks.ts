import {
  type AdmissionregistrationMutatingWebhook,
  type AdmissionregistrationMutatingWebhookConfiguration,
  type AdmissionregistrationWebhookClientConfig,
  labelMessages,
  subdomainMessages,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, duplicate, type FieldError, invalid, item, required } from '../base/field-error.ts';
import { validateAdmissionRule } from './admission-rules.ts';
import { each, oneOfIfSet, requiredText } from './checks.ts';
import { validateLabelSelector } from './labels.ts';

/** The versions of AdmissionReview. */
const VERSIONS = ['v1', 'v1beta1'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const REINVOCATIONS = ['IfNeeded', 'Never'];
const TIMEOUT_MAX = 30;
const PORT_MAX = 65_535;

/**
 * A MutatingWebhookConfiguration or ValidatingWebhookConfiguration. The server checks their expressions itself.
 * Source: pkg/apis/admissionregistration/validation/validation.go.
 */
export function validateWebhookConfiguration({
  webhooks = [],
}: Decoded<AdmissionregistrationMutatingWebhookConfiguration>): FieldError[] {
  const names = webhooks.map(({ name = '' }) => name);
  return [
    ...each('webhooks', webhooks, (webhook, at, index) => [
      ...validateWebhook(webhook, at),
      ...validateVersions(webhook.admissionReviewVersions ?? [], child(at, 'admissionReviewVersions')),
      ...(webhook.name && names.indexOf(webhook.name) < index ? [duplicate(child(at, 'name'), webhook.name)] : []),
    ]),
  ];
}

function validateWebhook(webhook: Decoded<AdmissionregistrationMutatingWebhook>, at: string): FieldError[] {
  const { name = '', rules, failurePolicy, matchPolicy, sideEffects, timeoutSeconds, reinvocationPolicy } = webhook;
  const { namespaceSelector, objectSelector, clientConfig = {}, matchConditions } = webhook;
  const isInTime = timeoutSeconds === undefined || (timeoutSeconds >= 1 && timeoutSeconds <= TIMEOUT_MAX);
  return [
    ...qualifiedName(child(at, 'name'), name),
    ...each(child(at, 'rules'), rules, validateAdmissionRule),
    ...oneOfIfSet(child(at, 'failurePolicy'), failurePolicy, FAILURE_POLICIES),
    ...oneOfIfSet(child(at, 'matchPolicy'), matchPolicy, MATCH_POLICIES),
    ...(sideEffects === undefined
      ? [required(child(at, 'sideEffects'), `must specify one of ${SIDE_EFFECTS.join(', ')}`)]
      : oneOfIfSet(child(at, 'sideEffects'), sideEffects, SIDE_EFFECTS)),
    ...(isInTime
      ? []
      : [invalid(child(at, 'timeoutSeconds'), timeoutSeconds, 'the timeout value must be between 1 and 30 seconds')]),
    ...validateLabelSelector(child(at, 'namespaceSelector'), namespaceSelector),
    ...validateLabelSelector(child(at, 'objectSelector'), objectSelector),
    ...oneOfIfSet(child(at, 'reinvocationPolicy'), reinvocationPolicy, REINVOCATIONS),
    ...validateClient(clientConfig, child(at, 'clientConfig')),
    ...each(child(at, 'matchConditions'), matchConditions, ({ name: named, expression }, path) => [
      ...requiredText(child(path, 'expression'), expression?.trim()),
      ...requiredText(child(path, 'name'), named),
    ]),
  ];
}

/** Source: apimachinery/pkg/util/validation, IsFullyQualifiedName. */
function qualifiedName(path: string, name: string): FieldError[] {
  if (name === '') return [required(path)];
  const messages = subdomainMessages(name);
  if (messages.length > 0) return [invalid(path, name, messages.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalid(path, name, 'should be a domain with at least three segments separated by dots')];
}

function validateVersions(versions: readonly string[], at: string): FieldError[] {
  if (versions.length === 0) return [required(at, `must specify one of ${VERSIONS.join(', ')}`)];
  const errors = versions.flatMap((version, index) => {
    const path = item(at, index);
    if (versions.indexOf(version) < index) return [invalid(path, version, 'duplicate version')];
    return labelMessages(version).map((message) => invalid(path, version, message));
  });
  if (versions.some((version) => VERSIONS.includes(version))) return errors;
  return [...errors, invalid(at, versions, `must include at least one of ${VERSIONS.join(', ')}`)];
}

/** Source: apiserver/pkg/util/webhook/validation.go. podrun permits HTTP, for a program on this machine. */
function validateClient({ url, service }: Decoded<AdmissionregistrationWebhookClientConfig>, at: string): FieldError[] {
  if ((url === undefined) === (service === undefined))
    return [required(at, 'exactly one of url or service is required')];
  if (url !== undefined) {
    const isUrl = URL.canParse(url);
    return isUrl ? [] : [required(child(at, 'url'), 'url must be a valid URL; desired format: https://host[/path]')];
  }
  const { name, namespace, path, port } = service ?? {};
  const place = child(at, 'service');
  const wrongPort = `port is not valid: must be between 1 and ${PORT_MAX}, inclusive`;
  return [
    ...(name ? [] : [required(child(place, 'name'), 'service name is required')]),
    ...(namespace ? [] : [required(child(place, 'namespace'), 'service namespace is required')]),
    ...validatePath(path ?? '', child(place, 'path')),
    ...(port === undefined || (port >= 1 && port <= PORT_MAX) ? [] : [invalid(child(place, 'port'), port, wrongPort)]),
  ];
}

function validatePath(path: string, at: string): FieldError[] {
  if (path === '' || path === '/') return [];
  const errors = path.startsWith('/') ? [] : [invalid(at, path, "must start with a '/'")];
  const steps = (path.endsWith('/') ? path.slice(1, -1) : path.slice(1)).split('/');
  for (const [index, step] of steps.entries()) {
    if (step === '') errors.push(invalid(at, path, `segment[${index}] may not be empty`));
    else for (const why of subdomainMessages(step)) errors.push(invalid(at, path, `segment[${index}]: ${why}`));
  }
  return errors;
}
