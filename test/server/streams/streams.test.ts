import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer, createWebSocketStream } from 'ws';
import { SystemClock } from '../../../src/clock.ts';
import { type ApiServer, claimServer, openApiServer } from '../../../src/server/index.ts';
import { storeOf } from '../../cli/prepared-store.ts';
import { Workshop } from '../../cli/workshop.ts';
import { PATIENT } from '../../patience.ts';
import { forwardByLibrary, runByLibrary } from './client-library.ts';
import { SpdyClient } from './spdy-client.ts';

const workshop = new Workshop();
let server: ApiServer;
let echo: Server;
let port: number;

const PODS = '/api/v1/namespaces/default/pods';

beforeAll(async () => {
  echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  ({ port } = echo.address() as AddressInfo);
  const pod = workshop.pod('web', {
    terminationGracePeriodSeconds: 0,
    restartPolicy: 'Never',
    containers: [
      { name: 'main', stdin: true, command: ['sh', '-c', 'echo ready; while read line; do echo "got $line"; done'] },
      { name: 'side', command: ['sleep', '3600'] },
    ],
  });
  const applied = workshop.start(['apply', pod]);
  await applied.until(({ stdout }) => stdout.includes('Running, ContainersReady, Ready') && / ready$/m.test(stdout));
  const store = storeOf(workshop);
  const clock = new SystemClock();
  const claim = await claimServer(store.root, clock);
  server = await openApiServer({ store, clock, claim, port: 0, descriptionsFile: '', report: () => undefined });
});

afterAll(async () => {
  await server.close();
  echo.close();
  await workshop.close();
});

/** A websocket with a protocol whose name is no token: the package of the client neither offers nor takes it. */
async function openTunnel(path: string, protocol: string): Promise<WebSocket> {
  const headers = { authorization: `Bearer ${server.token}`, 'sec-websocket-protocol': protocol };
  const client = new WebSocket(server.url + path, { ca: server.ca, headers, perMessageDeflate: false });
  client.on('upgrade', ({ headers: answered }) => {
    expect(answered['sec-websocket-protocol']).toBe(protocol);
    delete answered['sec-websocket-protocol'];
  });
  await once(client, 'open');
  return client;
}

interface Talk {
  /** The text of each channel. */
  readonly channels: Readonly<Record<number, string>>;
  readonly code: number;
}

/** Sends messages, and collects the answers until the server closes. */
async function talk(path: string, protocol: string, ...messages: readonly (Buffer | string)[]): Promise<Talk> {
  const headers = { authorization: `Bearer ${server.token}` };
  const client = new WebSocket(server.url + path, protocol === '' ? [] : [protocol], { ca: server.ca, headers });
  const channels: Record<number, string> = {};
  client.on('message', (data: Buffer, isBinary) => {
    const channel = isBinary ? data[0]! : data[0]! - 0x30;
    const text = isBinary ? data.toString('utf8', 1) : Buffer.from(data.toString('latin1', 1), 'base64').toString();
    channels[channel] = (channels[channel] ?? '') + text;
  });
  client.on('open', () => {
    for (const message of messages) client.send(message);
  });
  const [code] = (await once(client, 'close')) as [number];
  return { channels, code };
}

