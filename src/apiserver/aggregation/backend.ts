import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { parseJson, type StoredService } from '../../api/index.ts';
import type { ServerContext } from '../base/context.ts';
import type { ApiUser } from '../base/request.ts';
import type { AggregatedVersion, BackendService } from '../resources/aggregated-table.ts';
import { askServer, type CalledServer, dialSecurely } from '../services/ask-server.ts';
import { dialService } from '../services/dial-service.ts';
import { frontProxyHeaders } from './front-proxy.ts';

/** The parts of a server that calls of other API servers need; see ServerContext. */
export type BackendCaller = Pick<ServerContext, 'clock' | 'closed' | 'objects' | 'node' | 'config'>;

/** The user as whom this server asks other API servers about themselves. Source: kube-aggregator. */
export const AGGREGATOR: ApiUser = { name: 'system:kube-aggregator', groups: ['system:masters'] };

/** Source: kube-aggregator, the time for an answer about discovery. */
const TIMEOUT_MS = 5000;
const DOCUMENT_BYTES_MAX = 32 * 1024 * 1024;

/** A request that this server makes itself. */
interface BackendQuestion {
  /** Default: GET. */
  readonly method?: 'GET' | 'DELETE';
  readonly path: string;
  readonly user: ApiUser;
  /** True: any certificate will do. The answer is not believed then, but for its code. */
  readonly isUnverified?: boolean;
}

/** Asks another API server. Rejects in the words of a Go client. */
export function askBackend(
  backend: BackendService,
  { method = 'GET', path, user, isUnverified = backend.isUnverified }: BackendQuestion,
  caller: BackendCaller,
): Promise<{ readonly code: number; readonly body: Buffer }> {
  const host = backendHost(backend, caller);
  const address = `https://${host}${path}`;
  const server: CalledServer = {
    url: new URL(path, `https://${serverName(backend)}`),
    host,
    address,
    tls: tlsOf({ ...backend, isUnverified }, caller),
    dial: () => dialBackend(backend, caller),
  };
  const headers: Record<string, string[]> = { Accept: ['application/json'] };
  for (const [name, value] of frontProxyHeaders(user)) (headers[name] ??= []).push(value);
  return askServer(server, { method, headers, timeoutMs: TIMEOUT_MS, bytesMax: DOCUMENT_BYTES_MAX }, caller);
}

/** The answer of another API server as JSON. Rejects with another code than 200. */
export async function readBackend(
  backend: BackendService,
  question: BackendQuestion,
  caller: BackendCaller,
): Promise<unknown> {
  const { code, body } = await askBackend(backend, question, caller);
  if (code < 200 || code >= 300) throw new Error(`bad status from ${question.path}: ${code}`);
  return parseJson(body);
}

/** Begins a connection to another API server, with the certificate of the front proxy. */
export function connectBackend({ backend }: AggregatedVersion, caller: BackendCaller): Promise<TLSSocket> {
  return dialSecurely(tlsOf(backend, caller), () => dialBackend(backend, caller));
}

/** The host and the port of another API server, as it is to see them: the address of its Service. */
export function backendHost(backend: BackendService, { objects }: Pick<ServerContext, 'objects'>): string {
  const { clusterIP = '', type, externalName = '' } = serviceOf(backend, objects)?.spec ?? {};
  if (type === 'ExternalName') return `${externalName}:${backend.port}`;
  return `${clusterIP === '' || clusterIP === 'None' ? serverName(backend) : clusterIP}:${backend.port}`;
}

function serviceOf({ namespace, name }: BackendService, objects: ServerContext['objects']): StoredService | undefined {
  return objects.get('services', namespace, name) as StoredService | undefined;
}

/** The name in the certificate. */
function serverName({ namespace, name }: BackendService): string {
  return `${name}.${namespace}.svc`;
}

function tlsOf(backend: BackendService, { config }: BackendCaller): CalledServer['tls'] {
  const { client } = config.frontProxy ?? {};
  return {
    ...(client && { cert: client.certificate, key: client.key }),
    servername: serverName(backend),
    rejectUnauthorized: !backend.isUnverified,
    ...(backend.ca !== undefined && { ca: backend.ca }),
  };
}

function dialBackend(backend: BackendService, caller: BackendCaller): Promise<Socket> {
  const service = serviceOf(backend, caller.objects);
  if (service?.spec?.type === 'ExternalName')
    return Promise.reject(new Error('podrun connects to programs of this machine only'));
  return dialService(service, backend, caller);
}
