import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendBadRequests } from './requests.mjs';
import { startServer, type TestServer } from './start-server.ts';
import { SystemClock } from '../../src/clock.ts';
import { makeCertificates } from '../../src/server/http/certificates.ts';
import { listenForApi } from '../../src/server/http/listen.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const { PODRUN_BAD_REQUESTS: count = '150', PODRUN_BAD_REQUESTS_SEED: seed = '1' } = process.env;

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

it('bad requests end neither the server nor show its insides', { timeout: Number(count) * 100 + 30_000 }, async () => {
  const { hostname: host, port } = new URL(server.url);
  const { ca, token } = server;
  const place = { host, port: Number(port), ca, token };
  expect(await sendBadRequests(place, { count: Number(count), seed: Number(seed) })).toEqual([]);
});

it('updates at the same time lose no write', async () => {
  const { body } = await server.post(MAPS, { metadata: { name: 'counter' }, data: { n: '0' } });
  expect(body.data).toEqual({ n: '0' });
  const increase = async (): Promise<void> => {
    for (;;) {
      const { body: seen } = await server.get(`${MAPS}/counter`);
      const wanted = { ...seen, data: { n: String(Number(seen.data.n) + 1) } };
      const { code } = await server.request('PUT', `${MAPS}/counter`, wanted);
      if (code === 200) return;
      expect(code).toBe(409);
    }
  };
  await Promise.all(Array.from({ length: 20 }, increase));
  expect((await server.get(`${MAPS}/counter`)).body.data).toEqual({ n: '20' });
});

it('a watch whose client does not read is cut off', async () => {
  const { hostname: host, port } = new URL(server.url);
  const socket = connect({ host, port: Number(port), ca: server.ca, servername: 'localhost' });
  const head = `GET ${MAPS}?watch=true HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n\r\n`;
  await new Promise((resolve) => socket.once('secureConnect', () => socket.write(head, resolve)));
  await new Promise((resolve) => socket.once('readable', resolve));
  const text = 'x'.repeat(900_000);
  server.store.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large' } });
  const key = { namespace: 'default', name: 'large' };
  for (let n = 0; n < 40; n++) {
    server.store.change('configmaps', key, 'object', (stored) => ({ ...stored, data: { text, n: String(n) } }));
    await new Promise((resolve) => setImmediate(resolve));
  }
  let bytes = 0;
  socket.on('data', (piece: Buffer) => (bytes += piece.length));
  await new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  expect(bytes).toBeLessThan(40 * text.length);
});

it('a client that sends its request byte by byte is cut off', async () => {
  const { ca, server: pair } = await makeCertificates({ names: ['localhost'], addresses: [] }, Date.now());
  const listener = await listenForApi({
    pair,
    clock: new SystemClock(),
    host: '127.0.0.1',
    port: 0,
    limits: { headersTimeout: 100, connectionsCheckingInterval: 20 },
    onRequest: (_raw, response) => response.end(),
    onUpgrade: (_raw, socket) => socket.destroy(),
  });
  const socket = connect({ host: '127.0.0.1', port: listener.port, ca: ca.certificate, servername: 'localhost' });
  let answer = '';
  socket.on('data', (piece: Buffer) => (answer += piece.toString()));
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  socket.once('secureConnect', () => socket.write('GET /api HTTP/1.1\r\nHost: localhost\r\n'));
  const bytes = setInterval(() => socket.writable && socket.write('X'), 10);
  await closed;
  clearInterval(bytes);
  expect(answer).toBe('');
  await listener.close();
});
