import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  StoredEndpointSlice,
  StoredKubeObject,
  StoredService,
} from '../../api/index.ts';
import { endpointsFor, slicesOf } from '../base/listeners-of-services.ts';
import type { ServiceEndpoint } from '../base/service-listener.ts';

export type StoredIngress = StoredKubeObject & Ingress;

/** The requests that one path of an Ingress takes, and where they go. */
export interface IngressRoute {
  /** A name, a wildcard `*.NAME`, or nothing for all hosts. */
  readonly host: string;
  readonly path: string;
  /** `default`: all that no other route takes. */
  readonly type: 'exact' | 'prefix' | 'default';
  /** The Service as messages name it. */
  readonly service: string;
  readonly endpoints: readonly ServiceEndpoint[];
}

/**
 * The routes of Ingresses, the first match first: exact hosts before wildcards before rules without a host, then the
 * longest path, then exact paths, then the oldest Ingress.
 * Source: the concept page of Kubernetes about Ingress, "Path types" and "Multiple matches".
 */
export function routesOf(
  ingresses: readonly StoredIngress[],
  services: readonly StoredService[],
  slices: readonly StoredEndpointSlice[],
): IngressRoute[] {
  const oldest = ingresses.toSorted((a, b) => Date.parse(created(a)) - Date.parse(created(b)));
  const routes = oldest.flatMap(({ metadata: { namespace }, spec = {} }) => {
    const target = (backend: IngressBackend): Pick<IngressRoute, 'service' | 'endpoints'> =>
      targetOf(backend, namespace, services, slices);
    const paths = (spec.rules ?? []).flatMap(({ host = '', http }) =>
      (http?.paths ?? []).map((path) => ({ host, ...matchOf(path), ...target(path.backend) })),
    );
    const { defaultBackend } = spec;
    if (defaultBackend === undefined) return paths;
    return [...paths, { host: '', path: '', type: 'default' as const, ...target(defaultBackend) }];
  });
  return routes.toSorted((a, b) => hostRank(a) - hostRank(b) || pathOrder(a, b));
}

/** The route of a request. Undefined: none takes it. @param path without its query */
export function findRoute(routes: readonly IngressRoute[], host: string, path: string): IngressRoute | undefined {
  return routes.find((route) => takesHost(route.host, host.toLowerCase()) && takesPath(route, path));
}

/** True when a host of an Ingress stands for a host of a request. A wildcard stands for one label. */
export function takesHost(wanted: string, host: string): boolean {
  if (wanted === '' || wanted === host) return true;
  return wanted.startsWith('*.') && host.slice(Math.max(host.indexOf('.'), 0)) === wanted.slice(1) && host[0] !== '.';
}

function takesPath({ type, path }: IngressRoute, requestPath: string): boolean {
  if (type === 'default') return true;
  if (type === 'exact') return path === requestPath;
  const [wanted, elements] = [elementsOf(path), elementsOf(requestPath)];
  return wanted.every((element, index) => element === elements[index]);
}

/** The elements of a path. A slash at its end counts for nothing. */
function elementsOf(path: string): string[] {
  return path.replace(/\/$/, '').split('/').slice(1);
}

function matchOf({ path = '', pathType }: HTTPIngressPath): Pick<IngressRoute, 'path' | 'type'> {
  return { path: path || '/', type: pathType === 'Exact' ? 'exact' : 'prefix' };
}

function targetOf(
  { service: wanted, resource }: IngressBackend,
  namespace: string,
  services: readonly StoredService[],
  slices: readonly StoredEndpointSlice[],
): Pick<IngressRoute, 'service' | 'endpoints'> {
  if (wanted === undefined) return { service: `${resource?.kind} ${resource?.name}`, endpoints: [] };
  const { name, port = {} } = wanted;
  const text = `service ${namespace}/${name}, port ${port.number || port.name}`;
  const service = services.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  const servicePort = service?.spec?.ports?.find((one) =>
    port.number ? one.port === port.number : one.name === port.name,
  );
  if (service?.spec?.type === 'ExternalName') {
    return { service: text, endpoints: externalEndpoints(service, servicePort?.port ?? port.number) };
  }
  if (service === undefined || servicePort === undefined) return { service: text, endpoints: [] };
  return { service: text, endpoints: endpointsFor(servicePort, slicesOf(service, slices)) };
}

/** The host that a Service of type ExternalName names. It may do so without ports. */
function externalEndpoints({ spec }: StoredService, port: number | undefined): ServiceEndpoint[] {
  const address = spec?.externalName?.replace(/\.$/, '');
  return address === undefined || !port ? [] : [{ address, port }];
}

/** Default backends come last, whatever their host. */
function hostRank({ host, type }: IngressRoute): number {
  if (type === 'default') return 3;
  if (host === '') return 2;
  return host.startsWith('*') ? 1 : 0;
}

/** The longer path comes first; an exact path before a prefix of the same length. */
function pathOrder(a: IngressRoute, b: IngressRoute): number {
  if (a.path.length !== b.path.length) return b.path.length - a.path.length;
  return Number(a.type !== 'exact') - Number(b.type !== 'exact');
}

function created({ metadata }: StoredIngress): string {
  return metadata.creationTimestamp ?? '';
}
