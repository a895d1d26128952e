import type { HostAlias } from '../../api/index.ts';

/** The names and addresses of a Pod with addresses of its own. */
export interface HostsFileFacts {
  readonly podIPs: readonly string[];
  readonly hostname: string;
  /** Undefined: the Pod has none. */
  readonly domain: string | undefined;
  readonly aliases: readonly HostAlias[];
}

const LOOPBACK = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
];

/** The text of a Pod's /etc/hosts. Source: pkg/kubelet/kubelet_pods.go managedHostsFileContent. */
export function managedHostsFile({ podIPs, hostname, domain, aliases }: HostsFileFacts): string {
  const names = domain === undefined ? [hostname] : [`${hostname}.${domain}`, hostname];
  const own = podIPs.map((ip) => [ip, ...names].join('\t'));
  return `${['# Kubernetes-managed hosts file.', ...LOOPBACK, ...own].join('\n')}\n${entriesOf(aliases)}`;
}

/**
 * The text of /etc/hosts for a Pod in the network of the host. Source: pkg/kubelet/kubelet_pods.go
 * nodeHostsFileContent.
 * @param host the text of the host's file
 */
export function nodeHostsFile(host: string, aliases: readonly HostAlias[]): string {
  return `# Kubernetes-managed hosts file (host network).\n${host}${entriesOf(aliases)}`;
}

function entriesOf(aliases: readonly HostAlias[]): string {
  const lines = aliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join('\t')}\n`);
  return lines.length === 0 ? '' : `\n# Entries added by HostAliases.\n${lines.join('')}`;
}
