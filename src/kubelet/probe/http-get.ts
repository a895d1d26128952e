import { goQuote, type HTTPGetAction } from '../../api/index.ts';
import type { ProbeAnswer, ProbeOutcome } from '../../lifecycle/index.ts';
import type { Dial } from '../../network/index.ts';
import { type Deadline, type ProbeInput, withDeadline } from './input.ts';
import { exchange, type HttpAnswer, interruption } from './http-exchange.ts';
import { type HttpRequest, requestFor } from './http-request.ts';

const BODY_MAX_BYTES = 10 * 1024;
const REQUESTS_MAX = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The outcome of a GET request, with errors in the words of Go's client. */
type HttpReply =
  /** `body` holds its first 10 KiB. */
  | { readonly type: 'response'; readonly status: number; readonly body: string }
  | { readonly type: 'noResponse'; readonly error: string; readonly answer?: ProbeAnswer }
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
    if ('error' in answer) return { ...answer, ...noResponse(request.url, answer.error) };
    const { location } = answer.message.headers;
    if (location === undefined || location === '' || !REDIRECTS.has(answer.status)) return readReply(answer, deadline);
    const target = URL.canParse(location, request.url) ? new URL(location, request.url) : undefined;
    if (target !== undefined && target.hostname !== new URL(first.url).hostname) return readReply(answer, deadline);
    answer.message.destroy();
    if (target === undefined) {
      return noResponse(request.url, `failed to parse Location header ${goQuote(location)}: invalid URL`);
    }
    if (sent === REQUESTS_MAX) return noResponse(location, `stopped after ${REQUESTS_MAX} redirects`);
    if (!/^https?:$/.test(target.protocol)) {
      return noResponse(target.href, `unsupported protocol scheme ${goQuote(target.protocol.slice(0, -1))}`);
    }
    request = redirected(request, target, location);
  }
}

function noResponse(url: string, error: string): HttpReply {
  return { type: 'noResponse', error: `Get ${goQuote(url)}: ${error}` };
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
    return { type: 'response', status, body: Buffer.concat(chunks).subarray(0, BODY_MAX_BYTES).toString() };
  } catch {
    const gaveUp = interruption(deadline, 'Client.Timeout or context cancellation while reading body');
    return { type: 'cutOff', error: gaveUp ?? brokenBy() ?? 'unexpected EOF' };
  }
}

/** Sends a request: a status from 200 to 399 is a success. Source: pkg/probe/http/http.go DoHTTPProbe. */
export async function probeHttp(
  action: HTTPGetAction,
  timeoutMs: number,
  input: ProbeInput,
  dial?: Dial,
): Promise<ProbeOutcome> {
  const { pod, container, clock, abort } = input;
  const built = requestFor(action, pod, container, 'probe');
  if (!built.ok) return { result: 'error', output: built.error };
  let timedOut = false;
  const reply = await withDeadline({ clock, timeoutMs, signal: abort.signal }, async (deadline) => {
    const received = await httpGet(built.request, deadline, dial);
    timedOut = deadline.hasPassed;
    return received;
  });
  switch (reply.type) {
    case 'response':
      return { ...judge(reply.status, reply.body), answer: { httpStatus: reply.status } };
    case 'noResponse':
      return { result: 'failure', output: reply.error, timedOut, answer: reply.answer ?? {} };
    case 'cutOff':
      // kubelet returns a failure together with an error. The error wins, and the outcome does not count.
      return { result: 'error', state: 'failure', output: reply.error };
    default:
      return reply satisfies never;
  }
}

function judge(status: number, body: string): ProbeOutcome {
  if (status >= 200 && status < 300) return { result: 'success', output: body };
  if (status >= 300 && status < 400) {
    return { result: 'warning', output: `Probe terminated redirects, Response body: ${body}` };
  }
  return { result: 'failure', output: `HTTP probe failed with statuscode: ${status}` };
}
