import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeHealthResponse, encodeHealthRequest } from '../../src/kubelet/probe/grpc-message.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { closedPort, http2Server, httpServer, tcpServer, turnsOfTheLoop } from './local-servers.ts';
import { AMPLE_SECONDS, type Circumstances, probing } from './probing.ts';

type Outcome = Awaited<ReturnType<typeof probing>>;

/** A check. By a clock of the test, its time limit is two seconds. */
const check = (port: number, service?: string, circumstances?: Circumstances): Promise<Outcome> =>
  probing({ grpc: { port, service }, ...(circumstances?.clock && { timeoutSeconds: 2 }) }, circumstances);

const GRPC_HEAD = { ':status': 200, 'content-type': 'application/grpc' };

/** Answers a call as gRPC does: head, one message, trailers. */
function answer(stream: ServerHttp2Stream, message: Buffer, trailers: Record<string, string> = {}): void {
  stream.respond(GRPC_HEAD, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', ...trailers }));
  stream.end(message);
}

const framed = (...message: number[]): Buffer => Buffer.of(0, 0, 0, 0, message.length, ...message);

describe('a gRPC probe', () => {
  it.each([
    { status: 0, name: 'UNKNOWN', result: 'failure' },
    { status: 1, name: 'SERVING', result: 'success' },
    { status: 2, name: 'NOT_SERVING', result: 'failure' },
    { status: 3, name: 'SERVICE_UNKNOWN', result: 'failure' },
    { status: 9, name: '9', result: 'failure' },
  ])('of $name is a $result', async ({ status, name, result }) => {
    const port = await http2Server((stream) => answer(stream, framed(8, status)));
    const output = result === 'success' ? 'service healthy' : `service unhealthy (responded with "${name}")`;
    expect(await check(port)).toEqual({ result, output });
  });

  it('asks the health service about the service of the handler', async () => {
    const seen: { headers: IncomingHttpHeaders; body: Buffer }[] = [];
    const port = await http2Server((stream, headers) => {
      const body: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => body.push(chunk));
      stream.once('end', () => {
        seen.push({ headers, body: Buffer.concat(body) });
        answer(stream, framed(8, 1));
      });
    });
    await check(port, 'liveness');
    await check(port);
    expect(seen[0]?.headers).toMatchObject({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      'user-agent': 'kube-probe/1.36',
      te: 'trailers',
    });
    expect(seen.map(({ body }) => body)).toEqual([framed(0x0a, 8, ...Buffer.from('liveness')), framed()]);
  });

  it.each<{ name: string; onStream: (stream: ServerHttp2Stream) => void; output: string }>([
    {
      name: 'does not know the service',
      onStream: (stream) =>
        answer(stream, Buffer.alloc(0), { 'grpc-status': '5', 'grpc-message': 'unknown%20service' }),
      output: 'error: health rpc probe failed: rpc error: code = NotFound desc = unknown service',
    },
    {
      name: 'has no health service',
      onStream: (stream) =>
        stream.respond({ ...GRPC_HEAD, 'grpc-status': '12', 'grpc-message': 'unknown' }, { endStream: true }),
      output: 'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown',
    },
    {
      name: 'gives up itself',
      onStream: (stream) => stream.respond({ ...GRPC_HEAD, 'grpc-status': '4' }, { endStream: true }),
      output: `timeout: health rpc did not complete within ${AMPLE_SECONDS}s`,
    },
    {
      name: 'speaks HTTP/2, but no gRPC',
      onStream: (stream) => stream.respond({ ':status': 404, 'content-type': 'text/html' }, { endStream: true }),
      output:
        'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unexpected HTTP ' +
        'status code received from server: 404 (Not Found); transport: received unexpected content-type "text/html"',
    },
    {
      name: 'forgets the trailers',
      onStream: (stream) => {
        stream.respond(GRPC_HEAD);
        stream.end(framed(8, 1));
      },
      output:
        'error: health rpc probe failed: rpc error: code = Internal desc = server closed the stream without sending ' +
        'trailers',
    },
    {
      name: 'sends something else',
      onStream: (stream) => answer(stream, framed(0x0a, 9, 1)),
      output:
        'error: health rpc probe failed: rpc error: code = Internal desc = grpc: failed to unmarshal the received ' +
        'message: proto: cannot parse invalid wire-format data',
    },
    {
      name: 'breaks the connection',
      onStream: (stream) => stream.session?.destroy(),
      output: 'error: health rpc probe failed: rpc error: code = Unavailable desc = error reading from server: EOF',
    },
  ])('fails when the server $name', async ({ onStream, output }) => {
    expect(await check(await http2Server(onStream))).toEqual({ result: 'failure', output });
  });

  it('fails when the server sends without end', async () => {
    const port = await http2Server((stream) => {
      stream.respond(GRPC_HEAD);
      const more = (): void => void (!stream.destroyed && stream.write(Buffer.alloc(65_536)) && setImmediate(more));
      stream.on('drain', more);
      more();
    });
    expect(await check(port)).toMatchObject({ result: 'failure' });
  });
});