/** The answer to a handshake that is refused. */
async function refused(path: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<string> {
  const sent = request(server.url + path, {
    method,
    ca: server.ca,
    headers: { authorization: `Bearer ${server.token}`, ...headers },
  });
  sent.end();
  const [response] = (await once(sent, 'response')) as [AsyncIterable<Buffer> & { readonly statusCode: number }];
  let text = '';
  for await (const piece of response) text += piece.toString();
  return `${response.statusCode} ${text.startsWith('{') ? (JSON.parse(text) as { message: string }).message : text}`;
}

const WEBSOCKET = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

const command = (script: string): string => `command=sh&command=-c&command=${encodeURIComponent(script)}`;
const exec = (script: string, more = ''): string =>
  `${PODS}/web/exec?container=main&stdout=true&stderr=true&${command(script)}${more}`;

describe('exec', () => {
  const failed = JSON.stringify({
    metadata: {},
    status: 'Failure',
    message: 'command terminated with non-zero exit code: exit status 3',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '3' }] },
  });

  it.each([
    ['v5.channel.k8s.io', failed],
    ['v4.channel.k8s.io', failed],
    ['v4.base64.channel.k8s.io', failed],
    ['channel.k8s.io', 'command terminated with non-zero exit code: exit status 3'],
    ['', 'command terminated with non-zero exit code: exit status 3'],
  ])('over a websocket with %j', async (protocol, outcome) => {
    expect(await talk(exec('echo out; echo err >&2; exit 3'), protocol)).toEqual({
      channels: { 1: 'out\n', 2: 'err\n', 3: outcome },
      code: 1000,
    });
  });

  it('gives stdin to the command, and its end in v5', async () => {
    const path = exec('cat; echo end', '&stdin=true');
    const { channels } = await talk(path, 'v5.channel.k8s.io', Buffer.from('\0hello\n'), Buffer.from([255, 0]));
    expect(channels).toEqual({ 1: 'hello\nend\n', 3: '{"metadata":{},"status":"Success"}' });
  });

  it('tells of a program that is missing', async () => {
    const path = `${PODS}/web/exec?container=side&stdout=true&command=nope`;
    const { channels } = await talk(path, 'v4.channel.k8s.io');
    const { reason, code, message } = JSON.parse(channels[3]!) as Record<string, unknown>;
    expect([reason, code]).toEqual(['InternalError', 500]);
    expect(message).toContain('exec: "nope": executable file not found in $PATH');
  });

  it('refuses in the words of the API server', async () => {
    expect(await refused(exec('true'), {})).toBe('400 Upgrade request required');
    expect(await refused(`${PODS}/nope/exec?stdout=true&command=true`, WEBSOCKET)).toBe('404 pods "nope" not found');
    expect(await refused(`${PODS}/web/exec?container=zz&stdout=true`, WEBSOCKET)).toBe(
      '400 container zz is not valid for pod web',
    );
    expect(await refused(`${PODS}/web/exec?stdout=true`, WEBSOCKET)).toBe(
      '400 a container name must be specified for pod web, choose one of: [main side]',
    );
    expect(await refused(`${PODS}/web/exec?container=main&command=true`, WEBSOCKET)).toBe(
      '400 you must specify at least 1 of stdin, stdout, stderr',
    );
    const old = { ...WEBSOCKET, 'sec-websocket-protocol': 'v3.channel.k8s.io, v2.channel.k8s.io' };
    expect(await refused(exec('true'), old)).toBe('403 ');
  });

  it('over SPDY', async () => {
    const client = await spdy(exec('cat; echo err >&2; exit 3', '&stdin=true'), 'v4.channel.k8s.io');
    const [error, stdin, stdout, stderr] = ['error', 'stdin', 'stdout', 'stderr'].map((streamType) =>
      client.open({ streamType }),
    ) as [number, number, number, number];
    client.write(stdin, 'hello\n', true);
    await client.until(() => client.isEnded(error) && client.isEnded(stdout) && client.isEnded(stderr));
    expect([client.text(stdout), client.text(stderr), client.text(error)]).toEqual(['hello\n', 'err\n', failed]);
    await client.closed;
  });
});

/** A connection that speaks SPDY after its handshake. */
async function spdy(path: string, protocol: string): Promise<SpdyClient> {
  const sent = request(server.url + path, {
    method: 'POST',
    ca: server.ca,
    headers: {
      authorization: `Bearer ${server.token}`,
      connection: 'Upgrade',
      upgrade: 'SPDY/3.1',
      'x-stream-protocol-version': protocol,
    },
  });
  sent.end();
  const [response, socket] = (await once(sent, 'upgrade')) as [{ headers: Record<string, string> }, Socket];
  expect(response.headers['x-stream-protocol-version']).toBe(protocol);
  return new SpdyClient(socket);
}

describe('attach', () => {
  it('shows what the container writes, and types into it', async () => {
    const headers = { authorization: `Bearer ${server.token}` };
    const path = `${PODS}/web/attach?container=main&stdin=true&stdout=true&stderr=true`;
    const client = new WebSocket(server.url + path, ['v5.channel.k8s.io'], { ca: server.ca, headers });
    let text = '';
    client.on('message', (piece: Buffer) => (text += piece.toString('utf8', 1)));
    await once(client, 'open');
    client.send(Buffer.from('\0one\n'));
    await expect.poll(() => text, PATIENT).toContain('got one\n');
    client.terminate();
  });
});

