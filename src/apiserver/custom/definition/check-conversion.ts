import { labelMessages } from '../../../api/index.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../manifest/index.ts';
import type { DefinitionConversion } from './definition.ts';
import type { WebhookClient } from '../../resources/served-resource.ts';

const STRATEGIES = ['None', 'Webhook'];
/** The versions of ConversionReview that the server sends. */
export const REVIEW_VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/** The paths name fields of Kubernetes' internal type. */
const CLIENT = 'spec.conversion.webhookClientConfig';
const VERSIONS = 'spec.conversion.conversionReviewVersions';

/**
 * The mistakes of a conversion. Source: apiextensions, pkg/apis/apiextensions/validation/validation.go,
 * validateCustomResourceConversion.
 */
export function checkConversion({ strategy, webhook }: DefinitionConversion = { strategy: 'None' }): FieldError[] {
  if (!STRATEGIES.includes(strategy)) return [notSupported('spec.conversion.strategy', strategy, STRATEGIES)];
  if (strategy === 'Webhook') return [...checkClient(webhook), ...checkReviewVersions(webhook)];
  const why = 'should not be set when strategy is not set to Webhook';
  return [
    ...(webhook?.clientConfig === undefined ? [] : [forbidden(CLIENT, why)]),
    ...((webhook?.conversionReviewVersions ?? []).length === 0 ? [] : [forbidden(VERSIONS, why)]),
  ];
}

type DefinitionWebhook = DefinitionConversion['webhook'];

function checkClient(webhook: DefinitionWebhook): FieldError[] {
  if (webhook === undefined) return [required(CLIENT, 'required when strategy is set to Webhook')];
  const { url, service } = webhook.clientConfig ?? {};
  if ((url === undefined) === (service === undefined))
    return [required(CLIENT, 'exactly one of url or service is required')];
  if (url !== undefined && !URL.canParse(url)) return [invalid(`${CLIENT}.url`, url, 'url must be a valid URL')];
  return service === undefined ? [] : checkService(service);
}

/** Texts that are not checked yet may be missing. */
function checkService({ namespace = '', name = '' }: Partial<NonNullable<WebhookClient['service']>>): FieldError[] {
  return [
    ...(name === '' ? [required(`${CLIENT}.service.name`, 'service name is required')] : []),
    ...(namespace === '' ? [required(`${CLIENT}.service.namespace`, 'service namespace is required')] : []),
  ];
}

function checkReviewVersions(webhook: DefinitionWebhook): FieldError[] {
  const versions = webhook?.conversionReviewVersions ?? [];
  if (versions.length === 0) return [required(VERSIONS)];
  const errors = versions.flatMap((version, index) => {
    const at = `${VERSIONS}[${index}]`;
    if (versions.indexOf(version) < index) return [invalid(at, version, 'duplicate version')];
    return labelMessages(version).map((message) => invalid(at, version, message));
  });
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return errors;
  return [...errors, invalid(VERSIONS, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)];
}
