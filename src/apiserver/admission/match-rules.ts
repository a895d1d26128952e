import { type LabelSelector, matchesSelector } from '../../api/index.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** The writes that a webhook or policy is about. Source: k8s.io/api/admissionregistration/v1, RuleWithOperations. */
export interface AdmissionRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  /** `pods`, `pods/status`, `*`; a star behind the slash means all subresources. */
  readonly resources?: readonly string[];
  readonly scope?: string;
  readonly resourceNames?: readonly string[];
}

/** The selection of a webhook, and the `matchConstraints` or `matchResources` of a policy. */
export interface AdmissionMatch {
  /** Undefined: it is about no write. */
  readonly rules?: readonly AdmissionRule[] | undefined;
  readonly excluded?: readonly AdmissionRule[] | undefined;
  readonly namespaceSelector?: LabelSelector | undefined;
  readonly objectSelector?: LabelSelector | undefined;
}

/** True when a write is selected. Source: apiserver/pkg/admission/plugin/policy/matching. */
export function isMatched(match: AdmissionMatch, request: AdmissionRequest): boolean {
  const { rules = [], excluded = [], namespaceSelector, objectSelector } = match;
  const isSelected = rules.some((rule) => fits(rule, request)) && !excluded.some((rule) => fits(rule, request));
  return isSelected && fitsNamespace(namespaceSelector, request) && fitsObject(objectSelector, request);
}

function fits(rule: AdmissionRule, request: AdmissionRequest): boolean {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope = '*', resourceNames = [] } = rule;
  const { operation, group, version, resource, subresource, namespace, name } = request;
  const isScoped = scope === '*' || (scope === 'Namespaced') === (namespace !== undefined);
  return (
    isScoped &&
    has(operations, operation) &&
    has(apiGroups, group) &&
    has(apiVersions, version) &&
    resources.some((text) => fitsResource(text, resource, subresource)) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

function has(values: readonly string[], value: string): boolean {
  return values.includes('*') || values.includes(value);
}

function fitsResource(text: string, resource: string, subresource: string): boolean {
  const [wanted = '', below = ''] = text.split('/');
  return (wanted === '*' || wanted === resource) && (below === subresource || (below === '*' && text.includes('/')));
}

/** A Namespace is selected by its own labels; other objects without a namespace always are. */
function fitsNamespace(selector: LabelSelector | undefined, request: AdmissionRequest): boolean {
  if (selector === undefined) return true;
  const isNamespace = request.resource === 'namespaces' && request.group === '';
  if (request.namespace === undefined && !isNamespace) return true;
  const namespace = isNamespace ? (request.object ?? request.oldObject) : request.namespaceObject;
  return matchesSelector(selector, namespace?.metadata.labels);
}

function fitsObject(selector: LabelSelector | undefined, { object, oldObject }: AdmissionRequest): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  if (selector === undefined || Object.keys(matchLabels).length + matchExpressions.length === 0) return true;
  // The options of a connection have no labels.
  return [object, oldObject].some(
    (one) => one?.metadata !== undefined && matchesSelector(selector, one.metadata.labels),
  );
}
