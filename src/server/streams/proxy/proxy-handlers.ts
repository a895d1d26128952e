import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { guarded } from '../../../defects.ts';
import { forwardedFor, passRequestOn, passUpgradeOn } from '../../../network/index.ts';
import { goNetworkError } from '../../../runtime/index.ts';
import type {
  ApiAnswer,
  ApiRequest,
  ServerContext,
  SubresourceHandlers,
  UpgradedSocket,
} from '../../../apiserver/index.ts';
import { headersForProgram } from './passed-headers.ts';
import { headersForClient, isPage, pageHeaders, type ProxiedLink } from './proxied-link.ts';
import { podTarget, type ProxyTarget, serviceTarget } from './proxy-target.ts';
import { badGateway, serviceUnavailable } from '../unavailable.ts';

type FindTarget = (request: ApiRequest, context: ServerContext) => ProxyTarget;

/** `pods/proxy` and `services/proxy`: requests of any method and path are forwarded to a program. */
export const POD_PROXY: SubresourceHandlers = proxyHandlers(podTarget);
export const SERVICE_PROXY: SubresourceHandlers = proxyHandlers(serviceTarget);

function proxyHandlers(find: FindTarget): SubresourceHandlers {
  return {
    connect: async (request, context) => {
      const target = find(request, context);
      return redirectToRoot(request) ?? passOn(request, target, await dialed(target));
    },
    upgrade: (request, upgraded, context) => upgradeTo(request, upgraded, find(request, context)),
  };
}

/** The redirect of a path without a slash at its end, so that relative links of the program work. */
function redirectToRoot({ raw, rest }: ApiRequest): ApiAnswer | undefined {
  const { method = 'GET', url = '' } = raw;
  if (rest !== '' || !['GET', 'HEAD'].includes(method)) return undefined;
  const [path = '', query] = url.split('?', 2);
  const location = `${path}/${query === undefined ? '' : `?${query}`}`;
  return { stream: (response) => void response.writeHead(301, { location }).end() };
}

/** @throws {StatusError} when nothing accepts the connection */
async function dialed({ isSecure, dial }: ProxyTarget): Promise<Socket> {
  try {
    const socket = await dial();
    return isSecure ? await encrypted(socket) : socket;
  } catch (error) {
    throw unreachable(error);
  }
}

function unreachable(error: unknown): Error {
  return serviceUnavailable(
    `error trying to reach service: ${goNetworkError(error, { ends: '', hasReceived: false })}`,
  );
}

/** As on a real server, certificates are not checked: programs have their own. */
function encrypted(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const secure = guarded(connectTls({ socket, rejectUnauthorized: false }, () => resolve(secure)));
    secure.once('error', reject);
  });
}

function linkOf({ raw, rest }: ApiRequest, { host }: ProxyTarget): ProxiedLink {
  const [path = ''] = (raw.url ?? '').split('?', 1);
  return { prefix: path.slice(0, path.length - rest.length), targetHost: host, requestHost: raw.headers.host ?? '' };
}

function passOn(request: ApiRequest, target: ProxyTarget, socket: Socket): ApiAnswer {
  const { raw } = request;
  const [path = ''] = (raw.url ?? '').split('?', 1);
  const link = linkOf(request, target);
  const { headers, left } = headersForProgram(raw.rawHeaders);
  for (const name of left) request.warn(`the header ${name} was not passed on`);
  const stream = (response: ServerResponse): Promise<void> =>
    new Promise((resolve, reject) => {
      response.once('close', resolve);
      passRequestOn(raw, response, {
        socket,
        path: pathOf(request),
        headers: [...headers, 'X-Forwarded-For', forwardedFor(raw), 'X-Forwarded-Uri', path],
        rewriteHeaders: (given, answer) => {
          const ownHeaders = headersForClient(given, link);
          return isPage(answer.headers) ? pageHeaders(ownHeaders) : ownHeaders;
        },
        through: ({ headers: given, statusCode }) =>
          isPage(given) && raw.method !== 'HEAD' && statusCode !== 304 ? pageStepsOf(given, link) : undefined,
        ...refusals(reject),
      });
    });
  return { stream };
}

/** The errors of a program that does not answer as it should. */
function refusals(reject: (error: Error) => void): Pick<Parameters<typeof passRequestOn>[2], 'onError' | 'onRefusal'> {
  return { onError: (error) => reject(unreachable(error)), onRefusal: (why) => reject(badGateway(why)) };
}

/** The steps of a page with a body. They are loaded by the first one. */
async function pageStepsOf(headers: IncomingHttpHeaders, link: ProxiedLink): Promise<readonly Duplex[]> {
  const { pageSteps } = await import('./proxied-page.ts');
  return pageSteps(headers, link);
}

function upgradeTo(
  request: ApiRequest,
  { socket: client, head, onRefusal }: UpgradedSocket,
  target: ProxyTarget,
): Promise<void> {
  const link = linkOf(request, target);
  return new Promise((resolve, reject) => {
    client.once('close', resolve);
    dialed(target).then((socket) => {
      passUpgradeOn(
        request.raw,
        { client: client as Socket, head },
        {
          socket,
          path: pathOf(request),
          headers: headersForProgram(request.raw.rawHeaders).headers,
          rewriteHeaders: (given) => headersForClient(given, link),
          ...refusals(reject),
          onOtherAnswer: onRefusal,
        },
      );
    }, reject);
  });
}

/** The path and query behind the proxy, as they were sent. */
function pathOf({ raw: { url = '' }, rest }: ApiRequest): string {
  const query = url.indexOf('?');
  return `${rest === '' ? '/' : rest}${query < 0 ? '' : url.slice(query)}`;
}