describe('port-forward', () => {
  it('over SPDY, several connections in one', async () => {
    const client = await spdy(`${PODS}/web/portforward`, 'portforward.k8s.io');
    expect(await forwards(client)).toEqual(FORWARDED);
    client.send({ type: 'goAway', lastStreamId: 0, status: 0 });
  });

  it('over SPDY inside a websocket', async () => {
    const client = await openTunnel(`${PODS}/web/portforward`, 'SPDY/3.1+portforward.k8s.io');
    expect(await forwards(new SpdyClient(createWebSocketStream(client)))).toEqual(FORWARDED);
    client.terminate();
  });

  it('over the channels of a websocket', async () => {
    const headers = { authorization: `Bearer ${server.token}` };
    const path = `${PODS}/web/portforward?ports=${port}`;
    const client = new WebSocket(server.url + path, ['v5.channel.k8s.io', 'v4.channel.k8s.io'], {
      ca: server.ca,
      headers,
    });
    const messages: Buffer[] = [];
    client.on('message', (message: Buffer) => messages.push(message));
    await once(client, 'open');
    expect(client.protocol).toBe('v4.channel.k8s.io');
    client.send(Buffer.from('\0ping'));
    while (messages.length < 3) await once(client, 'message');
    const number = Buffer.from([port & 255, port >> 8]);
    expect(messages).toEqual([
      Buffer.concat([Buffer.from([0]), number]),
      Buffer.concat([Buffer.from([1]), number]),
      Buffer.from('\0ping'),
    ]);
    client.terminate();
  });
});

const FORWARDED = {
  one: 'first',
  two: 'second',
  error: '',
  refused: expect.stringMatching(
    /^error forwarding port 9 to pod web, uid \S+: dial tcp .*connection refused$/,
  ) as string,
};

/** Forwards two connections to the echo server, and one to a port that nobody serves. Answers what came back. */
async function forwards(client: SpdyClient): Promise<typeof FORWARDED> {
  const pair = (requestid: string, to: number): [number, number] => [
    client.open({ streamtype: 'error', port: String(to), requestid }, true),
    client.open({ streamtype: 'data', port: String(to), requestid }),
  ];
  const [, one] = pair('0', port);
  const [error, two] = pair('1', port);
  const [refusedError] = pair('2', 9);
  client.write(one, 'first');
  client.write(two, 'second', true);
  await client.until(() => client.isEnded(two) && client.isEnded(error) && client.isEnded(refusedError));
  await client.until(() => client.text(one) === 'first');
  const [first, second, failure] = [one, two, error].map((id) => client.text(id)) as [string, string, string];
  return { one: first, two: second, error: failure, refused: client.text(refusedError) };
}

describe('@kubernetes/client-node', () => {
  it('runs a command with all its streams', async () => {
    const outcome = await runByLibrary(server.kubeconfig, 'read line; echo "got $line"; echo err >&2; exit 3', 'one\n');
    expect(outcome).toEqual({ stdout: 'got one\n', stderr: 'err\n', exitCode: '3' });
  });

  it('forwards a port', async () => {
    expect(await forwardByLibrary(server.kubeconfig, port, 'ping')).toBe('ping');
  });
});

