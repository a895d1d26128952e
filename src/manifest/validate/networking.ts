import {
  type HostAlias,
  labelMessages,
  type PodDNSConfig,
  type PodSpec,
  subdomainMessages,
  underscoreSubdomainMessages,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, forbidden, invalid, required, tooLong } from '../base/field-error.ts';
import { each, requiredOneOf, wellFormed, wellFormedIfSet } from './checks.ts';
import { validateIp } from './ip.ts';

const DNS_POLICIES: readonly string[] = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
/** The limits of the resolver in the C library. */
const NAMESERVERS_MAX = 3;
const SEARCHES_MAX = 32;
const SEARCH_CHARS_MAX = 2048;
const HOSTNAME_OVERRIDE_MAX_BYTES = 64;

export function validateDnsPolicy(path: string, policy: string | undefined): FieldError[] {
  return requiredOneOf(path, policy, DNS_POLICIES);
}

/** Source: pkg/apis/core/validation/validation.go, validatePodDNSConfig. */
export function validateDnsConfig(
  path: string,
  config: Decoded<PodDNSConfig> | undefined,
  policy: string | undefined,
): FieldError[] {
  if (policy === 'None') {
    if (config === undefined) return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if ((config.nameservers ?? []).length === 0) {
      const text = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return [required(child(path, 'nameservers'), text)];
    }
  }
  return config === undefined ? [] : validateResolver(path, config);
}

function validateResolver(path: string, config: Decoded<PodDNSConfig>): FieldError[] {
  const { nameservers = [], searches = [] } = config;
  const serversPath = child(path, 'nameservers');
  const searchesPath = child(path, 'searches');
  const tooManyServers = `must not have more than ${NAMESERVERS_MAX} nameservers`;
  const tooManySearches = `must not have more than ${SEARCHES_MAX} search paths`;
  const searchesTooLong = [
    `must not have more than ${SEARCH_CHARS_MAX} characters`,
    '(including spaces) in the search list',
  ].join(' ');
  return [
    ...(nameservers.length > NAMESERVERS_MAX ? [invalid(serversPath, nameservers, tooManyServers)] : []),
    ...each(serversPath, nameservers, (address, at) => validateIp(at, address)),
    ...(searches.length > SEARCHES_MAX ? [invalid(searchesPath, searches, tooManySearches)] : []),
    ...(searches.join(' ').length > SEARCH_CHARS_MAX ? [invalid(searchesPath, searches, searchesTooLong)] : []),
    ...each(searchesPath, searches, validateSearch),
    ...each(child(path, 'options'), config.options, ({ name }, at) =>
      name ? [] : [required(at, 'must not be empty')],
    ),
  ];
}

/** Validates a search domain. A single dot, the root, is one. */
function validateSearch(search: string, path: string): FieldError[] {
  return search === '.' ? [] : wellFormed(path, search.replace(/\.$/, ''), underscoreSubdomainMessages);
}

/** Validates lines for the hosts file. */
export function validateHostAliases(path: string, aliases: readonly Decoded<HostAlias>[]): FieldError[] {
  return each(path, aliases, ({ ip = '', hostnames }, at) => [
    ...validateIp(child(at, 'ip'), ip),
    ...each(child(at, 'hostnames'), hostnames, (name, nameAt) => wellFormed(nameAt, name, subdomainMessages)),
  ]);
}

/** Validates the names of the Pod in the network. */
export function validateHostname(path: string, spec: Decoded<PodSpec>): FieldError[] {
  return [
    ...wellFormedIfSet(child(path, 'hostname'), spec.hostname, labelMessages),
    ...wellFormedIfSet(child(path, 'subdomain'), spec.subdomain, labelMessages),
    ...(spec.hostnameOverride === undefined ? [] : validateOverride(path, spec.hostnameOverride, spec)),
  ];
}

function validateOverride(path: string, override: string, spec: Decoded<PodSpec>): FieldError[] {
  const at = child(path, 'hostnameOverride');
  const errors: FieldError[] = [];
  if (spec.setHostnameAsFQDN === true) {
    errors.push(forbidden(at, 'may not be specified when setHostnameAsFQDN is true'));
  }
  if (spec.hostNetwork === true) errors.push(forbidden(at, 'may not be specified when hostNetwork is true'));
  if (Buffer.byteLength(override) > HOSTNAME_OVERRIDE_MAX_BYTES) errors.push(tooLong(at, HOSTNAME_OVERRIDE_MAX_BYTES));
  return [...errors, ...wellFormed(at, override, subdomainMessages)];
}

/** Refuses host namespaces for a Pod with users of its own. `HostPID` and `HostIPC` are upstream's spelling. */
export function validateHostUsers(path: string, spec: Decoded<PodSpec>): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const shared = [
    ...(spec.hostNetwork === true ? ['hostNetwork'] : []),
    ...(spec.hostPID === true ? ['HostPID'] : []),
    ...(spec.hostIPC === true ? ['HostIPC'] : []),
  ];
  const devices = (['containers', 'initContainers'] as const).flatMap((field) =>
    each(child(path, field), spec[field], ({ volumeDevices = [] }, at) =>
      volumeDevices.length > 0 ? [forbidden(child(at, 'volumeDevices'), 'when `hostUsers` is false')] : [],
    ),
  );
  return [...shared.map((field) => forbidden(child(path, field), 'when `hostUsers` is false')), ...devices];
}
