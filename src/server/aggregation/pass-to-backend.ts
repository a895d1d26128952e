import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  type AggregatedVersion,
  type ApiAnswer,
  type ApiUser,
  backendHost,
  connectBackend,
  frontProxyHeaders,
  type ServerContext,
  type UpgradedSocket,
} from '../../apiserver/index.ts';
import { endWithAnswer, forwardedFor, type NextConnection, passRequestOn, passUpgradeOn } from '../../network/index.ts';
import { goNetworkError } from '../../runtime/index.ts';
import { headersForProgram } from '../streams/proxy/passed-headers.ts';

/** A request for another API server. */
interface PassedRequest {
  readonly version: AggregatedVersion;
  readonly raw: IncomingMessage;
  readonly user: ApiUser;
}

/** Source: kube-aggregator/pkg/apiserver/handler_proxy.go. */
const UNAVAILABLE = 'service unavailable';
const CODE = 503;
const PLAIN = 'text/plain; charset=utf-8';

/** Passes a request on to the API server of its group, as its user. An error is a plain text, as from a real server. */
export async function passToBackend(request: PassedRequest, context: ServerContext): Promise<ApiAnswer> {
  const next = await nextConnection(request, context);
  if (typeof next === 'string')
    return { text: `${next}\n`, type: PLAIN, code: CODE, headers: { 'X-Content-Type-Options': 'nosniff' } };
  const { raw } = request;
  const stream = (response: ServerResponse): Promise<void> =>
    new Promise((resolve) => {
      endsWithServer(next.socket, context);
      response.once('close', resolve);
      const refuse = (why: string): void => {
        if (response.headersSent) return void response.destroy();
        response.writeHead(CODE, { 'content-type': PLAIN, 'x-content-type-options': 'nosniff' });
        response.end(`${unreachable(why)}\n`);
      };
      passRequestOn(raw, response, { ...next, onError: (error) => refuse(words(error)), onRefusal: refuse });
    });
  return { stream };
}

/** Passes a connection on to the API server of its group. */
export async function passUpgradeToBackend(
  request: PassedRequest,
  { socket: client, head, onRefusal }: UpgradedSocket,
  context: ServerContext,
): Promise<void> {
  const next = await nextConnection(request, context);
  const refuse = (text: string): void => {
    onRefusal(CODE);
    endWithAnswer(client, { code: CODE, type: PLAIN, text: `${text}\n` });
  };
  if (typeof next === 'string') return refuse(next);
  endsWithServer(next.socket, context);
  await new Promise<void>((resolve) => {
    client.once('close', resolve);
    passUpgradeOn(
      request.raw,
      { client: client as Socket, head },
      {
        ...next,
        onError: (error) => refuse(unreachable(words(error))),
        onRefusal: (why) => refuse(unreachable(why)),
        onOtherAnswer: onRefusal,
      },
    );
  });
}

/** The connection to the other API server, or the text of the answer when there is none. */
async function nextConnection(
  { version, raw, user }: PassedRequest,
  context: ServerContext,
): Promise<NextConnection | string> {
  if (!version.isAvailable) return UNAVAILABLE;
  const { url: path = '' } = raw;
  const about = [...frontProxyHeaders(user), ['X-Forwarded-For', forwardedFor(raw)], ['X-Forwarded-Uri', path]];
  const own = headersForProgram(raw.rawHeaders).headers;
  const headers = ['Host', backendHost(version.backend, context), ...withoutHost(own), ...about.flat()];
  try {
    return { socket: await connectBackend(version, context), path, headers };
  } catch (error) {
    return unreachable(words(error));
  }
}

function withoutHost(headers: readonly string[]): string[] {
  return headers.filter((_, index) => headers[index - (index % 2)]?.toLowerCase() !== 'host');
}

const words = (error: unknown): string => goNetworkError(error, { ends: '', hasReceived: false });

const unreachable = (why: string): string => `error trying to reach service: ${why}`;

/** Ends a connection when the server begins to close: a watch has no end of its own. */
function endsWithServer(socket: Socket, { signal }: ServerContext): void {
  const end = (): void => void socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', end));
}
