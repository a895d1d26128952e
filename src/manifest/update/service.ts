import type { Service, ServicePort, ServiceSpec } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, invalid } from '../base/field-error.ts';

type Spec = Decoded<ServiceSpec>;

/**
 * Keeps the addresses and node ports of a Service when a manifest does not name them.
 * Source: pkg/registry/core/service/storage/storage.go, patchAllocatedValues.
 */
export function withAllocatedValues(stored: Decoded<Service>, changed: Decoded<Service>): Decoded<Service> {
  const [before, after] = [stored.spec ?? {}, changed.spec ?? {}];
  if (!hasClusterIP(before) || !hasClusterIP(after)) return changed;
  const { clusterIP, clusterIPs } = before;
  const keeps = !after.clusterIP && clusterIP !== undefined;
  const spec: Spec = {
    ...after,
    ...(keeps ? { clusterIP, ...(clusterIPs === undefined ? {} : { clusterIPs }) } : {}),
    ...(hasNodePorts(before) && hasNodePorts(after) ? { ports: withNodePorts(before, after) } : {}),
  };
  return { ...changed, spec };
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

/** Source: pkg/apis/core/validation/validation.go, validateUpgradeDowngradeClusterIPs. */
export function validateServiceUpdate(stored: Decoded<Service>, changed: Decoded<Service>): FieldError[] {
  const [before, after] = [stored.spec ?? {}, changed.spec ?? {}];
  const [had] = before.clusterIPs ?? [];
  const [has] = after.clusterIPs ?? [];
  if (!hasClusterIP(before) || !hasClusterIP(after) || had === undefined || had === has) return [];
  const text = has === undefined ? 'primary clusterIP can not be unset' : 'may not change once set';
  return [invalid('spec.clusterIPs[0]', after.clusterIPs ?? [], text)];
}
