import type { ServiceSpec } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, duplicate, invalid, notSupported, required } from '../base/field-error.ts';
import { each, oneOfIfSet } from './checks.ts';
import { ipFamily, validateIp } from './ip.ts';
import { child, item } from '../base/path.ts';

const FAMILIES: readonly string[] = ['IPv4', 'IPv6'];
const FAMILY_POLICIES: readonly string[] = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const ADDRESSES_MAX = 2;

/** True for a Service without an address: its name resolves to the addresses of its Pods. */
export function isHeadless({ clusterIPs = [] }: Decoded<ServiceSpec>): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === 'None';
}

/** Validates the cluster addresses of a Service. Source: ValidateServiceClusterIPsRelatedFields. */
export function validateClusterIPs(path: string, spec: Decoded<ServiceSpec>): FieldError[] {
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
