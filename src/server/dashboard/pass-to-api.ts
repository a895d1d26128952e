import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { PodrunError } from '../../api/errors.ts';
import { headerPairs, passRequestOn, passUpgradeOn, sentOn } from '../../network/pass-on.ts';
import type { ServerAddress } from '../http/kubeconfig.ts';
import { TOKEN_PROTOCOL } from '../http/authenticate.ts';

/** Headers that belong to the dashboard: the API server gets its own. */
const REPLACED: ReadonlySet<string> = new Set(['authorization', 'cookie', 'host', 'origin', 'referer']);

/** True for paths of the API. Not for proxies: a page of a Pod would be one of the dashboard. */
export function isPassedOn(url: string): boolean {
  return /^\/apis?\//.test(url) && !/\/proxy([/?]|$)/.test(url);
}

/**
 * Tries the API server.
 * @throws {PodrunError} when it does not answer
 */
export async function checkThatApiAnswers(api: ServerAddress): Promise<void> {
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
  const socket = connected(api);
  passRequestOn(request, response, {
    socket,
    path: request.url ?? '/',
    headers: headersFor(sentOn(request.rawHeaders), api),
    onError: (error) => {
      const text = `the API server does not answer: ${error.message}`;
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { 'content-type': 'text/plain' }).end(text);
    },
  });
}

/** Passes a websocket on to the API server. */
export function passUpgradeToApi(
  request: IncomingMessage,
  client: { readonly client: Socket; readonly head: Buffer },
  api: ServerAddress,
): void {
  const socket = connected(api);
  // Passed on once it is open: a refused connection ends the client's.
  socket.once('error', () => client.client.destroy());
  socket.once('secureConnect', () => {
    passUpgradeOn(request, client, { socket, path: request.url ?? '/', headers: headersFor(request.rawHeaders, api) });
  });
}

function connected({ url, ca }: ServerAddress): TLSSocket {
  const { hostname, port } = new URL(url);
  return connectTls({ host: hostname, port: Number(port), ca, servername: 'localhost', ALPNProtocols: ['http/1.1'] });
}

/** The headers of the page for the API server, with the token of that in place of the session's. */
function headersFor(rawHeaders: readonly string[], { url, token }: ServerAddress): string[] {
  const kept = headerPairs(rawHeaders).filter(([name]) => !REPLACED.has(name.toLowerCase()));
  return [...kept.flatMap(([name, value]) => [name, withoutToken(name, value)]), 'Host', new URL(url).host].concat([
    'Authorization',
    `Bearer ${token}`,
  ]);
}

function withoutToken(name: string, value: string): string {
  if (name.toLowerCase() !== 'sec-websocket-protocol') return value;
  return value
    .split(/ *, */)
    .filter((word) => !word.startsWith(TOKEN_PROTOCOL))
    .join(', ');
}
