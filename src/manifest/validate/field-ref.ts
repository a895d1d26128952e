import {
  canonicalQuantity,
  type ObjectFieldSelector,
  qualifiedNameMessages,
  type ResourceFieldSelector,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, invalid, notSupported, required } from '../base/field-error.ts';
import { wellFormed } from './checks.ts';

/** Fields of the Pod that an environment variable can contain. */
export const ENV_FIELDS: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** Fields of the Pod that a file can contain. */
export const FILE_FIELDS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/** Fields that references may name in the API, also fields that no variable or file can contain. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...ENV_FIELDS,
  ...FILE_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

/** Fields with an old name. */
const FIELD_ALIASES: ReadonlyMap<string, string> = new Map([['spec.host', 'spec.nodeName']]);

const RESOURCES: readonly string[] = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const HUGE_PAGES = /^(?:limits|requests)\.hugepages-/;

const CPU_DIVISORS: ReadonlySet<string> = new Set(['1m', '1']);
const BYTE_DIVISORS: readonly string[] = [
  '1',
  '1k',
  '1M',
  '1G',
  '1T',
  '1P',
  '1E',
  '1Ki',
  '1Mi',
  '1Gi',
  '1Ti',
  '1Pi',
  '1Ei',
];

/** Splits `metadata.labels['app']`. Undefined without a subscript. */
function splitSubscript(fieldPath: string): { field: string; subscript: string } | undefined {
  const start = fieldPath.indexOf("['");
  if (start <= 0 || !fieldPath.endsWith("']")) return undefined;
  return { field: fieldPath.slice(0, start), subscript: fieldPath.slice(start + 2, -2) };
}

/** The reason why the API has no such field. Undefined when it has. Source: ConvertDownwardAPIFieldLabel. */
function conversionProblem(apiVersion: string, fieldPath: string): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`;
  const subscripted = splitSubscript(fieldPath);
  if (subscripted === undefined) {
    const isKnown = KNOWN_FIELDS.has(fieldPath) || FIELD_ALIASES.has(fieldPath);
    return isKnown ? undefined : `field label not supported: ${fieldPath}`;
  }
  const takesKey = subscripted.field === 'metadata.labels' || subscripted.field === 'metadata.annotations';
  return takesKey ? undefined : `field label does not support subscript: ${fieldPath}`;
}

/** Validates a reference to a field of the Pod. Source: validateObjectFieldSelector. */
export function validateFieldRef(
  path: string,
  { apiVersion, fieldPath }: Decoded<ObjectFieldSelector>,
  supported: readonly string[],
): FieldError[] {
  if (!apiVersion) return [required(child(path, 'apiVersion'))];
  if (!fieldPath) return [required(child(path, 'fieldPath'))];
  const problem = conversionProblem(apiVersion, fieldPath);
  if (problem !== undefined) {
    return [invalid(child(path, 'fieldPath'), fieldPath, `error converting fieldPath: ${problem}`)];
  }
  const subscripted = splitSubscript(fieldPath);
  if (subscripted !== undefined) {
    const { field, subscript } = subscripted;
    const name = field === 'metadata.annotations' ? subscript.toLowerCase() : subscript;
    return wellFormed(path, name, qualifiedNameMessages);
  }
  const field = FIELD_ALIASES.get(fieldPath) ?? fieldPath;
  return supported.includes(field) ? [] : [notSupported(child(path, 'fieldPath'), field, supported)];
}

/** Validates a reference to a resource of a container. In a file, it must name the container. */
export function validateResourceFieldRef(
  path: string,
  { containerName, resource = '', divisor = '0' }: Decoded<ResourceFieldSelector>,
  needsContainer: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  if (needsContainer && !containerName) errors.push(required(child(path, 'containerName')));
  else if (!resource) errors.push(required(child(path, 'resource')));
  else if (!RESOURCES.includes(resource) && !HUGE_PAGES.test(resource)) {
    errors.push(notSupported(child(path, 'resource'), resource, RESOURCES));
  }
  return [...errors, ...validateDivisor(child(path, 'divisor'), resource, canonicalQuantity(divisor))];
}

/** Validates a divisor. The message shows the resource as the value, as upstream. */
function validateDivisor(path: string, resource: string, divisor: string): FieldError[] {
  if (divisor === '0') return [];
  if (resource.endsWith('.cpu')) {
    if (CPU_DIVISORS.has(divisor)) return [];
    return [invalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource")];
  }
  const name = byteResourceName(resource);
  if (name === undefined || BYTE_DIVISORS.includes(divisor)) return [];
  const list = BYTE_DIVISORS.join(', ');
  return [invalid(path, resource, `only divisor's values ${list} are supported with the ${name} resource`)];
}

function byteResourceName(resource: string): string | undefined {
  if (HUGE_PAGES.test(resource)) return 'hugepages';
  if (!RESOURCES.includes(resource)) return undefined;
  return resource.endsWith('.memory') ? 'memory' : 'local ephemeral storage';
}
