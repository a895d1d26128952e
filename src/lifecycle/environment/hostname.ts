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
 * What a Pod and its domain are called: `spec.hostname`, else the name of the Pod, which is cut where it is too long.
 * Source: pkg/kubelet/kubelet_pods.go GeneratePodHostNameAndDomain.
 */
export function hostnameAndDomain({ metadata, spec }: StoredPod): { hostname: string; domain: string | undefined } {
  if (spec.hostnameOverride) return { hostname: spec.hostnameOverride, domain: undefined };
  const hostname = spec.hostname || metadata.name.slice(0, LABEL_MAX).replace(/[-.]+$/, '');
  const domain = spec.subdomain ? `${spec.subdomain}.${metadata.namespace}.svc.${CLUSTER_DOMAIN}` : undefined;
  return { hostname, domain };
}

/**
 * What a Pod is called inside: with its domain behind it where the Pod wants that.
 * Source: pkg/kubelet/util/util.go GetNodenameForKernel.
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
