import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { ApiAnswer, StatusError } from '../../apiserver/index.ts';
import { quietly } from '../../quietly.ts';
import { negotiate } from './media-types.ts';
import { PROTOBUF, protobufCodec } from './protobuf.ts';

/**
 * A response of this length and above is compressed for clients that ask for it, and is written in parts of this
 * length: TLS holds a part until the client has read it. Source of the length: responsewriters/writers.go.
 */
export const PART_LENGTH: number = 128 * 1024;

/** A text as a whole, or in parts: all but the last have PART_LENGTH or more. */
type SentText = Omit<Extract<ApiAnswer, { text: unknown }>, 'text'> & { readonly text: string | Buffer | Parts };
type Parts = Iterator<string | Buffer, undefined>;

/** Writes the text of a response. `headers` are added to the headers of the response. */
export function sendText(
  raw: IncomingMessage,
  response: ServerResponse,
  { text, type, code = 200, headers = {} }: SentText,
): void {
  if (response.headersSent || response.destroyed) return;
  const parts = typeof text === 'string' || Buffer.isBuffer(text) ? partsOf(Buffer.from(text)) : text;
  const [first, second] = [parts.next(), parts.next()];
  const all = { 'Content-Type': type, 'Cache-Control': 'no-cache, private', ...headers };
  if (second.done === true) {
    const whole = Buffer.from(first.value ?? '');
    response.writeHead(code, { ...all, 'Content-Length': whole.length }).end(whole);
    return;
  }
  const isPacked = /\bgzip\b/.test(raw.headers['accept-encoding'] ?? '');
  response.writeHead(code, { ...all, ...(isPacked && { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' }) });
  const packing = isPacked ? [createGzip({ level: 1 })] : [];
  // A client that is gone reads no further.
  pipeline([Readable.from(inOrder(first.value ?? '', second.value, parts)), ...packing, response], () => undefined);
}

function* partsOf(bytes: Buffer): Generator<Buffer, undefined> {
  let at = 0;
  for (; bytes.length - at >= PART_LENGTH; at += PART_LENGTH) yield bytes.subarray(at, at + PART_LENGTH);
  yield bytes.subarray(at);
  return undefined;
}

function* inOrder(first: string | Buffer, second: string | Buffer, rest: Parts): Generator<string | Buffer> {
  yield first;
  for (let part: string | Buffer | undefined = second; part !== undefined; part = rest.next().value) yield part;
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
  const { code } = error.failure;
  const codec = protobufCodec();
  // Also a client that takes nothing that there is learns why.
  const { syntax } = quietly(() => negotiate(raw.headers.accept, { hasProtobuf: codec !== undefined })) ?? {};
  if (codec !== undefined && syntax === 'protobuf')
    sendText(raw, response, { text: codec.encodeProtobuf(error.body), type: PROTOBUF, code });
  else sendJson(raw, response, error.body, code);
}
