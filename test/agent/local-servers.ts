import { readFileSync } from 'node:fs';
import http, { type RequestListener } from 'node:http';
import http2, { type IncomingHttpHeaders, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import https from 'node:https';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Has a server listen on a free port of 127.0.0.1. It is gone, with all its connections, when the test ends. */
export function listen(server: Server | Http2Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    // Clients break off: that is what is tested.
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

/** Answers every connection as it likes. */
export function tcpServer(onConnection: (socket: Socket) => void): Promise<number> {
  return listen(net.createServer(onConnection));
}

/** Sends the same bytes to whoever has sent something, and closes. */
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

/** A port that nobody listens on. */
export async function closedPort(): Promise<number> {
  const server = net.createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Lets whoever else lives in this process take in what has been sent to it: on one machine it is there at once. */
export async function turnsOfTheLoop(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
