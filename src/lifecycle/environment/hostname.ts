import type { StoredPod } from '../../api/objects.ts';

const LABEL_MAX = 63;
/** What a Linux kernel can hold. */
const FQDN_MAX = 64;
const CLUSTER_DOMAIN = 'cluster.local';

export type Hostname =
  | { readonly ok: true; readonly hostname: string }
  /** The Pod's environment cannot be made; kubelet's words. */
  | { readonly ok: false; readonly message: string };

/**
 * What a Pod is called inside: `spec.hostname`, else its name, which is cut where it is too long; with its domain
 * behind it where the Pod wants that.
 * Source: pkg/kubelet/kubelet_pods.go GeneratePodHostNameAndDomain, pkg/kubelet/util/util.go GetNodenameForKernel.
 */
export function podHostname({ metadata, spec }: StoredPod): Hostname {
  if (spec.hostnameOverride) return { ok: true, hostname: spec.hostnameOverride };
  const short = spec.hostname || metadata.name.slice(0, LABEL_MAX).replace(/[-.]+$/, '');
  if (spec.setHostnameAsFQDN !== true || !spec.subdomain) return { ok: true, hostname: short };
  const fqdn = `${short}.${spec.subdomain}.${metadata.namespace}.svc.${CLUSTER_DOMAIN}`;
  if (fqdn.length <= FQDN_MAX) return { ok: true, hostname: fqdn };
  const message =
    `failed to construct FQDN from pod hostname and cluster domain, FQDN ${fqdn} is too long ` +
    `(${FQDN_MAX} characters is the max, ${fqdn.length} characters requested)`;
  return { ok: false, message };
}
