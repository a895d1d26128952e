import type { ServiceSpec } from '../../src/api/generated/types.ts';
import type { StoredService } from '../../src/api/base/objects.ts';
import type { StoredEndpointSlice } from '../../src/api/workloads/endpoint-slices.ts';

const META = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

export function service(name: string, spec: ServiceSpec, namespace = 'default'): StoredService {
  const clusterIPs = spec.clusterIP === undefined ? {} : { clusterIPs: [spec.clusterIP] };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...META, name, namespace },
    spec: { ...clusterIPs, ...spec },
  };
}

type Endpoint = NonNullable<StoredEndpointSlice['endpoints']>[number];

/** An EndpointSlice of a Service with one port. */
export function slice(
  of: string,
  endpoints: readonly Endpoint[],
  port: { readonly name?: string; readonly port: number; readonly protocol?: 'TCP' | 'UDP' } = { port: 8080 },
): StoredEndpointSlice {
  const labels = { 'kubernetes.io/service-name': of };
  const metadata = { ...META, name: `${of}-x`, namespace: 'default', labels };
  const ports = [{ name: '', protocol: 'TCP' as const, ...port }];
  const kind = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' };
  return { ...kind, metadata, addressType: 'IPv4', endpoints: [...endpoints], ports };
}

export function endpoint(address: string, conditions: Endpoint['conditions'] = {}, hostname?: string): Endpoint {
  return { addresses: [address], conditions, ...(hostname === undefined ? {} : { hostname }) };
}
