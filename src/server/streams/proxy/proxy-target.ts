import { isIP, type Socket } from 'node:net';
import { dialHere, dialPod, endpointsFor, type ServiceEndpoint, slicesOf } from '../../../network/index.ts';
import type { StoredEndpointSlice, StoredPod, StoredService } from '../../../api/index.ts';
import { type ApiRequest, badRequestStatus, notFoundStatus, type ServerContext } from '../../../apiserver/index.ts';
import { relayOf } from '../pod-networks.ts';
import { serviceUnavailable } from '../unavailable.ts';

/** A place behind a proxy. */
export interface ProxyTarget {
  readonly isSecure: boolean;
  /** `ADDRESS:PORT`, as links of the program may name it. */
  readonly host: string;
  /** Rejects with the error of the connection. */
  readonly dial: () => Promise<Socket>;
}

/** The parts of `NAME`, `NAME:PORT` and `SCHEME:NAME:PORT`. */
export interface ProxyName {
  readonly scheme: 'http' | 'https';
  readonly name: string;
  /** Empty: none is given. */
  readonly port: string;
}

/** Undefined: a name of another form. Source: apimachinery/pkg/util/net SplitSchemeNamePort. */
export function readProxyName(text: string): ProxyName | undefined {
  const parts = text.split(':');
  const [first = '', second = '', third = ''] = parts;
  if (first === '' && parts.length < 3) return undefined;
  if (parts.length <= 2) return { scheme: 'http', name: first, port: second };
  const scheme = first === '' ? 'http' : first;
  if (parts.length > 3 || (scheme !== 'http' && scheme !== 'https') || second === '') return undefined;
  return { scheme, name: second, port: third };
}

const PORT_OF = { http: 80, https: 443 } as const;

/** @throws {StatusError} in the API server's words. Source: pkg/registry/core/pod/strategy.go ResourceLocation */
export function podTarget({ resource, namespace = '', name = '' }: ApiRequest, context: ServerContext): ProxyTarget {
  const target = readProxyName(name);
  if (target === undefined) throw badRequestStatus(`invalid pod request ${JSON.stringify(name)}`);
  const pod = context.store.get<StoredPod>('pods', namespace, target.name);
  if (pod === undefined) throw notFoundStatus(resource, target.name);
  if (pod.status.podIP === undefined) throw badRequestStatus('address not allowed');
  const port = target.port === '' ? (firstPort(pod) ?? PORT_OF[target.scheme]) : portNumber(target.port);
  if (port === undefined)
    throw badRequestStatus(`invalid port ${JSON.stringify(target.port)} of pod ${JSON.stringify(target.name)}`);
  const host = `${pod.status.podIP}:${port}`;
  return { isSecure: target.scheme === 'https', host, dial: () => dialPod(pod, port, relayOf(pod, context)) };
}

function firstPort({ spec }: StoredPod): number | undefined {
  return spec.containers.flatMap(({ ports = [] }) => ports).at(0)?.containerPort;
}

function portNumber(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port <= 65_535 ? port : undefined;
}

/**
 * An endpoint of a Service, at random. A port is given by its name or its number.
 * @throws {StatusError} in the API server's words. Source: pkg/registry/core/service/storage/storage.go
 */
export function serviceTarget(
  { resource, namespace = '', name = '' }: ApiRequest,
  context: ServerContext,
): ProxyTarget {
  const target = readProxyName(name);
  if (target === undefined) throw badRequestStatus(`invalid service request ${JSON.stringify(name)}`);
  const { store } = context;
  const service = store.get<StoredService>('services', namespace, target.name);
  if (service === undefined) throw notFoundStatus(resource, target.name);
  const ports = service.spec?.ports ?? [];
  const number = portNumber(target.port);
  const byNumber = ports.find(({ port }) => port === number);
  if (number !== undefined && byNumber === undefined) {
    throw serviceUnavailable(`no service port ${number} found for service ${JSON.stringify(target.name)}`);
  }
  const port = byNumber ?? ports.find((one) => (one.name ?? '') === target.port);
  const slices = slicesOf(service, store.list<StoredEndpointSlice>('endpointslices', { namespace }));
  const endpoints = port === undefined ? [] : endpointsFor(port, slices);
  const endpoint = endpoints[Math.floor(Math.random() * endpoints.length)];
  if (endpoint === undefined)
    throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(target.name)}`);
  const host = `${endpoint.address}:${endpoint.port}`;
  return { isSecure: target.scheme === 'https', host, dial: () => dialEndpoint(endpoint, namespace, context) };
}

/** Connects to a Pod in its network, and to all other endpoints from this machine. */
function dialEndpoint({ address, port }: ServiceEndpoint, namespace: string, context: ServerContext): Promise<Socket> {
  const pods = isIP(address) === 0 ? [] : context.store.list<StoredPod>('pods', { namespace });
  const pod = pods.find(({ status }) => status.podIP === address);
  return pod === undefined ? dialHere(address, port) : dialPod(pod, port, relayOf(pod, context));
}
