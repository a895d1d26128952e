import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { forwardedFor, headerPairs, passRequestOn, passUpgradeOn, sentOn } from '../base/pass-on.ts';
import { endWithAnswer } from '../base/raw-answer.ts';
import type { ServiceEndpoint } from '../base/service-listener.ts';
import { findRoute, type IngressRoute } from './routes.ts';

/** Connects to an endpoint. Rejects when it refuses. */
export type DialEndpoint = (endpoint: ServiceEndpoint) => Promise<Socket>;

/** Leads a request to an endpoint of its route, and the response back. */
export async function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  routes: readonly IngressRoute[],
  dial: DialEndpoint,
): Promise<void> {
  const refuse = (status: number, why: string): void => {
    // The connection may not be used again: the rest of the request is unread.
    outgoing.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(textOf(status, why));
  };
  const target = await connected(incoming, routes, dial);
  if ('status' in target) return refuse(target.status, target.why);
  const { url: path = '/' } = incoming;
  const headers = [...keptHeaders(sentOn(incoming.rawHeaders)), ...forwardedHeaders(incoming)];
  passRequestOn(incoming, outgoing, {
    socket: target.socket,
    path,
    headers,
    onError: (error) => refuse(BAD_GATEWAY, `${target.route.service}: ${error.message}`),
    onRefusal: (why) => refuse(BAD_GATEWAY, `${target.route.service}: ${why}`),
  });
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
  const target = await connected(incoming, routes, dial);
  const refuse = (code: number, why: string): void =>
    endWithAnswer(client, { code, type: 'text/plain', text: textOf(code, why) });
  if ('status' in target) return refuse(target.status, target.why);
  const { url: path = '/' } = incoming;
  const headers = [...keptHeaders(sentOn(incoming.rawHeaders)), ...forwardedHeaders(incoming)];
  passUpgradeOn(
    incoming,
    { client, head },
    {
      socket: target.socket,
      path,
      headers,
      onError: (error) => refuse(BAD_GATEWAY, `${target.route.service}: ${error.message}`),
      onRefusal: (why) => refuse(BAD_GATEWAY, `${target.route.service}: ${why}`),
    },
  );
}

const BAD_GATEWAY = 502;

function textOf(status: number, why: string): string {
  return `${status}: ${why}\n`;
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

const FORWARDED = 'X-Forwarded-';

/** All headers but the headers that podrun writes. */
function keptHeaders(rawHeaders: readonly string[]): string[] {
  return headerPairs(rawHeaders)
    .filter(([name]) => !isForwarded(name))
    .flat();
}

function isForwarded(name: string): boolean {
  return name.toLowerCase().startsWith(FORWARDED.toLowerCase());
}

/** The headers that tell a server who asked, and for what. A client on this machine may have set them before. */
function forwardedHeaders(incoming: IncomingMessage): string[] {
  const { headers, socket } = incoming;
  const isSecure = 'encrypted' in socket;
  const forwarded = {
    For: forwardedFor(incoming),
    Host: headers['x-forwarded-host'] ?? headers.host ?? '',
    Port: headers['x-forwarded-port'] ?? String(socket.localPort ?? 0),
    Proto: headers['x-forwarded-proto'] ?? (isSecure ? 'https' : 'http'),
  };
  return Object.entries(forwarded).flatMap(([name, value]) => [FORWARDED + name, String(value)]);
}
