import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:net';
import { connect } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import { HOSTILE_ANSWERS, HOSTILE_PAGES, hostileProgram, listening } from '../../network/hostile-answers.ts';
import { startServer, type TestServer } from '../start-server.ts';

const opened: { close(): void }[] = [];
let server: TestServer;

beforeAll(async () => {
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default' },
    spec: { containers: [{ name: 'main', image: 'x' }] },
    status: { phase: 'Running', podIP: '127.0.0.1' },
  };
  server = await startServer({ objects: [pod] });
});

afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

afterAll(() => server.close());

/** The path of the proxy to a program. */
async function proxyTo(program: Server): Promise<string> {
  opened.push(program);
  return `/api/v1/namespaces/default/pods/web:${await listening(program)}/proxy`;
}

/** All bytes that the server answers to a request. */
function exchanged(path: string, ...headers: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port), ca: server.ca, servername: 'localhost' });
  const lines = [`GET ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${server.token}`, ...headers];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => (text += piece));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}

const codeOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+) /.exec(answer)?.[1]);
const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket'];

/** The code of the API server for an answer: a program that speaks no HTTP is unavailable. */
const expected = (code: number, path: string): number =>
  code !== 502 || ['/000', '/099', '/101', '/101-bare', '/100-often', '/102-often'].includes(path) ? code : 503;

describe('an answer of a program behind a proxy', () => {
  it.each([
    ['a plain request', ['Connection: close']],
    ['a request for another protocol', UPGRADE],
  ])('that is hostile ends nothing: %s', async (_, headers) => {
    const proxy = await proxyTo(hostileProgram());
    const codes: [string, number][] = [];
    for (const path of HOSTILE_ANSWERS.keys()) codes.push([path, codeOf(await exchanged(proxy + path, ...headers))]);
    expect(codes).toEqual([...HOSTILE_ANSWERS].map(([path, { code }]) => [path, expected(code, path)]));
    expect(await exchanged(`${proxy}/000`, ...headers)).toContain(
      '"message":"error trying to reach service: its status code is 0"',
    );
  });

  it.each(Object.keys(HOSTILE_PAGES))('that is a page which is hard to read holds nobody up: %s', async (path) => {
    const proxy = await proxyTo(hostileProgram());
    const answer = await exchanged(proxy + path, 'Connection: close');
    expect(codeOf(answer)).toBe(['/gzip-none', '/gzip-cut'].includes(path) ? 502 : 200);
  });
});

/** Headers that a program must not get. */
const SECRET = [
  'Impersonate-User: kubernetes-admin',
  'Impersonate-Group: system:masters',
  'Impersonate-Uid: 1',
  'Impersonate-Extra-scopes: all',
  'X-Remote-User: kubernetes-admin',
  'X-Remote-Group: system:masters',
  'X-Remote-Extra-scopes: all',
  'X-Forwarded-Client-Cert: Subject="CN=a"',
  'Proxy-Authorization: Basic eDp5',
  'New-Credential: 1',
  'Connection: x-named',
  'X-Named: 1',
];
/** Headers that a program gets as they are. */
const PLAIN = ['Accept: text/x', 'Cookie: a=b', 'If-None-Match: "x"', 'X-Api-Key: own', 'traceparent: 00-1-1-0'];

describe('a program behind a proxy', () => {
  it('gets the headers that are for it, and none that says who asks', async () => {
    const seen: string[] = [];
    const proxy = await proxyTo(hostileProgram((head) => void seen.push(head.toString('latin1'))));
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(server.token).toString('base64url')}`;
    const sent = [...SECRET, ...PLAIN, `Sec-WebSocket-Protocol: ${token}`, 'X-Forwarded-For: 9.9.9.9'];
    const answer = await exchanged(`${proxy}/a`, ...sent, 'Connection: close');
    expect(codeOf(answer)).toBe(200);
    expect(answer.match(/^Warning: .*$/gim)).toEqual(['Warning: 299 - "the header new-credential was not passed on"']);
    expect(seen.join('').split('\r\n')).toEqual([
      'GET /a HTTP/1.1',
      'Host: localhost',
      ...PLAIN,
      'X-Forwarded-For: 9.9.9.9, 127.0.0.1',
      `X-Forwarded-Uri: ${proxy}/a`,
      'Connection: close',
      '',
      '',
    ]);
  });

  it('gets the protocols of a websocket without the token, and chooses one of them', async () => {
    const http = createServer();
    const sockets = new WebSocketServer({ server: http });
    const seen: string[][] = [];
    sockets.on('connection', (socket, { rawHeaders }) => {
      seen.push(rawHeaders);
      socket.on('message', (data: Buffer) => socket.send(`got ${data.toString()}`));
    });
    const proxy = await proxyTo(http);
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(server.token).toString('base64url')}`;
    const headers = Object.fromEntries([...SECRET, ...PLAIN].map((line) => line.split(': ') as [string, string]));
    delete headers['Connection'];
    const client = new WebSocket(`${server.url}${proxy}/live`, ['first', token, 'second'], { ca: server.ca, headers });
    await once(client, 'open');
    expect(client.protocol).toBe('first');
    client.send('word');
    expect(String((await once(client, 'message'))[0])).toBe('got word');
    client.terminate();
    const names = seen[0]?.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    const websocket = ['version', 'key', 'extensions', 'protocol'].map((name) => `sec-websocket-${name}`);
    const plain = PLAIN.map((line) => line.split(':')[0]!.toLowerCase());
    expect(names?.toSorted()).toEqual(['connection', 'host', 'upgrade', 'x-named', ...websocket, ...plain].toSorted());
    expect(seen[0]).toContain('first, second');
    expect(seen[0]?.join('\n')).not.toMatch(/k8s\.io|system:masters|kubernetes-admin/);
  });

  it('gets no second request on a connection on which it does not switch', async () => {
    const seen: string[] = [];
    const proxy = await proxyTo(hostileProgram((head) => void seen.push(head.toString('latin1'))));
    const second = `GET /api/v1/secrets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n\r\n`;
    const answer = await exchanged(`${proxy}/a`, ...UPGRADE, '', second);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\nConnection: close\r\n/);
    expect(seen).toHaveLength(1);
    expect(seen[0]).not.toContain(server.token);
  });
});
