import type { PodDNSConfigOption, PodSpec } from '../../api/generated/types.ts';

/** The lists of a resolv.conf, each in its order. */
interface Resolver {
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

/**
 * The text of a Pod's /etc/resolv.conf. Undefined: the Pod uses the file of the host. podrun has no cluster DNS: for
 * ClusterFirst it falls back to the host's DNS, as a kubelet without cluster DNS does. Source:
 * pkg/kubelet/network/dns/dns.go GetPodDNS; the file is the container runtime's: containerd parseDNSOptions.
 * @param host the text of the host's file
 */
export function podResolvConf({ dnsPolicy, dnsConfig }: PodSpec, host: string): string | undefined {
  if (dnsPolicy !== 'None' && dnsConfig === undefined) return undefined;
  const base = dnsPolicy === 'None' ? NOTHING : parseResolvConf(host);
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  return resolvConfText({
    nameservers: [...new Set([...base.nameservers, ...nameservers])].slice(0, NAMESERVERS_MAX),
    searches: fittingSearches([...new Set([...base.searches, ...searches])]),
    options: mergedOptions(base.options, options),
  });
}

/**
 * Parses a resolv.conf. The last of several search lines counts. Source: pkg/kubelet/network/dns/dns.go
 * parseResolvConf.
 */
function parseResolvConf(text: string): Resolver {
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
