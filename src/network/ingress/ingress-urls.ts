import { usage } from '../../api/index.ts';
import type { FileStore } from '../../store/index.ts';
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

/** The ports on which Ingresses are served. */
export interface RequestedIngressPorts {
  readonly http: number;
  readonly https: number;
}

const FORM = /^(\d{1,5}),(\d{1,5})$/;
const HIGHEST = 65_535;

/** Reads the ports for HTTP and HTTPS: `8080,8443`. Undefined: another form. */
export function parseIngressPorts(text: string): RequestedIngressPorts | undefined {
  const [http = 0, https = 0] = FORM.exec(text)?.slice(1).map(Number) ?? [];
  const isValid = [http, https].every((port) => port > 0 && port <= HIGHEST) && http !== https;
  return isValid ? { http, https } : undefined;
}

/**
 * The ports that a flag names, else the ports of podrun.yaml. Undefined: none are requested.
 * @throws {PodrunError} (usage) for a flag of another form
 */
export function requestedIngressPorts(
  flag: string | undefined,
  file: RequestedIngressPorts | undefined,
): RequestedIngressPorts | undefined {
  if (flag === undefined) return file;
  const ports = parseIngressPorts(flag);
  if (ports !== undefined) return ports;
  throw usage(`--ingress-port: ${JSON.stringify(flag)} is not two ports`, 'write HTTP,HTTPS, for example 8080,8443');
}

/** The status of an Ingress that no agent serves. */
export const UNSERVED = { loadBalancer: {} };

/**
 * Takes their addresses from Ingresses whose agent was killed: an agent serves an Ingress together with its Services.
 * @throws {PodrunError} when the store cannot be written to
 */
export function settleIngresses(store: FileStore): void {
  for (const ingress of store.list<StoredIngress>('ingresses')) {
    const { namespace, name } = ingress.metadata;
    const isServed = servicesOfIngress(ingress).some((service) => store.owners.isOwned(namespace, service, 'services'));
    if (isServed || ingress.status?.loadBalancer?.ingress === undefined) continue;
    store.change<StoredIngress>('ingresses', { namespace, name }, 'status', (stored) => ({
      ...stored,
      status: UNSERVED,
    }));
  }
}
