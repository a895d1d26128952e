import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { guarded } from '../../defects.ts';
import { PodrunError } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { openConnections } from '../../network/index.ts';
import type { KeyPair } from './certificates.ts';

/** Bounds of a connection: a client that asks for more is refused, and a slow one is cut off. */
const LIMITS: Pick<
  ServerOptions,
  | 'maxHeaderSize'
  | 'headersTimeout'
  | 'requestTimeout'
  | 'connectionsCheckingInterval'
  | 'keepAliveTimeout'
  | 'handshakeTimeout'
> = {
  maxHeaderSize: 64 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  // The two limits above hold to this long.
  connectionsCheckingInterval: 5000,
  keepAliveTimeout: 120_000,
  handshakeTimeout: 10_000,
};
/** The time for open requests when the server closes, milliseconds. */
const OPEN_REQUESTS_MS = 2000;
const CONNECTIONS_MAX = 2048;

export interface ListenOptions {
  readonly pair: KeyPair;
  /** The CA of the certificates that clients may have, PEM. Undefined: they have none. */
  readonly clientCa?: string | undefined;
  readonly clock: Clock;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Other bounds than the usual ones. */
  readonly limits?: typeof LIMITS;
  readonly onRequest: (raw: IncomingMessage, response: ServerResponse) => void;
  readonly onUpgrade: (raw: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** A server that listens. */
export interface ApiListener {
  readonly port: number;
  /** Serves the connections of another listening socket as well. */
  readonly alsoAt: (other: NetServer) => void;
  /** Ends all connections. Open requests have two seconds for their response. */
  readonly close: () => Promise<void>;
}

/** @throws {PodrunError} when the port is taken, or may not be used */
export async function listenForApi(options: ListenOptions): Promise<ApiListener> {
  const { pair, clientCa, clock, host, port, limits, onRequest, onUpgrade } = options;
  // A certificate that does not hold is refused by the request, with 401: a handshake has no words.
  // Without any CA, Node.js would read the CAs of the whole world, for 40 ms.
  const clients = clientCa === undefined ? { ca: [] } : { ca: clientCa, requestCert: true, rejectUnauthorized: false };
  const own = { cert: pair.certificate, key: pair.key, ...clients, ALPNProtocols: ['http/1.1'] };
  // No HTTP/2: in its compatibility layer of Node.js, a create on a connection of its own takes a quarter more of the
  // processor, a cut body ends as if it were whole, and Node 20 and 22 ignore most of the limits above.
  const server = guarded(createServer({ ...LIMITS, ...limits, ...own }));
  server.maxConnections = CONNECTIONS_MAX;
  // No header is left out, such as one that makes the user a smaller one: their bytes are bounded.
  server.maxHeadersCount = 0;
  const connections = openConnections(server);
  // Responses of a few bytes go at once: events of a watch.
  server.on('secureConnection', (socket) => socket.setNoDelay(true));
  const responses = new OpenResponses();
  server.on('request', (raw: IncomingMessage, response: ServerResponse) => {
    if (responses.take(response)) onRequest(raw, response);
    else raw.socket.destroy();
  });
  server.on('upgrade', onUpgrade);
  // A broken request or handshake ends its connection, no more.
  server.on('clientError', (_error, socket) => socket.destroy());
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  const others = new Set<NetServer>();
  await startListening(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    alsoAt: (other) => {
      others.add(other);
      other.maxConnections = CONNECTIONS_MAX;
      other.on('connection', (socket) => server.emit('connection', socket));
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const other of others) other.close();
      await new Promise<void>((resolve) => {
        const alarm = clock.wakeAt(clock.now().monotonicMs + OPEN_REQUESTS_MS, resolve);
        responses.end(() => {
          alarm.cancel();
          resolve();
        });
      });
      connections.end();
      await closed;
    },
  };
}

/** The open requests. */
class OpenResponses {
  readonly #responses = new Set<ServerResponse>();
  #onNone: (() => void) | undefined;

  /** Returns false when the server closes: it sends no more responses. */
  take(response: ServerResponse): boolean {
    if (this.#onNone !== undefined) return false;
    this.#responses.add(response);
    response.once('close', () => {
      this.#responses.delete(response);
      if (this.#responses.size === 0) this.#onNone?.();
    });
    return true;
  }

  /** Takes no more. Calls back when all requests have got their response. */
  end(onNone: () => void): void {
    this.#onNone = onNone;
    if (this.#responses.size === 0) onNone();
  }
}

function startListening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'another program listens there' : error.message;
      const hint = 'Choose another port with --port, or let podrun choose one: --port 0.';
      reject(new PodrunError('Unsupported', `cannot listen at ${host}:${port}: ${why}`, { hint, cause: error }));
    });
    server.listen(port, host, resolve);
  });
}
