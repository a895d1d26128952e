import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzip } from 'node:zlib';
import type { ApiAnswer, StatusError } from '../../apiserver/index.ts';

/** Responses of this size and above are compressed for clients that ask for it. Source: responsewriters/writers.go. */
const GZIP_FROM = 128 * 1024;

/** Writes the text of a response. `headers` are added to the headers of the response. */
export function sendText(
  raw: IncomingMessage,
  response: ServerResponse,
  { text, type, code = 200, headers = {} }: Extract<ApiAnswer, { text: unknown }>,
): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const all = { 'Content-Type': type, 'Cache-Control': 'no-cache, private', ...headers };
  if (bytes.length < GZIP_FROM || !/\bgzip\b/.test(raw.headers['accept-encoding'] ?? '')) {
    response.writeHead(code, { ...all, 'Content-Length': bytes.length }).end(bytes);
    return;
  }
  gzip(bytes, { level: 1 }, (error, packed) => {
    if (error !== null) response.destroy(error);
    else if (!response.destroyed) {
      const about = { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding', 'Content-Length': packed.length };
      response.writeHead(code, { ...all, ...about }).end(packed);
    }
  });
}

/** Writes an object as JSON. Browsers and curl get it with indents, as from the API server. */
function sendJson(raw: IncomingMessage, response: ServerResponse, object: object, code = 200): void {
  const text = `${JSON.stringify(object, undefined, wantsIndents(raw) ? 2 : undefined)}\n`;
  sendText(raw, response, { text, type: 'application/json', code });
}

/** Source: apiserver/pkg/endpoints/handlers/responsewriters, isPrettyPrint. */
export function wantsIndents({ url = '', headers }: IncomingMessage): boolean {
  const pretty = /[?&]pretty=([^&]*)/.exec(url)?.[1];
  if (pretty !== undefined) return pretty !== 'false' && pretty !== '0';
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers['user-agent'] ?? '');
}

export function sendStatusError(raw: IncomingMessage, response: ServerResponse, error: StatusError): void {
  const seconds = error.failure.details?.retryAfterSeconds;
  if (!response.headersSent && seconds !== undefined) response.setHeader('Retry-After', String(seconds));
  sendJson(raw, response, error.body, error.failure.code);
}
