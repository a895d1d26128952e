import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { callbackify } from 'node:util';
import { guarded } from '../../defects.ts';
import { goNetworkError } from '../../runtime/index.ts';
import type { ServerContext } from '../base/context.ts';

/** The answer of a webhook or of another API server at most. Source: apiserver, the limit of a request. */
const ANSWER_BYTES_MAX = 3 * 1024 * 1024;

/** A program that the API server calls itself. */
export interface CalledServer {
  readonly url: URL;
  /** The host and the port, as the program is to see them. A `URL` drops the usual port, a Go client sends it. */
  readonly host: string;
  /** The URL as errors name it. */
  readonly address: string;
  readonly tls: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>;
  /** Connects to the program. Undefined: to the address of the URL. */
  readonly dial: (() => Promise<Socket>) | undefined;
}

/** A call of such a program. */
export interface ServerCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Default: none. */
  readonly body?: string;
  readonly timeoutMs: number;
  /** Default: 3 MiB. */
  readonly bytesMax?: number;
}

/**
 * Calls a program and reads its whole answer. Rejects in the words of a Go client, and with the reason of `closed` when
 * the server closes meanwhile.
 */
export function askServer(
  server: CalledServer,
  { method, headers: given, body, timeoutMs, bytesMax = ANSWER_BYTES_MAX }: ServerCall,
  { clock, closed }: Pick<ServerContext, 'clock' | 'closed'>,
): Promise<{ readonly code: number; readonly body: Buffer }> {
  const { url, host, address } = server;
  const what = `${method.charAt(0)}${method.slice(1).toLowerCase()} "${address}"`;
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const options = { method, headers: { Host: host, ...given, ...length }, ...connection(server) };
    const request = guarded(url.protocol === 'http:' ? httpRequest(url, options) : httpsRequest(url, options));
    const end = (reason: unknown): void => {
      alarm.cancel();
      closed.removeEventListener('abort', giveUp);
      reject(reason);
      // Node.js waits for the connection, which may never come.
      request.destroy();
    };
    const giveUp = (): void => end(closed.reason);
    const alarm = clock.wakeAt(clock.now().monotonicMs + timeoutMs, () => {
      end(new Error(`${what}: context deadline exceeded`));
    });
    closed.addEventListener('abort', giveUp, { once: true });
    // Node.js says nothing else about an answer that switches to another protocol.
    request.once('close', () => end(new Error(`${what}: it sent no response`)));
    if (closed.aborted) giveUp();
    request.once('error', (error) => {
      reject(new Error(`${what}: ${goNetworkError(error, { ends: '', hasReceived: false })}`));
    });
    request.once('response', (response) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      response.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > bytesMax) request.destroy(new Error('the answer is too large'));
        else pieces.push(piece);
      });
      response.once('error', reject);
      response.once('end', () => resolve({ code: response.statusCode ?? 0, body: Buffer.concat(pieces) }));
    });
    request.end(body);
  });
}

/** Begins TLS on a new connection. Rejects with the error of the connection; one of TLS comes from the socket. */
export async function dialSecurely(tls: CalledServer['tls'], dial: () => Promise<Socket>): Promise<TLSSocket> {
  return guarded(connectTls({ ...tls, socket: await dial() }));
}

/** Makes the connection of a request: Node.js takes it as soon as it is made. */
function connection({ dial, tls }: CalledServer): RequestOptions {
  if (dial === undefined) return tls;
  const connected = callbackify(() => dialSecurely(tls, dial));
  const createConnection: RequestOptions['createConnection'] = (_, done) => {
    connected(done);
    return undefined;
  };
  return { createConnection };
}
