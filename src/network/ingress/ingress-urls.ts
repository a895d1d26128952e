import type { StoredIngress } from './routes.ts';

/** The ports that Ingresses are served on. Undefined: no such server. */
export interface IngressPorts {
  readonly http: number | undefined;
  readonly https: number | undefined;
}

/** The addresses at which a browser on this machine finds an Ingress: one for each host. */
export function ingressUrls({ spec = {} }: StoredIngress, { http, https }: IngressPorts): string[] {
  const secure = new Set((spec.tls ?? []).flatMap(({ hosts = [] }) => hosts));
  const rules = (spec.rules ?? []).map(({ host }) => host ?? '');
  const hosts = new Set(spec.defaultBackend === undefined ? rules : [...rules, '']);
  return [...hosts].flatMap((host) => {
    const isSecure = https !== undefined && secure.has(host);
    const port = isSecure ? https : http;
    if (port === undefined) return [];
    // A wildcard is no name: any label in its place is.
    const hostname = host === '' ? 'localhost' : host.replace(/^\*/, 'any');
    return [`${isSecure ? 'https' : 'http'}://${hostname}:${port}/`];
  });
}

/** The Services that an Ingress names. */
export function servicesOfIngress({ spec = {} }: StoredIngress): string[] {
  const backends = (spec.rules ?? []).flatMap(({ http }) => (http?.paths ?? []).map(({ backend }) => backend));
  const all = spec.defaultBackend === undefined ? backends : [...backends, spec.defaultBackend];
  return [...new Set(all.flatMap(({ service }) => service?.name ?? []))];
}

const CONTROLLERS = /(^|\.)ingress\.kubernetes\.io\/|^(cert-manager\.io|haproxy\.org|konghq\.com|nginx\.org)\//;

/** The annotations that a controller for Ingresses would follow. */
export function controllerAnnotations({ metadata }: StoredIngress): string[] {
  return Object.keys(metadata.annotations ?? {}).filter((key) => CONTROLLERS.test(key));
}
