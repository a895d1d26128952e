import { CLUSTER_DOMAIN, type HostAlias, type StoredPod } from '../../api/index.ts';

/** The names and addresses of a Pod with addresses of its own. */
interface HostsFileFacts {
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

const LABEL_MAX = 63;
/** The longest hostname of a Linux kernel. */
const FQDN_MAX = 64;

type Hostname =
  | { readonly ok: true; readonly hostname: string }
  /** The sandbox cannot be created. The message is the kubelet's. */
  | { readonly ok: false; readonly message: string };

/**
 * The hostname and domain of a Pod: `spec.hostname`, else the name of the Pod, cut to the length of a label. Source:
 * pkg/kubelet/kubelet_pods.go GeneratePodHostNameAndDomain.
 */
export function hostnameAndDomain({ metadata, spec }: StoredPod): { hostname: string; domain: string | undefined } {
  if (spec.hostnameOverride) return { hostname: spec.hostnameOverride, domain: undefined };
  const hostname = spec.hostname || metadata.name.slice(0, LABEL_MAX).replace(/(?<![-.])[-.]+$/, '');
  const domain = spec.subdomain ? `${spec.subdomain}.${metadata.namespace}.svc.${CLUSTER_DOMAIN}` : undefined;
  return { hostname, domain };
}

/**
 * The hostname inside a Pod. With setHostnameAsFQDN it includes the domain. Source: pkg/kubelet/util/util.go
 * GetNodenameForKernel.
 */
export function podHostname(pod: StoredPod): Hostname {
  const { hostname, domain } = hostnameAndDomain(pod);
  if (pod.spec.setHostnameAsFQDN !== true || domain === undefined) return { ok: true, hostname };
  const fqdn = `${hostname}.${domain}`;
  if (fqdn.length <= FQDN_MAX) return { ok: true, hostname: fqdn };
  const message =
    `failed to construct FQDN from pod hostname and cluster domain, FQDN ${fqdn} is too long ` +
    `(${FQDN_MAX} characters is the max, ${fqdn.length} characters requested)`;
  return { ok: false, message };
}
