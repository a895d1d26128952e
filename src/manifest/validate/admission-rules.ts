import type { AdmissionregistrationNamedRuleWithOperations } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, invalid, item, required } from '../base/field-error.ts';
import { each, oneOfIfSet, requiredText } from './checks.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

/**
 * A rule of a webhook or policy.
 * Source: pkg/apis/admissionregistration/validation/validation.go, validateRuleWithOperations.
 */
export function validateAdmissionRule(
  {
    operations = [],
    apiGroups = [],
    apiVersions = [],
    resources = [],
    scope,
  }: Decoded<AdmissionregistrationNamedRuleWithOperations>,
  at: string,
): FieldError[] {
  return [
    ...wildcardAlone(child(at, 'operations'), operations, 'operations'),
    ...each(child(at, 'operations'), operations, (operation, path) => oneOfIfSet(path, operation, OPERATIONS)),
    ...wildcardAlone(child(at, 'apiGroups'), apiGroups, 'API groups'),
    ...wildcardAlone(child(at, 'apiVersions'), apiVersions, 'API versions'),
    ...each(child(at, 'apiVersions'), apiVersions, (version, path) => requiredText(path, version)),
    ...validateResources(child(at, 'resources'), resources),
    ...oneOfIfSet(child(at, 'scope'), scope, SCOPES),
  ];
}

function wildcardAlone(path: string, values: readonly string[], what: string): FieldError[] {
  if (values.length === 0) return [required(path)];
  if (values.length === 1 || !values.includes('*')) return [];
  return [invalid(path, values, `if '*' is present, must not specify other ${what}`)];
}

function validateResources(path: string, resources: readonly string[]): FieldError[] {
  if (resources.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  /** The subresources of which all resources are meant, and the resources of which all subresources are. */
  const [ofAll, all] = [new Set<string>(), new Set<string>()];
  for (const [index, text] of resources.entries()) {
    const [resource = '', below = ''] = text.split('/', 2);
    const at = item(path, index);
    if (resource === '') errors.push(required(at));
    else if (resource === '*' && below !== '') ofAll.add(below);
    else if (below === '*') all.add(resource);
    else if (ofAll.has(below)) errors.push(invalid(at, text, `if '*/${below}' is present, must not specify ${text}`));
    else if (all.has(resource) && below !== '')
      errors.push(invalid(at, text, `if '${resource}/*' is present, must not specify ${text}`));
  }
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes('*') && resources.some((text) => text !== '*' && !text.includes('/')))
    errors.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"));
  return errors;
}
