import { type ApiregistrationAPIService, goQuote, pathSegmentMessages, subdomainMessages } from '../../api/index.ts';
import { child, type FieldError, invalid, required } from '../base/field-error.ts';
import type { Decoded } from '../base/decoded.ts';
import { requiredText, wellFormed, wellFormedIfSet } from './checks.ts';

const GROUP_PRIORITY_MAX = 20_000;
const VERSION_PRIORITY_MAX = 1000;
const PORT_MAX = 65_535;

/** Source: kube-aggregator/pkg/apis/apiregistration/validation/validation.go. */
export function validateApiService({ metadata, spec = {} }: Decoded<ApiregistrationAPIService>): FieldError[] {
  const { group = '', version = '', groupPriorityMinimum: minimum = 0, versionPriority: priority = 0 } = spec;
  const { service, caBundle = '', insecureSkipTLSVerify: isInsecure = false } = spec;
  const { name = '' } = metadata ?? {};
  const wanted = `${version}.${group}`;
  const isNamed = name === '' || name === wanted || pathSegmentMessages(name).length > 0;
  const legacy = 'only v1 may have an empty group and it better be legacy kube';
  return [
    ...(isNamed ? [] : [invalid('metadata.name', name, `must be \`spec.version+"."+spec.group\`: ${goQuote(wanted)}`)]),
    ...(group === '' && version !== 'v1' ? [required('spec.group', legacy)] : []),
    ...wellFormedIfSet('spec.group', group, subdomainMessages),
    ...wellFormed('spec.version', version, versionMessages),
    ...within('spec.groupPriorityMinimum', minimum, GROUP_PRIORITY_MAX),
    ...within('spec.versionPriority', priority, VERSION_PRIORITY_MAX),
    ...(service === undefined
      ? validateLocal(caBundle, isInsecure)
      : validateRemote(service, caBundle !== '' && isInsecure)),
  ];
}

/** A group that this server serves itself. */
function validateLocal(caBundle: string, isInsecure: boolean): FieldError[] {
  const bytes = `${Buffer.from(caBundle, 'base64').length} bytes`;
  return [
    ...(caBundle === '' ? [] : [invalid('spec.caBundle', bytes, 'local APIServices may not have a caBundle')]),
    ...(isInsecure
      ? [invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify')]
      : []),
  ];
}

type Service = NonNullable<Decoded<ApiregistrationAPIService>['spec']>['service'];

function validateRemote({ namespace, name, port = 443 }: NonNullable<Service>, isBoth: boolean): FieldError[] {
  const at = 'spec.service';
  const wrongPort = `port is not valid: must be between 1 and ${PORT_MAX}, inclusive`;
  return [
    ...requiredText(child(at, 'namespace'), namespace),
    ...requiredText(child(at, 'name'), name),
    ...(port >= 1 && port <= PORT_MAX ? [] : [invalid(child(at, 'port'), port, wrongPort)]),
    ...(isBoth ? [invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')] : []),
  ];
}

function within(path: string, value: number, max: number): FieldError[] {
  return value > 0 && value <= max ? [] : [invalid(path, value, `must be positive and less than ${max}`)];
}

/** Source: apimachinery/pkg/util/validation, IsDNS1035Label. */
function versionMessages(version: string): string[] {
  if (/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(version)) return [];
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic " +
    'character, and end with an alphanumeric character';
  return [`${rule} (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`];
}
