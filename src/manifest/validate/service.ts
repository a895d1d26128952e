import {
  labelMessages,
  qualifiedNameMessages,
  type Service,
  type ServicePort,
  type ServiceSpec,
  subdomainMessages,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  item,
  notSupported,
  required,
} from '../base/field-error.ts';
import { isExternallyAccessible } from '../default/networking.ts';
import { each, oneOfIfSet, requiredOneOf, requiredWellFormed, wellFormedIfSet } from './checks.ts';
import { ipFamily, validateCidr, validateIp, validateOrdinaryIp } from './ip.ts';
import { validateLabels } from './labels.ts';
import { PORT_PROTOCOLS, validatePortNumber, validatePortReference } from './ports.ts';

const TYPES: readonly string[] = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES: readonly string[] = ['ClientIP', 'None'];
const TRAFFIC_POLICIES: readonly string[] = ['Cluster', 'Local'];
const DISTRIBUTIONS: readonly string[] = ['PreferClose', 'PreferSameNode', 'PreferSameZone'];
/** The longest session affinity: one day. */
const AFFINITY_SECONDS_MAX = 86_400;
const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'";

/** Source: pkg/apis/core/validation/validation.go, ValidateService. */
export function validateService(service: Decoded<Service>): FieldError[] {
  const spec = service.spec ?? {};
  const ports = spec.ports ?? [];
  const needsPorts = ports.length === 0 && !isHeadless(spec) && spec.type !== 'ExternalName';
  return [
    ...(needsPorts ? [required('spec.ports')] : []),
    ...validateTypeMix('spec', spec),
    ...validatePorts('spec.ports', ports),
    ...validateLabels('spec.selector', spec.selector),
    ...requiredOneOf('spec.sessionAffinity', spec.sessionAffinity, AFFINITIES),
    ...validateAffinityConfig('spec.sessionAffinityConfig', spec),
    ...validateClusterIPs('spec', spec),
    ...each('spec.externalIPs', spec.externalIPs, (address, at) => {
      const errors = validateIp(at, address);
      return errors.length > 0 ? errors : validateOrdinaryIp(at, address);
    }),
    ...requiredOneOf('spec.type', spec.type, TYPES),
    ...validatePortNumbers('spec.ports', ports, spec.type),
    ...validateLoadBalancer('spec', spec),
    ...validateTraffic('spec', spec),
  ];
}

/** Refuses fields that do not go with the type of the Service. */
function validateTypeMix(path: string, spec: Decoded<ServiceSpec>): FieldError[] {
  const { type, clusterIPs = [], ipFamilies = [], ipFamilyPolicy, externalName } = spec;
  const addressesPath = child(path, 'clusterIPs');
  if (type !== 'ExternalName') {
    if (!isHeadless(spec) || (type !== 'LoadBalancer' && type !== 'NodePort')) return [];
    return [invalid(`${addressesPath}[0]`, 'None', `may not be set to 'None' for ${type} services`)];
  }
  const notForNames = 'may not be set for ExternalName services';
  return [
    ...(clusterIPs.length > 0 ? [forbidden(addressesPath, notForNames)] : []),
    ...(ipFamilies.length > 0 ? [forbidden(child(path, 'ipFamilies'), notForNames)] : []),
    ...(ipFamilyPolicy === undefined ? [] : [forbidden(child(path, 'ipFamilyPolicy'), notForNames)]),
    ...requiredWellFormed(child(path, 'externalName'), externalName?.replace(/\.$/, ''), subdomainMessages),
  ];
}

