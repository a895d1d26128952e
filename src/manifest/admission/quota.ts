import {
  compareQuantities,
  formatQuantity,
  type KubeObject,
  type ParsedQuantity,
  parseQuantity,
  type PersistentVolumeClaim,
  type PodSpec,
  qosClassOf,
  type ResourceQuota,
  type ResourceQuotaStatus,
  type ScopedResourceSelectorRequirement,
  type StoredPod,
  ZERO_QUANTITY,
} from '../../api/index.ts';
import { entriesByKey } from '../base/decoded.ts';
import { selectorMatches } from '../validate/labels.ts';
import { sumOf, type QuotaUsage, quotaUsage } from './quota-usage.ts';

/** Resources that each container has to name as soon as a quota limits them. */
const EXPLICIT: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]);

/**
 * The reason why a quota does not permit a new object, in the API server's words. Undefined: it permits the object.
 * Source: staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go, CheckRequest.
 * @param existing the other objects of the namespace
 * @param before the object before a change: only what it uses more is asked for. Undefined: it is new
 */
export function quotaError(
  quota: ResourceQuota,
  object: KubeObject,
  existing: readonly KubeObject[],
  before?: KubeObject,
): string | undefined {
  if (!isInScope(quota, object)) return undefined;
  const hard = entriesByKey(quota.spec?.hard);
  const wanted = usedMore(quotaUsage(object), before && isInScope(quota, before) ? quotaUsage(before) : NOTHING);
  const isNewPod = object.kind === 'Pod' && before === undefined;
  const concerned = hard.filter(([name]) => wanted.has(name) || (isNewPod && EXPLICIT.has(name)));
  if (concerned.length === 0) return undefined;
  const missing = isNewPod ? missingResources(object as unknown as StoredPod, concerned) : [];
  const { name: quotaName = '' } = quota.metadata ?? {};
  if (missing.length > 0) return `failed quota: ${quotaName}: must specify ${missing.join('; ')}`;
  const used = usedOf(quota, before === undefined ? existing : [...existing, before]);
  const sum = sumOf([used, wanted]);
  const exceeded = concerned.filter(([name, limit]) => {
    const after = sum.get(name);
    return after !== undefined && wanted.has(name) && compareQuantities(after, parseQuantity(limit)) > 0;
  });
  if (exceeded.length === 0) return undefined;
  const format = (usage: QuotaUsage): string =>
    exceeded.map(([name]) => `${name}=${formatQuantity(usage.get(name) ?? ZERO_QUANTITY)}`).join(',');
  const limited = exceeded.map(([name, limit]) => `${name}=${limit}`).join(',');
  return `exceeded quota: ${quotaName}, requested: ${format(wanted)}, used: ${format(used)}, limited: ${limited}`;
}

/** The status of a quota: its limits, and what the objects of its namespace use of them. */
export function quotaStatus(quota: ResourceQuota, objects: readonly KubeObject[]): ResourceQuotaStatus {
  const used = usedOf(quota, objects);
  const hard = entriesByKey(quota.spec?.hard);
  return {
    hard: Object.fromEntries(hard),
    used: Object.fromEntries(hard.map(([name]) => [name, formatQuantity(used.get(name) ?? ZERO_QUANTITY)])),
  };
}

const NOTHING: QuotaUsage = new Map();

/** The amounts that are above those before. */
function usedMore(usage: QuotaUsage, before: QuotaUsage): QuotaUsage {
  const more = [...usage].flatMap(([name, amount]): Array<[string, ParsedQuantity]> => {
    const known = before.get(name) ?? ZERO_QUANTITY;
    const nano = amount.nano - known.nano;
    return nano > 0n ? [[name, { ...amount, nano }]] : [];
  });
  return new Map(more);
}

function usedOf(quota: ResourceQuota, objects: readonly KubeObject[]): QuotaUsage {
  return sumOf(objects.filter((object) => isInScope(quota, object)).map((object) => quotaUsage(object)));
}

/** Resources that the quota limits and that a container does not name. Source: podEvaluator.Constraints. */
function missingResources({ spec }: StoredPod, concerned: readonly [string, string][]): string[] {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  return concerned.flatMap(([name]) => {
    if (!EXPLICIT.has(name)) return [];
    const [kind, resource] = name.startsWith('limits.')
      ? (['limits', name.slice('limits.'.length)] as const)
      : (['requests', name.replace(/^requests\./, '')] as const);
    const without = containers
      .filter(({ resources }) => resources?.[kind]?.[resource] === undefined)
      .map((container) => container.name);
    return without.length === 0 ? [] : [`${name} for: ${without.sort().join(',')}`];
  });
}

/**
 * True for objects in the scopes of a quota. Source: pkg/quota/v1/evaluator/core, podMatchesScopeFunc and
 * pvcMatchesScopeFunc.
 */
function isInScope({ spec }: ResourceQuota, object: KubeObject): boolean {
  const scopes = (spec?.scopes ?? []).map((scopeName): ScopedResourceSelectorRequirement => {
    return { scopeName, operator: 'Exists' };
  });
  const all = [...scopes, ...(spec?.scopeSelector?.matchExpressions ?? [])];
  return all.every((scope) => {
    if (object.kind === 'Pod') return podHasScope((object as unknown as StoredPod).spec, scope);
    return object.kind === 'PersistentVolumeClaim' && claimHasScope(object, scope);
  });
}

function claimHasScope(
  { spec, status }: PersistentVolumeClaim,
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
): boolean {
  if (scopeName !== 'VolumeAttributesClass') return false;
  const classes = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter(Boolean);
  return (classes.length === 0 ? [undefined] : classes).some((name) => nameMatches(scopeName, name, operator, values));
}

/** True when a selector of a scope matches the name of a class. */
function nameMatches(key: string, name: string | undefined, operator: string, values: readonly string[]): boolean {
  return selectorMatches({ matchExpressions: [{ key, operator, values: [...values] }] }, name ? { [key]: name } : {});
}

function podHasScope(spec: PodSpec, { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement): boolean {
  const isTerminating = spec.activeDeadlineSeconds !== undefined;
  const isBestEffort = qosClassOf(spec) === 'BestEffort';
  switch (scopeName) {
    case 'Terminating':
      return isTerminating;
    case 'NotTerminating':
      return !isTerminating;
    case 'BestEffort':
      return isBestEffort;
    case 'NotBestEffort':
      return !isBestEffort;
    case 'PriorityClass':
      return nameMatches(scopeName, spec.priorityClassName, operator, values);
    case 'CrossNamespacePodAffinity':
      return hasForeignAffinity(spec);
    default:
      return false;
  }
}

function hasForeignAffinity({ affinity }: PodSpec): boolean {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((each) => [
    ...(each?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(each?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some(
    ({ namespaces, namespaceSelector }) => (namespaces ?? []).length > 0 || namespaceSelector !== undefined,
  );
}
