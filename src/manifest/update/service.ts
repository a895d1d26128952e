import { isSameJson, type Service, type ServicePort, type ServiceSpec } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, forbidden, invalid } from '../base/field-error.ts';
import { omit } from '../default/fill.ts';
import { isExternallyAccessible } from '../default/networking.ts';

type Spec = Decoded<ServiceSpec>;

/**
 * Keeps the addresses, families and node ports of a Service when a manifest does not name them.
 * Source: pkg/registry/core/service/storage/storage.go, patchAllocatedValues; alloc.go, initIPFamilyFields.
 */
export function withAllocatedValues(stored: Decoded<Service>, changed: Decoded<Service>): Decoded<Service> {
  const [before, after] = [stored.spec ?? {}, changed.spec ?? {}];
  if (!hasClusterIP(before) || !hasClusterIP(after)) return { ...changed, spec: withOneList(before, after) };
  const isSame = !after.clusterIP || after.clusterIP === before.clusterIP;
  const lists = isSame && (!after.clusterIP || (after.clusterIPs ?? []).length === 0) && before.clusterIPs;
  const policy = after.ipFamilyPolicy || before.ipFamilyPolicy;
  const isTrimmed = policy === 'SingleStack' && isSameJson(before.ipFamilies ?? [], after.ipFamilies ?? []);
  const keepsHealthPort = hasHealthPort(before) && hasHealthPort(after) && !after.healthCheckNodePort;
  const spec: Spec = {
    ...after,
    ...(isSame && before.clusterIP !== undefined && { clusterIP: before.clusterIP }),
    ...(lists && { clusterIPs: lists }),
    ...(policy && { ipFamilyPolicy: policy }),
    ...(isTrimmed && after.ipFamilies && { ipFamilies: after.ipFamilies.slice(0, 1) }),
    ...(keepsHealthPort && before.healthCheckNodePort && { healthCheckNodePort: before.healthCheckNodePort }),
    ...(hasNodePorts(before) && hasNodePorts(after) ? { ports: withNodePorts(before, after) } : {}),
  };
  return { ...changed, spec: withOneList(before, spec) };
}

/** A client that changes `clusterIP` alone means the list, too. Source: NormalizeClusterIPs. */
function withOneList(before: Spec, after: Spec): Spec {
  const { clusterIP = '' } = after;
  if (clusterIP === (before.clusterIP ?? '')) return after;
  if (!isSameJson(before.clusterIPs ?? [], after.clusterIPs ?? [])) return after;
  return clusterIP === '' ? omit(after, ['clusterIPs']) : { ...after, clusterIPs: [clusterIP] };
}

const ADDRESS_FIELDS = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const;
const BALANCER_FIELDS = ['allocateLoadBalancerNodePorts', 'loadBalancerClass'] as const;

function isLoadBalancer({ type }: Spec): boolean {
  return type === 'LoadBalancer';
}

/** Source: pkg/api/service/util.go, NeedsHealthCheck. */
function hasHealthPort({ type, externalTrafficPolicy }: Spec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

function hasClusterIP({ type }: Spec): boolean {
  return type !== 'ExternalName';
}

function hasNodePorts({ type }: Spec): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

function withNodePorts({ ports: before = [] }: Spec, { ports: after = [] }: Spec): Decoded<ServicePort>[] {
  const taken = new Set(after.map(({ nodePort }) => nodePort));
  return after.map((port) => {
    if (port.nodePort) return port;
    const same = before.find((oldPort) => oldPort.port === port.port && oldPort.protocol === port.protocol);
    return same?.nodePort && !taken.has(same.nodePort) ? { ...port, nodePort: same.nodePort } : port;
  });
}

/**
 * Drops what belonged to the former type of a Service, where the client has not changed it: the API server may have
 * set it. Source: pkg/registry/core/service/strategy.go, dropTypeDependentFields.
 */
export function withoutFormerType(stored: Decoded<Service>, changed: Decoded<Service>): Decoded<Service> {
  const [before, after] = [stored.spec ?? {}, changed.spec ?? {}];
  const ends = (has: (spec: Spec) => boolean): boolean => has(before) && !has(after);
  const names = [
    ...(ends(hasClusterIP) ? ([...ADDRESS_FIELDS, 'internalTrafficPolicy'] as const) : []),
    ...(ends(isExternallyAccessible) ? (['externalTrafficPolicy'] as const) : []),
    ...(ends(hasHealthPort) ? (['healthCheckNodePort'] as const) : []),
    ...(ends(isLoadBalancer) ? BALANCER_FIELDS : []),
  ];
  if (names.length === 0) return changed;
  const same = names.filter((name) => isSameJson(before[name] ?? null, after[name] ?? null));
  const ports = after.ports ?? [];
  const known = new Set([0, undefined, ...(before.ports ?? []).map(({ nodePort }) => nodePort)]);
  const losesPorts = ends(hasNodePorts) && ports.every(({ nodePort }) => known.has(nodePort));
  const spec = losesPorts ? { ...after, ports: ports.map((port) => omit(port, ['nodePort'])) } : after;
  return { ...changed, spec: omit(spec, same) };
}

/**
 * Source: pkg/apis/core/validation/validation.go, validateUpgradeDowngradeClusterIPs and
 * validateServiceExternalTrafficFieldsUpdate.
 */
export function validateServiceUpdate(stored: Decoded<Service>, changed: Decoded<Service>): FieldError[] {
  const [before, after] = [stored.spec ?? {}, changed.spec ?? {}];
  const healthPort = before.healthCheckNodePort ?? 0;
  const isOther = hasHealthPort(before) && hasHealthPort(after) && healthPort !== 0;
  const wrong = isOther && after.healthCheckNodePort !== healthPort;
  return [
    ...addressErrors(before, after),
    ...(wrong ? [forbidden('spec.healthCheckNodePort', 'field is immutable')] : []),
  ];
}

function addressErrors(before: Spec, after: Spec): FieldError[] {
  const [had] = before.clusterIPs ?? [];
  const [has] = after.clusterIPs ?? [];
  if (!hasClusterIP(before) || !hasClusterIP(after) || had === undefined || had === has) return [];
  const text = has === undefined ? 'primary clusterIP can not be unset' : 'may not change once set';
  return [invalid('spec.clusterIPs[0]', after.clusterIPs ?? [], text)];
}
