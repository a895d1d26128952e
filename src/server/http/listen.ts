import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { PodrunError } from '../../api/errors.ts';
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
const CONNECTIONS_MAX = 2048;

export interface ListenOptions {
  readonly pair: KeyPair;
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
  /** Ends all connections. */
  readonly close: () => Promise<void>;
}

/** @throws {PodrunError} when the port is taken, or may not be used */
export async function listenForApi(options: ListenOptions): Promise<ApiListener> {
  const { pair, host, port, limits, onRequest, onUpgrade } = options;
  const server = createServer({
    ...LIMITS,
    ...limits,
    cert: pair.certificate,
    key: pair.key,
    ALPNProtocols: ['http/1.1'],
  });
  server.maxConnections = CONNECTIONS_MAX;
  // No header is left out, such as one that makes the user a smaller one: their bytes are bounded.
  server.maxHeadersCount = 0;
  const sockets = new Set<Duplex>();
  server.on('secureConnection', (socket) => {
    // Answers of a few bytes go at once: events of a watch.
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', onRequest);
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
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
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
