import { CLUSTER_DOMAIN, type StoredPod } from '../../api/index.ts';

const LABEL_MAX = 63;
/** The longest hostname of a Linux kernel. */
const FQDN_MAX = 64;

export type Hostname =
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
