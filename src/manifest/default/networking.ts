import type {
  Endpoints,
  EndpointSlice,
  EndpointSubset,
  IngressClass,
  NetworkPolicy,
  NetworkPolicyPort,
  NetworkPolicySpec,
  Service,
  ServicePort,
  ServiceSpec,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { changeFields, fillAbsent, fillZero, omit } from './fill.ts';

/** The default time-out of session affinity: three hours. */
const AFFINITY_SECONDS = 10_800;
const EXTERNAL_TYPES: ReadonlySet<string | undefined> = new Set(['NodePort', 'LoadBalancer']);

/** True for a Service that is reached from outside of the cluster. Source: pkg/api/service/util.go. */
export function isExternallyAccessible({ type, externalIPs = [] }: Decoded<ServiceSpec>): boolean {
  return EXTERNAL_TYPES.has(type) || (type === 'ClusterIP' && externalIPs.length > 0);
}

/** Defaults of a Service. Source: pkg/apis/core/v1/defaults.go, SetDefaults_Service. */
export function defaultService(service: Decoded<Service>): Decoded<Service> {
  const spec = fillZero(service.spec ?? {}, { sessionAffinity: 'None', type: 'ClusterIP' });
  const filled = [withAffinity, withTrafficPolicies].reduce((next, step) => step(next), spec);
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

function withTrafficPolicies(given: Decoded<ServiceSpec>): Decoded<ServiceSpec> {
  // The field is no pointer in Go: an empty text is no value.
  const spec = (given.externalTrafficPolicy as string) === '' ? omit(given, ['externalTrafficPolicy']) : given;
  return fillAbsent(spec, {
    externalTrafficPolicy: isExternallyAccessible(spec) ? 'Cluster' : undefined,
    internalTrafficPolicy: EXTERNAL_TYPES.has(spec.type) || spec.type === 'ClusterIP' ? 'Cluster' : undefined,
    allocateLoadBalancerNodePorts: spec.type === 'LoadBalancer' ? true : undefined,
  });
}

/** Puts the single address of a new Service into the list of addresses. Source: NormalizeClusterIPs. */
export function withClusterIPs({ spec = {}, ...service }: Decoded<Service>): Decoded<Service> {
  if (!spec.clusterIP || (spec.clusterIPs ?? []).length > 0) return { ...service, spec };
  return { ...service, spec: { ...spec, clusterIPs: [spec.clusterIP] } };
}

function defaultPort(port: Decoded<ServicePort>): Decoded<ServicePort> {
  return fillZero(port, { protocol: 'TCP', targetPort: port.port });
}

/** Source: pkg/apis/discovery/v1/defaults.go, SetDefaults_EndpointPort. */
export function defaultEndpointSlice(slice: Decoded<EndpointSlice>): Decoded<EndpointSlice> {
  // The server writes an absent list as null, and controllers do the same.
  return changeFields(slice, {
    endpoints: (endpoints) => eachOf(endpoints, (endpoint) => fillAbsent(endpoint, { conditions: {} })),
    ports: (ports) => eachOf(ports, (port) => fillAbsent(port, { name: '', protocol: 'TCP' })),
  });
}

function eachOf<T>(list: readonly T[] | null, change: (item: T) => T): T[] {
  return Array.isArray(list) ? list.map(change) : (list as unknown as T[]);
}

/** Source: pkg/apis/core/v1/defaults.go, SetDefaults_Endpoints. */
export function defaultEndpoints(endpoints: Decoded<Endpoints>): Decoded<Endpoints> {
  return changeFields(endpoints, { subsets: (subsets) => subsets.map(defaultSubset) });
}

function defaultSubset(subset: Decoded<EndpointSubset>): Decoded<EndpointSubset> {
  return changeFields(subset, { ports: (ports) => ports.map((port) => fillAbsent(port, { protocol: 'TCP' })) });
}

/** Defaults of the group networking.k8s.io. An Ingress has none. Source: pkg/apis/networking/v1/defaults.go. */
export function defaultNetworkPolicy(policy: Decoded<NetworkPolicy>): Decoded<NetworkPolicy> {
  return { ...policy, spec: defaultSpec(policy.spec ?? {}) };
}

function defaultSpec(spec: Decoded<NetworkPolicySpec>): Decoded<NetworkPolicySpec> {
  const { ingress, egress = [], policyTypes = [] } = spec;
  const types = egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  return {
    podSelector: {},
    ...spec,
    ...(ingress === undefined ? {} : { ingress: ingress.map((rule) => changeFields(rule, { ports: defaultPorts })) }),
    ...(spec.egress === undefined ? {} : { egress: egress.map((rule) => changeFields(rule, { ports: defaultPorts })) }),
    policyTypes: policyTypes.length > 0 ? policyTypes : types,
  };
}

function defaultPorts(ports: readonly Decoded<NetworkPolicyPort>[]): Decoded<NetworkPolicyPort>[] {
  return ports.map((port) => fillAbsent(port, { protocol: 'TCP' }));
}

export function defaultIngressClass(ingressClass: Decoded<IngressClass>): Decoded<IngressClass> {
  return changeFields(ingressClass, {
    spec: (spec) => changeFields(spec, { parameters: (reference) => fillAbsent(reference, { scope: 'Cluster' }) }),
  });
}
