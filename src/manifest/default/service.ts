import type { Service, ServicePort, ServiceSpec } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { changeFields, fillAbsent, fillZero, omit } from './fill.ts';

/** The default time-out of session affinity: three hours. */
const AFFINITY_SECONDS = 10_800;
const EXTERNAL_TYPES: ReadonlySet<string | undefined> = new Set(['NodePort', 'LoadBalancer']);

/** Defaults of a Service. Source: pkg/apis/core/v1/defaults.go, SetDefaults_Service. */
export function defaultService(service: Decoded<Service>): Decoded<Service> {
  const spec = fillZero(service.spec ?? {}, { sessionAffinity: 'None', type: 'ClusterIP' });
  const filled = [withAffinity, withTrafficPolicies, withClusterIPs].reduce((next, step) => step(next), spec);
  const defaulted = { ...service, spec: changeFields(filled, { ports: (ports) => ports.map(defaultPort) }) };
  return spec.type === 'LoadBalancer' ? withModes(defaulted) : defaulted;
}

/** The addresses of a load balancer are virtual, unless it says otherwise. */
function withModes(service: Decoded<Service>): Decoded<Service> {
  const { loadBalancer } = service.status ?? {};
  if (loadBalancer?.ingress === undefined) return service;
  const ingress = loadBalancer.ingress.map((at) => (at.ip ? fillAbsent(at, { ipMode: 'VIP' }) : at));
  return { ...service, status: { ...service.status, loadBalancer: { ...loadBalancer, ingress } } };
}

function withAffinity(spec: Decoded<ServiceSpec>): Decoded<ServiceSpec> {
  if (spec.sessionAffinity === 'None') return omit(spec, ['sessionAffinityConfig']);
  if (spec.sessionAffinity !== 'ClientIP') return spec;
  const clientIP = fillAbsent(spec.sessionAffinityConfig?.clientIP ?? {}, { timeoutSeconds: AFFINITY_SECONDS });
  return { ...spec, sessionAffinityConfig: { clientIP } };
}

function withTrafficPolicies(spec: Decoded<ServiceSpec>): Decoded<ServiceSpec> {
  const isExternal = EXTERNAL_TYPES.has(spec.type);
  return fillAbsent(spec, {
    externalTrafficPolicy: isExternal ? 'Cluster' : undefined,
    internalTrafficPolicy: isExternal || spec.type === 'ClusterIP' ? 'Cluster' : undefined,
    allocateLoadBalancerNodePorts: spec.type === 'LoadBalancer' ? true : undefined,
  });
}

/** Puts the single address into the list of addresses. */
function withClusterIPs(spec: Decoded<ServiceSpec>): Decoded<ServiceSpec> {
  if (!spec.clusterIP || (spec.clusterIPs ?? []).length > 0) return spec;
  return { ...spec, clusterIPs: [spec.clusterIP] };
}

function defaultPort(port: Decoded<ServicePort>): Decoded<ServicePort> {
  return fillZero(port, { protocol: 'TCP', targetPort: port.port });
}
