import { isHugePages, isPodLevelResource, qualifiedNameMessages, subdomainMessages } from '../../api/index.ts';
import { type FieldError, invalid, notSupported, required } from '../base/field-error.ts';
import { wellFormed } from './checks.ts';

/** Resources that count objects. */
const COUNTED: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

/** The resource names without a slash in the API. Source: pkg/apis/core/helper/helpers.go. */
const STANDARD: ReadonlySet<string> = new Set([
  ...COUNTED,
  'cpu',
  'memory',
  'ephemeral-storage',
  'storage',
  'requests.storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);

/** Resources that a quota may limit, beside counts of objects. */
const OF_QUOTAS: ReadonlySet<string> = new Set([
  ...COUNTED,
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);

const OF_CONTAINERS: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
const OF_PODS: readonly string[] = ['cpu', 'hugepages-', 'memory'];

const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** True for a resource of another domain, as a device: `example.com/dongle`. */
function isExtendedResource(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && qualifiedNameMessages(`requests.${name}`).length === 0;
}

/** True for resources that are whole numbers. */
export function isIntegerResource(name: string): boolean {
  return COUNTED.has(name) || isExtendedResource(name);
}

/** Validates the name of any resource. */
export function validateResourceName(path: string, name: string): FieldError[] {
  const errors = wellFormed(path, name, qualifiedNameMessages);
  if (errors.length > 0 || name.includes('/')) return errors;
  const isKnown = STANDARD.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');
  return isKnown ? [] : [invalid(path, name, 'must be a standard resource type or fully qualified')];
}

/** Validates a resource of a container. One name may get two errors, as upstream. */
export function validateContainerResourceName(path: string, name: string): FieldError[] {
  const errors = validateResourceName(path, name);
  if (!name.includes('/')) {
    if (OF_CONTAINERS.has(name) || isHugePages(name)) return errors;
    return [...errors, invalid(path, name, 'must be a standard resource for containers')];
  }
  if (isNative(name) || isExtendedResource(name)) return errors;
  return [...errors, invalid(path, name, "doesn't follow extended resource name standard")];
}

/** True for the resources without a slash that a quota may limit. */
export function isQuotaResource(name: string): boolean {
  return OF_QUOTAS.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');
}

export function validateQuotaResourceName(path: string, name: string): FieldError[] {
  const errors = validateResourceName(path, name);
  if (name.includes('/') || isQuotaResource(name)) return errors;
  return [...errors, invalid(path, name, 'must be a standard resource for quotas')];
}

/** Validates a resource of the Pod as a whole. */
export function validatePodResourceName(path: string, name: string): FieldError[] {
  const errors = validateResourceName(path, name);
  if (errors.length > 0 || isPodLevelResource(name)) return errors;
  return [notSupported(path, name, OF_PODS)];
}

/** Requires a path behind a domain: `acme.io/foo`. Source: apimachinery, IsDomainPrefixedPath. */
export function validateDomainPath(path: string, text: string): FieldError[] {
  const [domain, ...rest] = text.split('/');
  if (!text) return [required(path)];
  if (!domain || rest.join('/') === '') {
    return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  return wellFormed(path, domain, subdomainMessages);
}
