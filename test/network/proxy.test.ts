import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { HealthService } from '../../src/network/proxy/health-service.ts';
import { ServiceProxy } from '../../src/network/proxy/service-proxy.ts';
import { listenerKey, type ServiceEndpoint, type ServiceListener } from '../../src/network/base/service-listener.ts';
import { freePort } from '../free-port.ts';
import { ProxyRig } from './proxy-rig.ts';

const rig = new ProxyRig();
const { clock, closers } = rig;

/** A server that tells its name and ends. */
const named = (name: string): Promise<ServiceEndpoint> => rig.listen((socket) => socket.end(name));

function client({ address, port }: ServiceListener): Socket {
  const socket = connect({ host: address, port, allowHalfOpen: true });
  closers.push(() => socket.destroy());
  return socket;
}

/** The code of the error with which a connection ends. */
async function errorOf(socket: Socket): Promise<unknown> {
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  return error.code;
}

async function answers(at: ServiceListener, count: number): Promise<Set<string>> {
  const seen = new Set<string>();
  for (let index = 0; index < count; index++) seen.add(await text(client(at)));
  return seen;
}

describe('a TCP port of a Service', () => {
  it('leads to each of its endpoints', async () => {
    const at = await rig.listener([await named('a'), await named('b')]);
    expect(await rig.newProxy().update([at])).toEqual([]);
    // By chance all go to one of them once in 2^39 runs.
    expect(await answers(at, 40)).toEqual(new Set(['a', 'b']));
  });

  it('refuses connections without endpoints, and takes them again with the first one', async () => {
    const at = await rig.listener([await named('a')]);
    const proxy = rig.newProxy();
    await proxy.update([{ ...at, endpoints: [] }]);
    expect(await errorOf(client(at))).toBe('ECONNREFUSED');
    await proxy.update([at]);
    expect(await text(client(at))).toBe('a');
    await proxy.update([]);
    expect(await errorOf(client(at))).toBe('ECONNREFUSED');
  });

  it('keeps open connections when its endpoints go, and sends new ones to other endpoints', async () => {
    const echo = await rig.listen((socket) => socket.pipe(socket));
    const at = await rig.listener([echo]);
    const proxy = rig.newProxy();
    await proxy.update([at]);
    const open = client(at);
    await once(open, 'connect');
    open.write('one');
    expect(String((await once(open, 'data'))[0])).toBe('one');
    await proxy.update([{ ...at, endpoints: [await named('b')] }]);
    expect(await text(client(at))).toBe('b');
    await proxy.update([]);
    open.end('two');
    expect(await text(open)).toBe('two');
  });

  it('leads the clients of a node to its endpoints, and gives no answer where it has none', async () => {
    const all = [await named('far')];
    const near = [{ clients: '127.0.0.0/24', endpoints: [await named('near')] }];
    const at = await rig.listener(all, { near });
    const proxy = rig.newProxy();
    await proxy.update([at]);
    expect(await answers(at, 8)).toEqual(new Set(['near']));
    await proxy.update([{ ...at, near: [{ clients: '10.0.0.0/8', endpoints: [] }] }]);
    expect(await answers(at, 8)).toEqual(new Set(['far']));
    await proxy.update([{ ...at, near: [{ clients: '127.0.0.0/24', endpoints: [] }] }]);
    const held = client(at);
    await once(held, 'connect');
    held.write('one');
    let isAnswered = false;
    held.once('data', () => (isAnswered = true)).once('error', () => (isAnswered = true));
    // The answer of another listener comes later.
    const beside = await rig.listener([await named('beside')]);
    await proxy.update([{ ...at, near: [{ clients: '127.0.0.0/24', endpoints: [] }] }, beside]);
    expect(await text(client(beside))).toBe('beside');
    expect(isAnswered).toBe(false);
    const echo = await rig.listen((socket) => socket.pipe(socket));
    // In a cluster, the kernel of the client tries again.
    await proxy.update([{ ...at, near: [{ clients: '127.0.0.0/24', endpoints: [echo] }] }]);
    held.end('two');
    expect(await text(held)).toBe('onetwo');
  });

  it('keeps a part of what a client sends that waits for an endpoint, and passes on all of it then', async () => {
    const counting = await rig.listen((socket) => {
      let bytes = 0;
      socket.on('data', ({ length }) => (bytes += length)).once('end', () => socket.end(`${bytes}`));
    });
    const size = 32 * 1024 * 1024;
    const at = await rig.listener([], { near: [{ clients: '127.0.0.0/24', endpoints: [] }] });
    const beside = await rig.listener([counting]);
    const waits = { ...at, endpoints: [await named('far')] };
    const proxy = rig.newProxy();
    await proxy.update([waits, beside]);
    const held = client(at);
    await once(held, 'connect');
    held.end(Buffer.alloc(size, 'x'));
    // As many bytes on the same way, which go through: all that the proxy reads of the first client has been read then.
    const other = client(beside);
    other.end(Buffer.alloc(size, 'x'));
    expect(await text(other)).toBe(`${size}`);
    expect(held.writableLength).toBeGreaterThan(0);
    await proxy.update([{ ...waits, near: [{ clients: '127.0.0.0/24', endpoints: [counting] }] }, beside]);
    expect(await text(held)).toBe(`${size}`);
  });

  it('tries the next endpoint when one refuses, and resets when all do', async () => {
    const dead = { address: '127.0.0.1', port: await freePort() };
    const at = await rig.listener([dead, await named('a')]);
    const proxy = rig.newProxy();
    await proxy.update([at]);
    expect(await answers(at, 10)).toEqual(new Set(['a']));
    await proxy.update([{ ...at, endpoints: [dead] }]);
    expect(await errorOf(client(at))).toBe('ECONNRESET');
  });

  it('passes on the end of one direction, and the opposite one stays open', async () => {
    const asked: Buffer[] = [];
    const at = await rig.listener([
      await rig.listen((socket) => {
        socket.on('data', (chunk: Buffer) => asked.push(chunk));
        socket.on('end', () => socket.end(`answer to ${Buffer.concat(asked).toString()}`));
      }),
    ]);
    await rig.newProxy().update([at]);
    const socket = client(at);
    socket.end('question');
    expect(await text(socket)).toBe('answer to question');
  });

  it('passes on all bytes of a large answer to a slow reader', async () => {
    const size = 4_000_000;
    const at = await rig.listener([await rig.listen((socket) => socket.end(Buffer.alloc(size, 'x')))]);
    await rig.newProxy().update([at]);
    const socket = client(at);
    socket.end();
    socket.pause();
    await once(socket, 'connect');
    expect((await text(socket)).length).toBe(size);
  });

  it('passes on resets in both directions', async () => {
    const proxy = rig.newProxy();
    const resetting = await rig.listener([
      await rig.listen((socket) => socket.once('data', () => socket.resetAndDestroy())),
    ]);
    let atServer: Promise<unknown> | undefined;
    const waiting = await rig.listener([
      await rig.listen((socket) => {
        atServer = once(socket, 'error').then(([error]) => (error as NodeJS.ErrnoException).code);
        socket.write('hello');
      }),
    ]);
    await proxy.update([resetting, waiting]);
    const one = client(resetting);
    one.write('x');
    expect(await errorOf(one)).toBe('ECONNRESET');
    const other = client(waiting);
    await once(other, 'data');
    other.resetAndDestroy();
    expect(await atServer).toBe('ECONNRESET');
  });

  it('keeps a client at its endpoint until it was quiet for the time-out', async () => {
    const endpoints = [await named('a'), await named('b'), await named('c')];
    const at = await rig.listener(endpoints, { affinitySeconds: 10 });
    const proxy = rig.newProxy();
    await proxy.update([at]);
    const [first] = await answers(at, 1);
    clock.advance(9000);
    expect(await answers(at, 20)).toEqual(new Set([first]));
    const others = endpoints.filter((_, index) => ['a', 'b', 'c'][index] !== first);
    await proxy.update([{ ...at, endpoints: others }]);
    expect(await answers(at, 5)).not.toContain(first);
    await proxy.update([at]);
    const seen = new Set<string>();
    for (let index = 0; index < 60; index++) {
      clock.advance(10_001);
      for (const answer of await answers(at, 1)) seen.add(answer);
    }
    expect(seen).toEqual(new Set(['a', 'b', 'c']));
  });

  it('leads connections that a client opens at the same time to one endpoint', async () => {
    const endpoints = await Promise.all(['a', 'b', 'c', 'd'].map(named));
    const at = await rig.listener(endpoints, { affinitySeconds: 10 });
    await rig.newProxy().update([at]);
    const seen = await Promise.all(Array.from({ length: 12 }, () => text(client(at))));
    expect(new Set(seen).size).toBe(1);
  });

  it('tells of a port that is taken, and tries again', async () => {
    const taken = await named('other');
    const at = await rig.listener([await named('a')], taken);
    const [trouble] = await rig.newProxy().update([at]);
    expect(trouble).toMatchObject({ listener: at, error: { code: 'EADDRINUSE' } });
  });

  it('takes over a listening socket', async () => {
    const proxy = new ServiceProxy({ clock, opens: () => false });
    closers.push(() => proxy.close());
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const at = await rig.listener([await named('a')], { port: (server.address() as AddressInfo).port });
    await proxy.update([at]);
    proxy.adopt(listenerKey(at), server);
    expect(await text(client(at))).toBe('a');
    await proxy.update([]);
    expect(await errorOf(client(at))).toBe('ECONNREFUSED');
  });
});

