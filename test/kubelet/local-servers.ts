import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import http, { type RequestListener } from 'node:http';
import http2, { type IncomingHttpHeaders, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import https from 'node:https';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Makes a server listen on a free port of 127.0.0.1. The end of the test closes it with all its connections. */
export function listen(server: Server | Http2Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    // Clients break connections on purpose.
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

/** Hands every connection to a function. */
export function tcpServer(onConnection: (socket: Socket) => void): Promise<number> {
  return listen(net.createServer(onConnection));
}

/** Sends the same bytes to each client after its first bytes, and closes the connection. */
export function rawServer(answer: string | Buffer): Promise<number> {
  return tcpServer((socket) => socket.once('data', () => socket.end(answer)));
}

export function httpServer(onRequest: RequestListener): Promise<number> {
  return listen(http.createServer(onRequest));
}

export function httpsServer(onRequest: RequestListener): Promise<number> {
  const file = (name: string): Buffer => readFileSync(new URL(`fixtures/${name}`, import.meta.url));
  return listen(https.createServer({ key: file('tls-key.pem'), cert: file('tls-cert.pem') }, onRequest));
}

export function http2Server(
  onStream: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void,
): Promise<number> {
  const server = http2.createServer();
  server.on('sessionError', () => undefined);
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    onStream(stream, headers);
  });
  return listen(server);
}

/** A port without a listener. */
export async function closedPort(): Promise<number> {
  const server = net.createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const HEADS = 'http.client.response.finish';

/** Resolves when a client of this process has received the head of a response. */
export function headOfResponse(): Promise<void> {
  return new Promise((resolve) => {
    const received = (): void => {
      unsubscribe(HEADS, received);
      resolve();
    };
    subscribe(HEADS, received);
  });
}

/** Waits for turns of the event loop, in which servers of this process read what was sent to them. */
export async function turnsOfTheLoop(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