describe('a gRPC probe whose time is up', () => {
  it('after the call has failed to end', async () => {
    const clock = new ManualClock();
    let called: () => void = () => undefined;
    const wasCalled = new Promise<void>((resolve) => (called = resolve));
    const outcome = check(await http2Server(() => called()), undefined, { clock });
    await wasCalled;
    clock.advance(2000);
    expect(await outcome).toEqual({ result: 'failure', output: 'timeout: health rpc did not complete within 2s' });
    expect(clock.alarmCount).toBe(0);
  });

  it.each<{ name: string; listen: () => Promise<number> }>([
    { name: 'nobody listens', listen: closedPort },
    { name: 'the server says nothing', listen: () => tcpServer(() => undefined) },
    { name: 'the server speaks HTTP/1', listen: () => httpServer((_, response) => response.end()) },
  ])('while $name could not connect, however soon that was clear', async ({ listen }) => {
    const port = await listen();
    const clock = new ManualClock();
    const outcome = check(port, undefined, { clock });
    await turnsOfTheLoop();
    clock.advance(2000);
    expect(await outcome).toEqual({
      result: 'failure',
      output: `timeout: failed to connect service "127.0.0.1:${port}" within 2s: context deadline exceeded`,
    });
    expect(clock.alarmCount).toBe(0);
  });
});

describe('a gRPC probe of a server that is late', () => {
  it('tries again until it is reachable', async () => {
    let connections = 0;
    const clock = new ManualClock();
    const inner = await http2Server((stream) => answer(stream, framed(8, 1)));
    const net = process.getBuiltinModule('node:net');
    const port = await tcpServer((socket) => {
      // The first connection is closed; the others reach the server.
      if (connections++ === 0) {
        socket.destroy();
        return;
      }
      const through = net.connect(inner, '127.0.0.1');
      through.on('error', () => undefined);
      socket.pipe(through).pipe(socket);
    });
    const outcome = check(port, undefined, { clock });
    // Two alarms: the deadline, and the pause after the first failed attempt.
    await expect.poll(() => clock.alarmCount).toBe(2);
    clock.advance(1000);
    expect(await outcome).toEqual({ result: 'success', output: 'service healthy' });
    expect(connections).toBe(2);
  });
});

describe('the messages of the health protocol', () => {
  it('name services of any length', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 300 }), (service) => {
        const message = encodeHealthRequest(service).subarray(5);
        const text = Buffer.from(service);
        expect(message[0]).toBe(0x0a);
        expect(message.subarray(-text.length)).toEqual(text);
        const length = text.length < 128 ? [text.length] : [(text.length & 0x7f) | 0x80, text.length >>> 7];
        expect([...message.subarray(1, -text.length)]).toEqual(length);
      }),
    );
  });

  it.each([
    { name: 'an empty message', message: [], status: 'UNKNOWN' },
    {
      name: 'fields of another version',
      message: [0x12, 2, 1, 1, 0x19, 0, 0, 0, 0, 0, 0, 0, 0, 0x25, 0, 0, 0, 0, 8, 1],
      status: 'SERVING',
    },
    { name: 'a field that occurs twice', message: [8, 2, 8, 1], status: 'SERVING' },
  ])('may hold $name', ({ message, status }) => {
    expect(decodeHealthResponse(framed(...message))).toEqual({ ok: true, status });
  });

  it('never make the reader fail, whatever arrives', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.boolean(), (bytes, isFramed) => {
        const data = isFramed ? framed(...bytes) : Buffer.from(bytes);
        expect(decodeHealthResponse(data).ok).toBeTypeOf('boolean');
      }),
    );
  });
});