/** Validates ports one by one. With several, each needs a name. */
function validatePorts(path: string, ports: readonly Decoded<ServicePort>[]): FieldError[] {
  const names = new Set<string>();
  return each(path, ports, (port, at) => {
    const { name } = port;
    const namePath = child(at, 'name');
    const errors = ports.length > 1 ? requiredWellFormed(namePath, name, labelMessages) : [];
    if (ports.length === 1) errors.push(...wellFormedIfSet(namePath, name, labelMessages));
    if (name && names.has(name)) errors.push(duplicate(namePath, name));
    if (name) names.add(name);
    return [
      ...errors,
      ...validatePortNumber(child(at, 'port'), port.port),
      ...requiredOneOf(child(at, 'protocol'), port.protocol, PORT_PROTOCOLS),
      ...validatePortReference(child(at, 'targetPort'), port.targetPort),
      ...wellFormedIfSet(child(at, 'appProtocol'), port.appProtocol, qualifiedNameMessages),
    ];
  });
}

/** Refuses equal port numbers within one protocol. */
function validatePortNumbers(
  path: string,
  ports: readonly Decoded<ServicePort>[],
  type: string | undefined,
): FieldError[] {
  const nodePorts = new Set<string>();
  const numbers = new Set<string>();
  const onNodes = each(path, ports, ({ protocol, nodePort }, at) => {
    if (!nodePort) return [];
    const nodePath = child(at, 'nodePort');
    const errors: FieldError[] = [];
    if (type === 'ClusterIP') errors.push(forbidden(nodePath, "may not be used when `type` is 'ClusterIP'"));
    if (nodePorts.has(`${protocol}/${nodePort}`)) errors.push(duplicate(nodePath, nodePort));
    nodePorts.add(`${protocol}/${nodePort}`);
    return errors;
  });
  const twice = each(path, ports, ({ protocol, port }, at) => {
    const isTaken = numbers.has(`${protocol}/${port}`);
    numbers.add(`${protocol}/${port}`);
    return isTaken ? [duplicate(at, { protocol, port })] : [];
  });
  return [...onNodes, ...twice];
}

function validateAffinityConfig(
  path: string,
  { sessionAffinity, sessionAffinityConfig: config }: Decoded<ServiceSpec>,
): FieldError[] {
  if (sessionAffinity === 'None') {
    return config === undefined ? [] : [forbidden(path, 'must not be set when session affinity is None')];
  }
  if (sessionAffinity !== 'ClientIP') return [];
  const seconds = config?.clientIP?.timeoutSeconds ?? 0;
  if (seconds > 0 && seconds <= AFFINITY_SECONDS_MAX) return [];
  const text = `must be greater than 0 and less than ${AFFINITY_SECONDS_MAX}`;
  return [invalid(child(path, 'clientIP', 'timeoutSeconds'), seconds, text)];
}

/** Validates the fields of load balancers. The spelling of the ranges in the path is upstream's. */
function validateLoadBalancer(path: string, spec: Decoded<ServiceSpec>): FieldError[] {
  const { loadBalancerSourceRanges: ranges = [], loadBalancerClass, allocateLoadBalancerNodePorts } = spec;
  const rangesPath = child(path, 'LoadBalancerSourceRanges');
  const checkedRanges = each(rangesPath, ranges, (range, at) => validateCidr(at, range.trim()));
  if (spec.type === 'LoadBalancer') {
    const classPath = child(path, 'loadBalancerClass');
    return [...checkedRanges, ...wellFormedIfSet(classPath, loadBalancerClass, qualifiedNameMessages)];
  }
  const forbid = (field: string): FieldError => forbidden(child(path, field), ONLY_LOAD_BALANCER);
  return [
    ...(ranges.length > 0 ? [forbidden(rangesPath, ONLY_LOAD_BALANCER)] : []),
    ...checkedRanges,
    ...(allocateLoadBalancerNodePorts === undefined ? [] : [forbid('allocateLoadBalancerNodePorts')]),
    ...(loadBalancerClass === undefined ? [] : [forbid('loadBalancerClass')]),
  ];
}

