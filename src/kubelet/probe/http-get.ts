import { goQuote } from '../../api/index.ts';
import type { ProbeAnswer } from '../../lifecycle/index.ts';
import type { Dial } from '../../network/index.ts';
import type { Deadline } from './deadline.ts';
import { exchange, type HttpAnswer, interruption } from './http-exchange.ts';
import type { HttpRequest } from './http-request.ts';

const BODY_MAX_BYTES = 10 * 1024;
const REQUESTS_MAX = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The outcome of a GET request, with errors in the words of Go's client. */
export type HttpReply =
  /** `body` holds its first 10 KiB. */
  | { readonly type: 'answered'; readonly status: number; readonly body: string }
  | { readonly type: 'unanswered'; readonly error: string; readonly answer?: ProbeAnswer }
  /** The response began, but its body is incomplete. */
  | { readonly type: 'cutOff'; readonly error: string };

/**
 * Sends a GET request and follows redirects to the same host. A redirect to another host is the response itself. Never
 * rejects.
 * Source: pkg/probe/http/http.go RedirectChecker; Go's net/http Client.do.
 * @param dial connects to addresses inside the Pod's network
 */
export async function httpGet(first: HttpRequest, deadline: Deadline, dial?: Dial): Promise<HttpReply> {
  let request = first;
  for (let sent = 1; ; sent++) {
    const answer = await exchange(request, deadline, dial);
    if ('error' in answer) return { ...answer, ...unanswered(request.url, answer.error) };
    const { location } = answer.message.headers;
    if (location === undefined || location === '' || !REDIRECTS.has(answer.status)) return readReply(answer, deadline);
    const target = URL.canParse(location, request.url) ? new URL(location, request.url) : undefined;
    if (target !== undefined && target.hostname !== new URL(first.url).hostname) return readReply(answer, deadline);
    answer.message.destroy();
    if (target === undefined) {
      return unanswered(request.url, `failed to parse Location header ${goQuote(location)}: invalid URL`);
    }
    if (sent === REQUESTS_MAX) return unanswered(location, `stopped after ${REQUESTS_MAX} redirects`);
    if (!/^https?:$/.test(target.protocol)) {
      return unanswered(target.href, `unsupported protocol scheme ${goQuote(target.protocol.slice(0, -1))}`);
    }
    request = redirected(request, target, location);
  }
}

function unanswered(url: string, error: string): HttpReply {
  return { type: 'unanswered', error: `Get ${goQuote(url)}: ${error}` };
}

function redirected(from: HttpRequest, target: URL, location: string): HttpRequest {
  const isSecure = target.protocol === 'https:';
  const isRelative = !/^[a-z][a-z\d+.-]*:/i.test(location);
  const headers = from.headers.filter(([name]) => name !== 'Referer');
  return {
    url: target.href,
    isSecure,
    hostname: target.hostname.replaceAll(/[[\]]/g, ''),
    port: Number(target.port) || (isSecure ? 443 : 80),
    path: `${target.pathname}${target.search}`,
    hostHeader: isRelative ? from.hostHeader : undefined,
    headers: from.isSecure && !isSecure ? headers : [...headers, ['Referer', from.url]],
  };
}

async function readReply({ status, message, brokenBy }: HttpAnswer, deadline: Deadline): Promise<HttpReply> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      // Leaving the loop closes the connection.
      if (bytes >= BODY_MAX_BYTES) break;
    }
    return { type: 'answered', status, body: Buffer.concat(chunks).subarray(0, BODY_MAX_BYTES).toString() };
  } catch {
    const gaveUp = interruption(deadline, 'Client.Timeout or context cancellation while reading body');
    return { type: 'cutOff', error: gaveUp ?? brokenBy() ?? 'unexpected EOF' };
  }
}
