import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { ServiceEndpoint } from '../service-listener.ts';
import { splice } from '../splice.ts';
import { findRoute, type IngressRoute } from './routes.ts';

/** Connects to an endpoint. Rejects when it refuses. */
export type DialEndpoint = (endpoint: ServiceEndpoint) => Promise<Socket>;

/** The headers of one connection. Node writes those of the next one. Source: RFC 9110, 7.6.1. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Leads a request to an endpoint of its route, and the response back. */
export async function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  routes: readonly IngressRoute[],
  dial: DialEndpoint,
): Promise<void> {
  const refuse = (status: number, why: string): void => {
    if (outgoing.headersSent) return void outgoing.destroy();
    // The connection may not be used again: nobody has read the rest of the request.
    outgoing.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${status}: ${why}\n`);
  };
  const found = await connected(incoming, routes, dial);
  if ('status' in found) return refuse(found.status, found.why);
  const { method, url: path } = incoming;
  const headers = [...sentOn(incoming.rawHeaders), ...forwardedHeaders(incoming), 'Connection', 'close'];
  const asked = request({ method, path, headers, createConnection: () => found.socket });
  asked.on('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, sentOn(answer.rawHeaders));
    outgoing.flushHeaders();
    pipeline(answer, outgoing, () => undefined);
  });
  asked.on('error', (error) => refuse(502, `${found.route.service}: ${error.message}`));
  outgoing.once('close', () => asked.destroy());
  pipeline(incoming, asked, () => undefined);
}

/** Leads the connection of a request for another protocol (WebSocket) to an endpoint of its route. */
export async function forwardUpgrade(
  incoming: IncomingMessage,
  client: Socket,
  head: Buffer,
  routes: readonly IngressRoute[],
  dial: DialEndpoint,
): Promise<void> {
  client.on('error', () => undefined);
  const found = await connected(incoming, routes, dial);
  if ('status' in found) return void client.end(`HTTP/1.1 ${found.status} ${found.why}\r\nConnection: close\r\n\r\n`);
  if (client.destroyed) return void found.socket.destroy();
  const { method = 'GET', url = '/', rawHeaders } = incoming;
  const headers = [
    ...pairsOf(rawHeaders).filter(([name]) => !isForwarded(name)),
    ...pairsOf(forwardedHeaders(incoming)),
  ];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  found.socket.write(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`);
  found.socket.write(head);
  splice(client, found.socket);
}

type Connected =
  | { readonly socket: Socket; readonly route: IngressRoute }
  /** The response when no endpoint takes the request. */
  | { readonly status: number; readonly why: string };

/** Connects to the first endpoint that accepts, in random order. */
async function connected(
  { url = '/', headers }: IncomingMessage,
  routes: readonly IngressRoute[],
  dial: DialEndpoint,
): Promise<Connected> {
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  const [path = '/'] = url.split(/[?#]/);
  const route = findRoute(routes, host, path);
  if (route === undefined) return { status: 404, why: `no Ingress has a rule for ${host}${path}` };
  const order = route.endpoints.map((endpoint) => ({ endpoint, rank: Math.random() }));
  for (const { endpoint } of order.toSorted((a, b) => a.rank - b.rank)) {
    const socket = await dial(endpoint).catch(() => undefined);
    if (socket !== undefined) return { socket, route };
  }
  return { status: 503, why: `${route.service} has no endpoint that accepts connections` };
}

/** The headers that go on to the next connection, in their order, with repetitions. */
function sentOn(rawHeaders: readonly string[]): string[] {
  const named = new Set(
    pairsOf(rawHeaders)
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) => value.split(',').map((each) => each.trim().toLowerCase())),
  );
  return pairsOf(rawHeaders)
    .filter(([name]) => {
      const lower = name.toLowerCase();
      return !OF_CONNECTION.has(lower) && !named.has(lower) && !isForwarded(name);
    })
    .flat();
}

const FORWARDED = 'X-Forwarded-';

function isForwarded(name: string): boolean {
  return name.toLowerCase().startsWith(FORWARDED.toLowerCase());
}

/** The headers that tell a server who asked, and for what. A client on this machine may have set them before. */
function forwardedHeaders({ headers, socket }: IncomingMessage): string[] {
  const isSecure = 'encrypted' in socket;
  const { remoteAddress = '', localPort = 0 } = socket;
  const address = isIPv6(remoteAddress) ? remoteAddress.replace(/^::ffff:/, '') : remoteAddress;
  const before = headers['x-forwarded-for'];
  const told = {
    For: before === undefined ? address : `${String(before)}, ${address}`,
    Host: headers['x-forwarded-host'] ?? headers.host ?? '',
    Port: headers['x-forwarded-port'] ?? String(localPort),
    Proto: headers['x-forwarded-proto'] ?? (isSecure ? 'https' : 'http'),
  };
  return Object.entries(told).flatMap(([name, value]) => [FORWARDED + name, String(value)]);
}

function pairsOf(rawHeaders: readonly string[]): [name: string, value: string][] {
  return rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  );
}
