import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { guarded } from '../../defects.ts';
import { goQuote, joinHostPort } from '../../api/index.ts';
import type { ProbeAnswer } from '../../lifecycle/index.ts';
import type { Dial } from '../../network/index.ts';
import { type Deadline, errnoAnswer } from './input.ts';
import { goNetworkError, type NetworkConnection } from '../../runtime/index.ts';
import { type HttpRequest, isHeaderName, isHeaderValue } from './http-request.ts';

/** Go's limit for the headers of a response. Node's own is much lower. */
const HEADERS_MAX_BYTES = 10 * 1024 * 1024;

/** The head of a response. Its body is not read yet. */
export interface HttpAnswer {
  readonly status: number;
  readonly message: IncomingMessage;
  /** The reason in Go's words why the connection broke. Undefined: it did not. */
  readonly brokenBy: () => string | undefined;
}

/** The error of a request without a response. */
export interface HttpFailure {
  readonly error: string;
  /** The reason why there was no connection, if known. */
  readonly answer?: ProbeAnswer;
}

/**
 * Sends one request over a connection of its own and waits for the head of the response. Does not verify certificates
 * or use a proxy. Never rejects: an error is a text of Go's client.
 */
export async function exchange(
  request: HttpRequest,
  deadline: Deadline,
  dial?: Dial,
): Promise<HttpAnswer | HttpFailure> {
  const invalid = invalidHeader(request);
  if (invalid !== undefined) return { error: invalid };
  let connected: Socket | undefined;
  try {
    connected = await dial?.({ host: request.hostname, port: request.port }, deadline.signal);
  } catch (error) {
    return unconnected(error, deadline, { ends: '', hasReceived: false });
  }
  const sent = open(request, deadline, connected);
  const connectionOf = watchConnection(sent, request);
  let failure: unknown;
  // Also listens during the body: the error then says why the rest is missing.
  sent.on('error', (error) => {
    failure = error;
  });
  const message = await headOf(sent);
  if (message === undefined) {
    return unconnected(failure, deadline, connectionOf());
  }
  return {
    status: message.statusCode ?? 0,
    message,
    brokenBy: () => (failure === undefined ? undefined : goNetworkError(failure, connectionOf())),
  };
}

function unconnected(failure: unknown, deadline: Deadline, connection: NetworkConnection): HttpFailure {
  const gaveUp = interruption(deadline, 'Client.Timeout exceeded while awaiting headers');
  if (gaveUp !== undefined) return { error: gaveUp };
  return { error: goNetworkError(failure, connection), answer: errnoAnswer(failure) };
}

/** The reason why podrun gave up, if it did. */
export function interruption(deadline: Deadline, when: string): string | undefined {
  if (deadline.hasPassed) return `context deadline exceeded (${when})`;
  return deadline.signal.aborted ? 'context canceled' : undefined;
}

function open(request: HttpRequest, deadline: Deadline, connected: Socket | undefined): ClientRequest {
  const { isSecure, hostname, port, path } = request;
  const options = {
    host: hostname,
    port,
    path,
    headers: rawHeaders(request),
    // An agent would make its own connection.
    ...(connected === undefined ? { agent: false as const } : { createConnection: () => connected }),
    signal: deadline.signal,
    maxHeaderSize: HEADERS_MAX_BYTES,
    // Go's client is as tolerant: a script that replies with bare line feeds passes a kubelet's probe.
    insecureHTTPParser: true,
  } as const;
  // Not imported: that would load a large part of Node, which only Pods with such a probe need.
  if (!isSecure) return guarded(process.getBuiltinModule('node:http').request(options));
  const isName = process.getBuiltinModule('node:net').isIP(hostname) === 0;
  const servername = isName ? hostname : '';
  // Any certificate will do: Node.js need not read the CAs of the world, which takes 40 ms.
  const trust = { servername, ca: [], rejectUnauthorized: false };
  const secure = { ...options, ...trust };
  if (connected === undefined) return guarded(process.getBuiltinModule('node:https').request(secure));
  const { connect } = process.getBuiltinModule('node:tls');
  const createConnection = (): TLSSocket => guarded(connect({ socket: connected, ...trust }));
  return guarded(process.getBuiltinModule('node:https').request({ ...secure, createConnection }));
}

/** Names and values in turn, so that repeated headers stay repeated. */
function rawHeaders({ url, hostHeader, headers }: HttpRequest): string[] {
  const [, authority = ''] = /^\w+:\/\/([^/?#]*)/.exec(url) ?? [];
  // Node writes header text as Latin-1. Go sends UTF-8.
  return [['Host', hostHeader ?? authority] as const, ...headers].flatMap(([name, value]) => [
    name,
    Buffer.from(value.trim()).toString('latin1'),
  ]);
}

function invalidHeader({ headers, hostHeader = '' }: HttpRequest): string | undefined {
  if (!isHeaderValue(hostHeader)) return 'http: invalid Host header';
  for (const [name, value] of headers) {
    if (!isHeaderName(name)) return `net/http: invalid header field name ${goQuote(name)}`;
    if (!isHeaderValue(value)) return `net/http: invalid header field value for ${goQuote(name)}`;
  }
  return undefined;
}

/** The head of the response. Undefined when the request fails first. */
function headOf(sent: ClientRequest): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    sent.once('response', resolve);
    // A protocol switch counts as a response without a body.
    sent.once('upgrade', (head: IncomingMessage, socket) => {
      socket.destroy();
      head.push(null);
      resolve(head);
    });
    sent.once('error', () => resolve(undefined));
    sent.end();
  });
}

/** Remembers facts of the socket for errors after its end. */
function watchConnection(sent: ClientRequest, request: HttpRequest): () => NetworkConnection {
  let ends = '';
  let bytesReceived = (): number => 0;
  sent.once('socket', (socket) => {
    // Bytes of the TLS handshake are no response.
    if (!request.isSecure) bytesReceived = () => socket.bytesRead;
    const note = (): void => {
      const { localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0 } = socket;
      ends = `${joinHostPort(localAddress, localPort)}->${joinHostPort(remoteAddress, remotePort)}`;
    };
    if (socket.connecting) socket.once('connect', note);
    else note();
  });
  return () => ({ ends, hasReceived: bytesReceived() > 0 });
}