describe('log', () => {
  it.each(['binary.k8s.io', 'base64.binary.k8s.io', ''])('over a websocket with %j', async (protocol) => {
    const headers = { authorization: `Bearer ${server.token}` };
    const path = `${PODS}/web/log?container=main&limitBytes=6`;
    const client = new WebSocket(server.url + path, protocol === '' ? [] : [protocol], { ca: server.ca, headers });
    let text = '';
    client.on('message', (message: Buffer) => (text += message.toString()));
    const [code] = (await once(client, 'close')) as [number];
    expect([text, code]).toEqual([protocol.startsWith('base64') ? 'cmVhZHkK' : 'ready\n', 1000]);
  });

  it('in plain text, and its errors', async () => {
    const log = (query: string): Promise<string> => refused(`${PODS}/web/log?${query}`, {});
    expect(await log('container=main&limitBytes=4')).toBe('200 read');
    expect(await log('container=main&limitBytes=4&follow=true')).toBe('200 read');
    expect(await log('container=zz')).toBe('400 container zz is not valid for pod web');
    expect(await log('')).toBe('400 a container name must be specified for pod web, choose one of: [main side]');
    expect(await log('container=main&previous=true')).toBe(
      '400 previous terminated container "main" in pod "web" not found',
    );
    expect(await log('container=main&tailLines=-2')).toBe(
      '422 PodLogOptions "web" is invalid: tailLines: Invalid value: -2: must be greater than or equal to 0',
    );
  });
});

describe('proxy', () => {
  it('passes requests on, without the token', async () => {
    const seen: string[] = [];
    const http = createServer((socket) => {
      socket.once('data', (head) => {
        seen.push(head.toString());
        socket.end('HTTP/1.1 201 Fine\r\nContent-Length: 5\r\n\r\nhello');
      });
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const { port: at } = http.address() as AddressInfo;
    expect(await refused(`${PODS}/web:${at}/proxy/a%2Fb?c=d`, { 'x-own': '1' }, 'DELETE')).toBe('201 hello');
    http.close();
    expect(seen[0]).toMatch(/^DELETE \/a%2Fb\?c=d HTTP\/1\.1\r\n/);
    expect(seen[0]).toContain('x-own: 1');
    expect(seen[0]).not.toContain(server.token);
  });

  it('takes every method, and leads redirects of the program through the proxy', async () => {
    const seen: string[] = [];
    const http = createServer((socket) => {
      socket.once('data', (head) => {
        seen.push(head.toString().split(' ')[0]!);
        socket.end(
          'HTTP/1.1 302 Found\r\nLocation: /login?from=a\r\n' +
            'Access-Control-Allow-Origin: *\r\nContent-Length: 0\r\n\r\n',
        );
      });
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const proxy = `${PODS}/web:${(http.address() as AddressInfo).port}/proxy`;
    const headers = { authorization: `Bearer ${server.token}` };
    const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];
    for (const method of methods) {
      const sent = request(`${server.url}${proxy}/a`, { method, ca: server.ca, headers }).end();
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      answer.resume();
      expect(answer.statusCode).toBe(302);
      expect(answer.headers.location).toBe(`${proxy}/login?from=a`);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
    http.close();
    expect(seen).toEqual(methods);
  });

  it('leads the links of a page through itself', async () => {
    const http = createHttpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': 18 }).end('<a href="/x">x</a>');
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const proxy = `${PODS}/web:${(http.address() as AddressInfo).port}/proxy`;
    const headers = { authorization: `Bearer ${server.token}` };
    const sent = request(`${server.url}${proxy}/a`, { ca: server.ca, headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(Buffer.concat((await answer.toArray()) as Buffer[]).toString()).toBe(`<a href="${proxy}/x">x</a>`);
    http.close();
  });

  it('leads a websocket to the program', async () => {
    const http = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(http, 'listening');
    http.on('connection', (socket) => socket.on('message', (data: Buffer) => socket.send(`got ${data.toString()}`)));
    const headers = { authorization: `Bearer ${server.token}` };
    const path = `${PODS}/web:${(http.address() as AddressInfo).port}/proxy/live`;
    const client = new WebSocket(server.url + path, { ca: server.ca, headers });
    await once(client, 'open');
    client.send('word');
    const [data] = (await once(client, 'message')) as [Buffer];
    expect(data.toString()).toBe('got word');
    client.terminate();
    http.close();
  });

  it('redirects to a path with a slash, and tells of what is not there', async () => {
    expect(await refused(`${PODS}/web:80/proxy?a=b`, {})).toBe('301 ');
    expect(await refused(`${PODS}/nope:80/proxy/`, {})).toBe('404 pods "nope" not found');
    expect(await refused(`${PODS}/web:9/proxy/`, {})).toMatch(
      /^503 error trying to reach service: dial tcp [\d.]+:9: connect: connection refused$/,
    );
  });
});