function validateTraffic(path: string, spec: Decoded<ServiceSpec>): FieldError[] {
  const { type, externalTrafficPolicy: external, healthCheckNodePort: healthPort } = spec;
  const externalPath = child(path, 'externalTrafficPolicy');
  const isExternal = isExternallyAccessible(spec);
  const errors: FieldError[] = [];
  if (isExternal) errors.push(...oneOfIfSet(externalPath, external, TRAFFIC_POLICIES));
  else if (external) errors.push(invalid(externalPath, external, 'may only be set for externally-accessible services'));
  if (healthPort && !(type === 'LoadBalancer' && external === 'Local')) {
    const text = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalid(child(path, 'healthCheckNodePort'), healthPort, text));
  }
  return [
    ...errors,
    ...oneOfIfSet(child(path, 'internalTrafficPolicy'), spec.internalTrafficPolicy, TRAFFIC_POLICIES),
    ...oneOfIfSet(child(path, 'trafficDistribution'), spec.trafficDistribution, DISTRIBUTIONS),
  ];
}

const FAMILIES: readonly string[] = ['IPv4', 'IPv6'];
const FAMILY_POLICIES: readonly string[] = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const ADDRESSES_MAX = 2;

/** True for a Service without an address: its name resolves to the addresses of its Pods. */
function isHeadless({ clusterIPs = [] }: Decoded<ServiceSpec>): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === 'None';
}

/** Validates the cluster addresses of a Service. Source: ValidateServiceClusterIPsRelatedFields. */
function validateClusterIPs(path: string, spec: Decoded<ServiceSpec>): FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const addressesPath = child(path, 'clusterIPs');
  const addressErrors = validateAddresses(addressesPath, spec.clusterIPs ?? []);
  return [
    ...validateFirst(addressesPath, spec),
    ...validateFamilies(child(path, 'ipFamilies'), spec.ipFamilies ?? []),
    ...oneOfIfSet(child(path, 'ipFamilyPolicy'), spec.ipFamilyPolicy, FAMILY_POLICIES),
    ...addressErrors,
    // With invalid addresses, messages about their families would only confuse.
    ...(addressErrors.length > 0 ? [] : validateAddressFamilies(addressesPath, spec)),
  ];
}

function validateFirst(path: string, { clusterIP, clusterIPs = [] }: Decoded<ServiceSpec>): FieldError[] {
  if (!clusterIP) {
    const text = 'must be empty when `clusterIP` is not specified';
    return clusterIPs.length > 0 ? [invalid(path, clusterIPs, text)] : [];
  }
  if (clusterIPs.length === 0) return [required(path)];
  return clusterIPs[0] === clusterIP ? [] : [invalid(path, clusterIPs, 'first value must match `clusterIP`')];
}

function validateFamilies(path: string, families: readonly string[]): FieldError[] {
  const seen = new Set<string>();
  return each(path, families, (family, at) => {
    const isRepeated = seen.has(family);
    seen.add(family);
    return [
      ...(FAMILIES.includes(family) ? [] : [notSupported(at, family, FAMILIES)]),
      ...(isRepeated ? [duplicate(at, family)] : []),
    ];
  });
}

function validateAddresses(path: string, addresses: readonly string[]): FieldError[] {
  const errors = each(path, addresses, (address, at, index) => {
    if (index > 0 || address !== 'None') return validateIp(at, address);
    return addresses.length > 1 ? [invalid(path, addresses, "'None' must be the first and only value")] : [];
  });
  return addresses.length > ADDRESSES_MAX
    ? [...errors, invalid(path, addresses, 'may only hold up to 2 values')]
    : errors;
}

function validateAddressFamilies(path: string, spec: Decoded<ServiceSpec>): FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const [first, second] = clusterIPs.map(ipFamily);
  const errors: FieldError[] = [];
  if (second !== undefined && first === second) {
    errors.push(invalid(path, clusterIPs, 'may specify no more than one IP for each IP family'));
  }
  if (isHeadless(spec)) return errors;
  const mismatches = ipFamilies.slice(0, clusterIPs.length).flatMap((family, index) => {
    const address = clusterIPs[index] ?? '';
    if (!FAMILIES.includes(family) || ipFamily(address) === family) return [];
    const text = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    return [invalid(item(path, index), address, text)];
  });
  return [...errors, ...mismatches];
}
