import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectSecurely } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { dialHere } from '../../src/network/node/dial-pod.ts';
import { IngressServer, openCertificate } from '../../src/network/ingress/ingress-server.ts';
import type { IngressRoute } from '../../src/network/ingress/routes.ts';

const FREE = { port: 18_080, mayMove: true };
const opened: { close(): void }[] = [];

afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

function listen(server: Server): Promise<number> {
  opened.push(server);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** An Ingress server whose path / leads to this port, and /none to a Service without endpoints. */
async function ingressFor(port: number): Promise<{ server: IngressServer; port: number }> {
  const server = new IngressServer(({ address, port: to }) => dialHere(address, to));
  opened.push(server);
  const route = { host: 'site.test', path: '/', type: 'prefix', service: 'service web' } as const;
  const endpoints = [{ address: '127.0.0.1', port }];
  const empty: IngressRoute = { ...route, path: '/none', endpoints: [] };
  server.update([empty, { ...route, endpoints }]);
  return { server, port: await server.listen('http', FREE) };
}

const backend = (listener: RequestListener): Promise<number> => listen(createServer(listener));

function fetched(port: number, path: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent: false, headers: { host: 'site.test', ...headers } }, resolve).on(
      'error',
      reject,
    );
  });
}

it('requests go to an endpoint with their headers, and tell who asked', async () => {
  const seen: IncomingMessage[] = [];
  const { port } = await ingressFor(
    await backend((request, response) => {
      seen.push(request);
      response.writeHead(201, 'Made', { 'set-cookie': ['a=1', 'b=2'], 'x-own': 'yes' }).end(`body of ${request.url}`);
    }),
  );
  const answer = await fetched(port, '/a%20b?c=d', {
    'x-forwarded-for': '9.9.9.9',
    connection: 'x-gone',
    'x-gone': '1',
  });
  expect([answer.statusCode, answer.statusMessage, await text(answer)]).toEqual([201, 'Made', 'body of /a%20b?c=d']);
  expect(answer.headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'x-own': 'yes' });
  expect(seen[0]?.headers).toEqual({
    host: 'site.test',
    connection: 'close',
    'x-forwarded-for': '9.9.9.9, 127.0.0.1',
    'x-forwarded-host': 'site.test',
    'x-forwarded-port': String(port),
    'x-forwarded-proto': 'http',
  });
});

it.each([
  ['/none', 'site.test', 503, '503: service web has no endpoint that accepts connections\n'],
  ['/x', 'other.test', 404, '404: no Ingress has a rule for other.test/x\n'],
])('%s of %s gets the response %i', async (path, host, status, body) => {
  const { port } = await ingressFor(1);
  const answer = await fetched(port, path, { host });
  expect([answer.statusCode, await text(answer)]).toEqual([status, body]);
});

it('an endpoint that refuses is a Service without endpoints, and one that says nothing a bad gateway', async () => {
  const { server, port } = await ingressFor(1);
  expect((await fetched(port, '/')).statusCode).toBe(503);
  const silent = createTcpServer((socket) => socket.once('data', () => socket.end()));
  const endpoints = [{ address: '127.0.0.1', port: await listen(silent) }];
  server.update([{ host: '', path: '/', type: 'prefix', service: 'service web', endpoints }]);
  expect((await fetched(port, '/')).statusCode).toBe(502);
});

it('one connection carries several requests, and bodies are streams in both directions', async () => {
  const { port } = await ingressFor(await backend((request, response) => void request.pipe(response)));
  const client = connect(port, '127.0.0.1');
  opened.push({ close: () => client.destroy() });
  const chunk = 'POST / HTTP/1.1\r\nHost: site.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n';
  client.write(chunk);
  // The answer begins while the request goes on.
  expect(await said(client, 'first')).toContain('200 OK');
  client.write('6\r\nsecond\r\n0\r\n\r\n');
  await said(client, 'second');
  client.write('POST / HTTP/1.1\r\nHost: site.test\r\nContent-Length: 5\r\n\r\nthird');
  await said(client, 'third');
});

it('a WebSocket is a connection between both sides', async () => {
  const server = createServer();
  server.on('upgrade', (request, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${request.headers.upgrade}\r\nConnection: Upgrade\r\n\r\n`,
    );
    socket.on('data', (data) => void socket.write(`echo ${String(data)}`));
    socket.on('end', () => socket.end());
  });
  const { port } = await ingressFor(await listen(server));
  const client = connect(port, '127.0.0.1');
  opened.push({ close: () => client.destroy() });
  client.write('GET /chat HTTP/1.1\r\nHost: site.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  await said(client, 'Upgrade: websocket');
  client.write('hello');
  expect(await said(client, 'echo hello')).toBe('echo hello');
});

it('HTTPS is served with the certificate of the host', async () => {
  const pem = (name: string): string => readFileSync(new URL(`../kubelet/fixtures/${name}`, import.meta.url), 'utf8');
  const { server } = await ingressFor(
    await backend((request, response) => response.end(request.headers['x-forwarded-proto'])),
  );
  server.useCertificates([openCertificate(['site.test'], pem('tls-cert.pem'), pem('tls-key.pem'))]);
  const port = await server.listen('https', FREE);
  for (const servername of ['site.test', undefined]) {
    const client = connectSecurely({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
    opened.push({ close: () => client.destroy() });
    client.write('GET / HTTP/1.1\r\nHost: site.test\r\n\r\n');
    expect(await said(client, 'https')).toContain('200 OK');
  }
});

/** Resolves with what the other side has said since the last call, as soon as this is in it. */
function said(socket: Socket, wanted: string): Promise<string> {
  let all = '';
  return new Promise((resolve) => {
    const onData = (data: Buffer): void => {
      all += data.toString();
      if (!all.includes(wanted)) return;
      socket.off('data', onData);
      resolve(all);
    };
    socket.on('data', onData);
  });
}

it('a close ends websockets, and handshakes of TLS', async () => {
  const upgraded = createServer().on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: own\r\n\r\n');
  });
  const { server, port } = await ingressFor(await listen(upgraded));
  const secure = await server.listen('https', { port: 18_443, mayMove: true });
  const [websocket, handshake] = [port, secure].map((to) => connect(to, '127.0.0.1').on('error', () => undefined));
  websocket?.write('GET / HTTP/1.1\r\nHost: site.test\r\nConnection: Upgrade\r\nUpgrade: own\r\n\r\n');
  await Promise.all([once(websocket as Socket, 'data'), once(handshake as Socket, 'connect')]);
  const closed = [websocket, handshake].map((socket) => once(socket as Socket, 'close'));
  handshake?.resume();
  server.close();
  await Promise.all(closed);
  expect([websocket?.destroyed, handshake?.destroyed]).toEqual([true, true]);
});