describe('a TCP port of a Service under policies', () => {
  it('judges the client and its endpoint, and leaves a denied client without an answer until it gives up', async () => {
    const connections: Socket[] = [];
    const endpoint = await rig.listen((socket) => connections.push(socket.end('a')));
    const at = await rig.listener([endpoint]);
    const proxy = rig.newProxy();
    const judged: unknown[] = [];
    proxy.restrict((connection) => judged.push(connection) > 1);
    await proxy.update([at]);
    const denied = client(at);
    denied.write('hello');
    await once(denied, 'connect');
    expect(await text(client(at))).toBe('a');
    const { address: to, port } = endpoint;
    const connection = { from: '127.0.0.1', to, protocol: 'TCP', port };
    expect(judged).toEqual([connection, connection]);
    expect(connections).toHaveLength(1);
    expect(denied.readableEnded).toBe(false);
    denied.end('bye');
    expect(await text(denied)).toBe('');
    expect(connections).toHaveLength(1);
  });
});

describe('the health check port of a Service', () => {
  const health = { namespace: 'default', name: 'web', localEndpoints: 2 };
  const answerOf = async ({ address, port }: ServiceListener): Promise<unknown> => {
    const { status, headers, ...answer } = await fetch(`http://${address}:${port}/any`).then(async (response) => ({
      status: response.status,
      headers: response.headers,
      body: await response.json(),
    }));
    return { status, weight: headers.get('x-load-balancing-endpoint-weight'), ...answer };
  };

  it('responds as kube-proxy does, also without an endpoint', async () => {
    const at = await rig.listener([], { health });
    const proxy = rig.newProxy();
    expect(await proxy.update([at])).toEqual([]);
    const service = { namespace: 'default', name: 'web' };
    expect(await answerOf(at)).toEqual({
      status: 200,
      weight: '2',
      body: { service, localEndpoints: 2, serviceProxyHealthy: true },
    });
    await proxy.update([{ ...at, health: { ...health, localEndpoints: 0 } }]);
    expect(await answerOf(at)).toEqual({
      status: 503,
      weight: '0',
      body: { service, localEndpoints: 0, serviceProxyHealthy: true },
    });
    await proxy.update([]);
    expect(await errorOf(client(at))).toBe('ECONNREFUSED');
  });

  it('responds on a socket that another process has made', async () => {
    const at = await rig.listener([], { health });
    const proxy = new ServiceProxy({ clock, opens: () => false });
    closers.push(() => proxy.close());
    await proxy.update([at]);
    const socket = createServer();
    await once(socket.listen(at.port, at.address), 'listening');
    proxy.adopt(listenerKey(at), socket);
    expect(await answerOf(at)).toMatchObject({ status: 200 });
  });

  it('ends a connection that asks nothing', async () => {
    const at = await rig.listener([], { health });
    const service = await HealthService.open(at.address, at.port, health, 50);
    closers.push(() => service.close());
    const idle = client(at).resume();
    await once(idle, 'end');
    expect(idle.bytesRead).toBe(0);
  });
});
