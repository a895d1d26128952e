import { CLUSTER_DOMAIN, type PodDNSConfigOption, type PodSpec } from '../../api/index.ts';
import { nameserversOmitted, noNames, searchesOmitted } from '../texts/network-events.ts';
import type { EventDraft } from '../texts/events.ts';

/** The lists of a resolv.conf, each in its order. */
export interface Resolver {
  readonly nameservers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

// Source: pkg/apis/core/validation/validation.go MaxDNSNameservers, MaxDNSSearchPaths, MaxDNSSearchListChars.
const NAMESERVERS_MAX = 3;
const SEARCHES_MAX = 32;
const SEARCH_LINE_MAX = 2048;
/** A longer domain makes some resolvers abort. */
const SEARCH_MAX = 253;

const NOTHING: Resolver = { nameservers: [], searches: [], options: [] };

/** A Pod's /etc/resolv.conf, and what was left out of it. */
export interface PodResolvConf {
  /** Undefined: the Pod uses the file of the host. */
  readonly text: string | undefined;
  readonly events: readonly EventDraft[];
}

/** The facts for a Pod's /etc/resolv.conf. */
export interface ResolvConfFacts {
  readonly namespace: string;
  readonly spec: Pick<PodSpec, 'dnsPolicy' | 'dnsConfig' | 'hostNetwork'>;
  /** The text of the host's file. */
  readonly host: string;
  /** The address of podrun's DNS server. Undefined: the Pod cannot reach it. */
  readonly clusterDns: string | undefined;
  /** True when the Pod has a network of its own, so that servers on loopback addresses are out of its reach. */
  readonly hasOwnNetwork: boolean;
}

/**
 * The text of a Pod's /etc/resolv.conf. Where podrun cannot serve names, ClusterFirst falls back to the host's DNS, as
 * a kubelet without cluster DNS does. Source: pkg/kubelet/network/dns/dns.go GetPodDNS; the file is the container
 * runtime's: containerd parseDNSOptions.
 */
export function podResolvConf(facts: ResolvConfFacts): PodResolvConf {
  const base = baseOf(facts);
  if (base === undefined) return { text: undefined, events: [] };
  const { nameservers = [], searches = [], options = [] } = facts.spec.dnsConfig ?? {};
  const servers = [...new Set([...base.nameservers, ...nameservers])];
  const fitting = servers.slice(0, NAMESERVERS_MAX);
  const all = [...new Set([...base.searches, ...searches])];
  const fittingOnes = fittingSearches(all);
  return {
    text: resolvConfText({
      nameservers: fitting,
      searches: fittingOnes,
      options: mergedOptions(base.options, options),
    }),
    events: [
      ...(fitting.length < servers.length ? [nameserversOmitted(fitting)] : []),
      ...(fittingOnes.length < all.length ? [searchesOmitted(fittingOnes)] : []),
    ],
  };
}

/** The lists before dnsConfig is applied. Undefined: the host's file without changes. */
function baseOf({ namespace, spec, host, clusterDns, hasOwnNetwork }: ResolvConfFacts): Resolver | undefined {
  const { dnsPolicy = 'ClusterFirst', dnsConfig, hostNetwork } = spec;
  if (dnsPolicy === 'None') return NOTHING;
  const own = parseResolvConf(host);
  const isCluster = dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && hostNetwork !== true);
  if (isCluster && clusterDns !== undefined) {
    const searches = [`${namespace}.svc.${CLUSTER_DOMAIN}`, `svc.${CLUSTER_DOMAIN}`, CLUSTER_DOMAIN, ...own.searches];
    return { nameservers: [clusterDns], searches: [...new Set(searches)], options: ['ndots:5'] };
  }
  if (clusterDns !== undefined && hasOwnNetwork) {
    // podrun's own: a kubelet has a file without the local resolver for this. Here, podrun's server asks it.
    const reachable = own.nameservers.map((address) => (isLoopback(address) ? clusterDns : address));
    return { ...own, nameservers: [...new Set(reachable)] };
  }
  return dnsConfig === undefined ? undefined : own;
}

/**
 * The event of a Pod in a network of its own that has the resolv.conf of the host. Undefined: it reaches one of the
 * servers, where there is a way out.
 */
export function unreachableResolver(host: string): EventDraft | undefined {
  const { nameservers } = parseResolvConf(host);
  return nameservers.every(isLoopback) ? noNames(nameservers) : undefined;
}

const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');

/**
 * Parses a resolv.conf. The last of several search lines counts. Source: pkg/kubelet/network/dns/dns.go
 * parseResolvConf.
 */
export function parseResolvConf(text: string): Resolver {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  const fields = (keyword: string): string[][] =>
    lines.filter(([first]) => first === keyword).map(([, ...rest]) => rest);
  const searches = fields('search').at(-1) ?? [];
  return {
    nameservers: fields('nameserver').flatMap(([address]) => address ?? []),
    searches: searches.filter((domain) => domain !== '.').map((domain) => domain.replace(/\.$/, '')),
    options: mergedOptions(fields('options').flat(), []),
  };
}

/**
 * Merges options. The last of two options with the same name counts. Source: pkg/kubelet/network/dns/dns.go
 * mergeDNSOptions.
 */
function mergedOptions(host: readonly string[], own: readonly PodDNSConfigOption[]): string[] {
  const options = new Map<string, string>();
  for (const option of host) options.set(option.split(':')[0] ?? '', option);
  for (const { name = '', value } of own) options.set(name, value ? `${name}:${value}` : name);
  return [...options.values()];
}

/** Source: pkg/kubelet/network/dns/dns.go formDNSSearchFitsLimits. */
function fittingSearches(searches: readonly string[]): string[] {
  const fitting = searches.slice(0, SEARCHES_MAX).filter((domain) => domain.length <= SEARCH_MAX);
  while (fitting.join(' ').length > SEARCH_LINE_MAX) fitting.pop();
  return fitting;
}

function resolvConfText({ nameservers, searches, options }: Resolver): string {
  return [
    searches.length === 0 ? '' : `search ${searches.join(' ')}\n`,
    ...nameservers.map((address) => `nameserver ${address}\n`),
    options.length === 0 ? '' : `options ${options.join(' ')}\n`,
  ].join('');
}
