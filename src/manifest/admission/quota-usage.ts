import {
  addQuantities,
  effectiveResources,
  isHugePages,
  type KubeObject,
  type ParsedQuantity,
  parseQuantity,
  type PersistentVolumeClaim,
  resourceTypeOf,
  type Service,
  type StoredPod,
} from '../../api/index.ts';

/** Amounts by the names of quotas: `pods`, `requests.cpu`, `count/jobs.batch`. */
export type QuotaUsage = ReadonlyMap<string, ParsedQuantity>;

const ONE = parseQuantity(1);
/** Resources of containers whose requests count under their own name, too. */
const PLAIN: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** Kinds that are counted under their plural alone, beside `count/…`. */
const COUNTED: ReadonlySet<string> = new Set([
  'configmaps',
  'secrets',
  'services',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
]);

/**
 * The amounts that an object uses of the quotas of its namespace. Source: pkg/quota/v1/evaluator/core.
 */
export function quotaUsage(object: KubeObject): QuotaUsage {
  const { plural, apiVersion } = resourceTypeOf(object);
  const group = apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
  const usage = new Map<string, ParsedQuantity>([[`count/${plural}${group}`, ONE]]);
  if (COUNTED.has(plural)) usage.set(plural, ONE);
  for (const [name, amount] of detailsOf(object)) usage.set(name, amount);
  return usage;
}

function detailsOf(object: KubeObject): [string, ParsedQuantity][] {
  switch (object.kind) {
    case 'Pod':
      return podUsage(object as unknown as StoredPod);
    case 'PersistentVolumeClaim':
      return claimUsage(object);
    case 'Service':
      return serviceUsage(object);
    default:
      return [];
  }
}

/** Pods that have ended use nothing but their record. Source: QuotaV1Pod, podComputeUsageHelper. */
function podUsage({ spec, status }: StoredPod): [string, ParsedQuantity][] {
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return [];
  const requests = [...effectiveResources(spec, 'requests')].flatMap(([name, amount]) => {
    const request: [string, ParsedQuantity] = [`requests.${name}`, amount];
    const own: [string, ParsedQuantity] = [name, amount];
    return PLAIN.has(name) || isHugePages(name) ? [own, request] : [request];
  });
  const limits = [...effectiveResources(spec, 'limits')]
    .filter(([name]) => PLAIN.has(name))
    .map(([name, amount]): [string, ParsedQuantity] => [`limits.${name}`, amount]);
  return [['pods', ONE], ...requests, ...limits];
}

function claimUsage({ spec }: PersistentVolumeClaim): [string, ParsedQuantity][] {
  const storage = spec?.resources?.requests?.['storage'];
  const amount = storage === undefined ? parseQuantity(0) : parseQuantity(storage);
  const ofClass = `${spec?.storageClassName ?? ''}.storageclass.storage.k8s.io/`;
  return [
    ['requests.storage', amount],
    ...(spec?.storageClassName
      ? ([
          [`${ofClass}requests.storage`, amount],
          [`${ofClass}persistentvolumeclaims`, ONE],
        ] as [string, ParsedQuantity][])
      : []),
  ];
}

function serviceUsage({ spec }: Service): [string, ParsedQuantity][] {
  const isBalanced = spec?.type === 'LoadBalancer';
  const hasNodePorts = spec?.type === 'NodePort' || (isBalanced && spec.allocateLoadBalancerNodePorts !== false);
  const ports = hasNodePorts ? (spec.ports?.length ?? 0) : 0;
  const balanced: [string, ParsedQuantity][] = isBalanced ? [['services.loadbalancers', ONE]] : [];
  return [...balanced, ['services.nodeports', parseQuantity(ports)]];
}

/** The sum of what objects use. */
export function sumOf(usages: readonly QuotaUsage[]): QuotaUsage {
  const sum = new Map<string, ParsedQuantity>();
  for (const usage of usages) {
    for (const [name, amount] of usage) {
      const known = sum.get(name);
      sum.set(name, known === undefined ? amount : addQuantities(known, amount));
    }
  }
  return sum;
}
