import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { expect, it } from 'vitest';
import { SystemClock } from '../../src/clock.ts';
import { makeCertificates } from '../../src/server/http/certificates.ts';
import { listenForApi } from '../../src/server/http/listen.ts';
import { startServer, type TestServer } from './start-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

/** The connection of a client that has sent the lines of a request. */
interface Asking {
  /** Begins to read the answer. */
  readonly read: () => void;
  /** Resolves when the connection is over, with all that was read. */
  readonly answer: Promise<string>;
}

async function asking(server: TestServer, ...lines: readonly string[]): Promise<Asking> {
  const { hostname: host, port } = new URL(server.url);
  const socket = connectSecurely({ host, port: Number(port), ca: server.ca, servername: 'localhost' });
  const answer = answerOf(socket.pause());
  await once(socket, 'secureConnect');
  const [request = '', ...more] = lines;
  const head = [`${request} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${server.token}`, ...more];
  await new Promise((resolve) => socket.write(head.join('\r\n'), resolve));
  return { read: () => void socket.resume(), answer };
}

function answerOf(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  return new Promise((resolve) => socket.on('error', () => undefined).once('close', () => resolve(text)));
}

it('a server ends with clients that read nothing, and clients that have not sent all', async () => {
  const server = await startServer();
  for (let n = 0; n < 8; n++) await server.post(MAPS, { metadata: { name: `m${n}` }, data: { text: 'x'.repeat(9e5) } });
  const json = ['Content-Type: application/json', 'Content-Length: 100', '', '{'];
  const clients = await Promise.all([
    asking(server, `GET ${MAPS}?watch=true`, '', ''),
    asking(server, `GET ${MAPS}?watch=true&resourceVersion=1&allowWatchBookmarks=true`, '', ''),
    asking(server, `GET ${MAPS}`, '', ''),
    asking(server, `POST ${MAPS}`, ...json),
    asking(server, `GET ${MAPS}`, 'X-More: '),
    asking(server, 'GET /readyz', '', ''),
  ]);
  await server.close();
  for (const { read } of clients) read();
  const [, , , noBody, noHead] = await Promise.all(clients.map(({ answer }) => answer));
  expect([noBody, noHead]).toEqual(['', '']);
});

it('a server ends amid handshakes of TLS', async () => {
  const { server: pair } = await makeCertificates({ names: ['localhost'], addresses: [] }, Date.now());
  const listener = await listenForApi({
    pair,
    clock: new SystemClock(),
    host: '127.0.0.1',
    port: 0,
    limits: { handshakeTimeout: 3_600_000 },
    onRequest: (_raw, response) => response.end(),
    onUpgrade: (_raw, socket) => socket.destroy(),
  });
  const begun = Buffer.from('1603010200010001fc0303', 'hex');
  const clients = [Buffer.alloc(0), begun].map((bytes) => {
    const socket = connect(listener.port, '127.0.0.1');
    socket.write(bytes);
    return { connected: once(socket, 'connect'), closed: answerOf(socket) };
  });
  await Promise.all(clients.map(({ connected }) => connected));
  await listener.close();
  expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual(['', '']);
});

it('a closing server responds to open requests, and gives up one whose webhook does not respond', async () => {
  const server = await startServer();
  const reviews: { uid: string; response: ServerResponse }[] = [];
  let onReview = (): void => undefined;
  const hook = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      reviews.push({ uid: (JSON.parse(text) as { request: { uid: string } }).request.uid, response });
      if (reviews.length === 2) onReview();
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
  const webhook = {
    name: 'slow.example.com',
    clientConfig: { url: `http://127.0.0.1:${(hook.address() as AddressInfo).port}/` },
    rules: [rule],
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    timeoutSeconds: 30,
    admissionReviewVersions: ['v1'],
  };
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  await server.post(path, { metadata: { name: 'slow' }, webhooks: [webhook] });
  const asked = new Promise<void>((resolve) => {
    onReview = resolve;
  });
  const bodies = [1, 2].map((n) => JSON.stringify({ metadata: { name: `m${n}` } }));
  const answers = bodies.map(async (body) => {
    const head = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    const { read, answer } = await asking(server, `POST ${MAPS}`, ...head, '', body);
    read();
    return answer;
  });
  await asked;
  const [first, second] = reviews as [(typeof reviews)[0], (typeof reviews)[0]];
  const givenUp = once(second.response, 'close');
  const closed = server.close();
  const response = { uid: first.uid, allowed: true };
  first.response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }));
  const heads = (await Promise.all(answers)).map((answer) => answer.slice(0, 'HTTP/1.1 201'.length));
  expect(new Set(heads)).toEqual(new Set(['HTTP/1.1 201', '']));
  await Promise.all([closed, givenUp]);
  hook.close();
  hook.closeAllConnections();
});
