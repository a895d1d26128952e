import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { guarded } from '../../defects.ts';
import { PodrunError } from '../../api/index.ts';
import {
  endWithAnswer,
  headerPairs,
  type NextConnection,
  passRequestOn,
  passUpgradeOn,
  sentOn,
} from '../../network/index.ts';
import { quietly } from '../../quietly.ts';
import type { ServerAddress } from '../http/kubeconfig.ts';
import { protocolsIn } from '../../apiserver/index.ts';

/** The headers of the page that the API server gets. The page sends no further ones that matter. */
const PASSED: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-length',
  'content-type',
  'sec-websocket-extensions',
  'sec-websocket-key',
  'sec-websocket-protocol',
  'sec-websocket-version',
  'user-agent',
]);

/** True for paths of the API. Not for proxies: a page of a Pod would be one of the dashboard. */
export function isPassedOn(url: string): boolean {
  const [path = ''] = url.split('?', 1);
  const decoded = quietly(() => decodeURIComponent(path));
  return decoded !== undefined && /^\/apis?\//.test(decoded) && !decoded.split('/').includes('proxy');
}

/**
 * Tries the API server.
 * @throws {PodrunError} when it does not answer
 */
export async function checkApiServer(api: ServerAddress): Promise<void> {
  const socket = connected(api);
  try {
    await once(socket, 'secureConnect');
  } catch (error) {
    const hint = 'Start it in another terminal: podrun serve.';
    throw new PodrunError('NotRunning', `the API server does not answer: ${(error as Error).message}`, { hint });
  } finally {
    socket.destroy();
  }
}

/** Passes a request on to the API server. */
export function passToApi(request: IncomingMessage, response: ServerResponse, api: ServerAddress): void {
  const refuse = (why: string): void =>
    void response.writeHead(BAD_GATEWAY, { 'content-type': 'text/plain' }).end(noAnswer(why));
  passRequestOn(request, response, {
    ...connectionFor(request, api),
    onError: ({ message }) => refuse(message),
    onRefusal: refuse,
  });
}

/** Passes a websocket on to the API server. */
export function passUpgradeToApi(
  request: IncomingMessage,
  client: { readonly client: Socket; readonly head: Buffer },
  api: ServerAddress,
): void {
  const refuse = (why: string): void =>
    endWithAnswer(client.client, { code: BAD_GATEWAY, type: 'text/plain', text: noAnswer(why) });
  passUpgradeOn(request, client, {
    ...connectionFor(request, api),
    onError: ({ message }) => refuse(message),
    onRefusal: refuse,
  });
}

const BAD_GATEWAY = 502;

const noAnswer = (why: string): string => `the API server does not answer: ${why}`;

function connectionFor({ rawHeaders, url: path = '/' }: IncomingMessage, api: ServerAddress): NextConnection {
  return { socket: connected(api), path, headers: headersFor(sentOn(rawHeaders), api) };
}

function connected({ url, ca }: ServerAddress): TLSSocket {
  const { hostname, port } = new URL(url);
  const options = { host: hostname, port: Number(port), ca, servername: 'localhost', ALPNProtocols: ['http/1.1'] };
  return guarded(connectTls(options));
}

/** The headers of the page for the API server, with the token of that in place of the session's. */
function headersFor(rawHeaders: readonly string[], { url, token }: ServerAddress): string[] {
  const kept = headerPairs(rawHeaders).filter(([name]) => PASSED.has(name.toLowerCase()));
  const own = ['Host', new URL(url).host, 'Authorization', `Bearer ${token}`];
  return [...kept.flatMap(([name, value]) => [name, withoutToken(name, value)]), ...own];
}

function withoutToken(name: string, value: string): string {
  return name.toLowerCase() === 'sec-websocket-protocol' ? protocolsIn(value).join(', ') : value;
}
