import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { HealthService } from '../../src/network/proxy/health-service.ts';
import { ServiceProxy } from '../../src/network/proxy/service-proxy.ts';
import { listenerKey, type ServiceEndpoint, type ServiceListener } from '../../src/network/base/service-listener.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { freePort } from '../free-port.ts';

const clock = new ManualClock();
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function newProxy(): ServiceProxy {
  const proxy = new ServiceProxy({ clock, opens: () => true });
  closers.push(() => proxy.close());
  return proxy;
}

async function listen(onConnection: (socket: Socket) => void): Promise<ServiceEndpoint> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    closers.push(() => socket.destroy());
    onConnection(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closers.push(() => server.close());
  return { address: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

/** A server that tells its name and ends. */
const named = (name: string): Promise<ServiceEndpoint> => listen((socket) => socket.end(name));

async function listener(
  endpoints: readonly ServiceEndpoint[],
  more: Partial<ServiceListener> = {},
): Promise<ServiceListener> {
  const place = { network: 'machine', address: '127.0.0.1', port: await freePort() } as const;
  return { protocol: 'TCP', service: 'default/web:80', affinitySeconds: undefined, ...place, endpoints, ...more };
}

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
    const at = await listener([await named('a'), await named('b')]);
    expect(await newProxy().update([at])).toEqual([]);
    // By chance all go to one of them once in 2^39 runs.
    expect(await answers(at, 40)).toEqual(new Set(['a', 'b']));
  });

  it('refuses connections without endpoints, and takes them again with the first one', async () => {
    const at = await listener([await named('a')]);
    const proxy = newProxy();
    await proxy.update([{ ...at, endpoints: [] }]);
    expect(await errorOf(client(at))).toBe('ECONNREFUSED');
    await proxy.update([at]);
    expect(await text(client(at))).toBe('a');
    await proxy.update([]);
    expect(await errorOf(client(at))).toBe('ECONNREFUSED');
  });

  it('keeps open connections when its endpoints go, and sends new ones to other endpoints', async () => {
    const echo = await listen((socket) => socket.pipe(socket));
    const at = await listener([echo]);
    const proxy = newProxy();
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
    const at = await listener(all, { near });
    const proxy = newProxy();
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
    const beside = await listener([await named('beside')]);
    await proxy.update([{ ...at, near: [{ clients: '127.0.0.0/24', endpoints: [] }] }, beside]);
    expect(await text(client(beside))).toBe('beside');
    expect(isAnswered).toBe(false);
    const echo = await listen((socket) => socket.pipe(socket));
    // In a cluster, the kernel of the client tries again.
    await proxy.update([{ ...at, near: [{ clients: '127.0.0.0/24', endpoints: [echo] }] }]);
    held.end('two');
    expect(await text(held)).toBe('onetwo');
  });

  it('tries the next endpoint when one refuses, and resets when all do', async () => {
    const dead = { address: '127.0.0.1', port: await freePort() };
    const at = await listener([dead, await named('a')]);
    const proxy = newProxy();
    await proxy.update([at]);
    expect(await answers(at, 10)).toEqual(new Set(['a']));
    await proxy.update([{ ...at, endpoints: [dead] }]);
    expect(await errorOf(client(at))).toBe('ECONNRESET');
  });

  it('passes on the end of one direction, and the opposite one stays open', async () => {
    const asked: Buffer[] = [];
    const at = await listener([
      await listen((socket) => {
        socket.on('data', (chunk: Buffer) => asked.push(chunk));
        socket.on('end', () => socket.end(`answer to ${Buffer.concat(asked).toString()}`));
      }),
    ]);
    await newProxy().update([at]);
    const socket = client(at);
    socket.end('question');
    expect(await text(socket)).toBe('answer to question');
  });

  it('passes on all bytes of a large answer to a slow reader', async () => {
    const size = 4_000_000;
    const at = await listener([await listen((socket) => socket.end(Buffer.alloc(size, 'x')))]);
    await newProxy().update([at]);
    const socket = client(at);
    socket.end();
    socket.pause();
    await once(socket, 'connect');
    expect((await text(socket)).length).toBe(size);
  });

  it('passes on resets in both directions', async () => {
    const proxy = newProxy();
    const resetting = await listener([await listen((socket) => socket.once('data', () => socket.resetAndDestroy()))]);
    let atServer: Promise<unknown> | undefined;
    const waiting = await listener([
      await listen((socket) => {
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
    const at = await listener(endpoints, { affinitySeconds: 10 });
    const proxy = newProxy();
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
    const at = await listener(endpoints, { affinitySeconds: 10 });
    await newProxy().update([at]);
    const seen = await Promise.all(Array.from({ length: 12 }, () => text(client(at))));
    expect(new Set(seen).size).toBe(1);
  });

  it('tells of a port that is taken, and tries again', async () => {
    const taken = await named('other');
    const at = await listener([await named('a')], taken);
    const [trouble] = await newProxy().update([at]);
    expect(trouble).toMatchObject({ listener: at, error: { code: 'EADDRINUSE' } });
  });

  it('takes over a listening socket', async () => {
    const proxy = new ServiceProxy({ clock, opens: () => false });
    closers.push(() => proxy.close());
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const at = await listener([await named('a')], { port: (server.address() as AddressInfo).port });
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
    const endpoint = await listen((socket) => connections.push(socket.end('a')));
    const at = await listener([endpoint]);
    const proxy = newProxy();
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
    const at = await listener([], { health });
    const proxy = newProxy();
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
    const at = await listener([], { health });
    const proxy = new ServiceProxy({ clock, opens: () => false });
    closers.push(() => proxy.close());
    await proxy.update([at]);
    const socket = createServer();
    await once(socket.listen(at.port, at.address), 'listening');
    proxy.adopt(listenerKey(at), socket);
    expect(await answerOf(at)).toMatchObject({ status: 200 });
  });

  it('ends a connection that asks nothing', async () => {
    const at = await listener([], { health });
    const service = await HealthService.open(at.address, at.port, health, 50);
    closers.push(() => service.close());
    const idle = client(at).resume();
    await once(idle, 'end');
    expect(idle.bytesRead).toBe(0);
  });
});

describe('a UDP port of a Service', () => {
  async function udp(
    onMessage: (socket: DatagramSocket, message: Buffer, port: number) => void,
  ): Promise<ServiceEndpoint> {
    const socket = createSocket('udp4');
    socket.on('message', (message, { port }) => onMessage(socket, message, port));
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    closers.push(() => socket.close());
    return { address: '127.0.0.1', port: socket.address().port };
  }

  const echo = (name: string): Promise<ServiceEndpoint> =>
    udp((socket, message, port) => socket.send(`${name} ${message.toString()} ${port}`, port, '127.0.0.1'));

  async function ask(socket: DatagramSocket, at: ServiceListener, question: string): Promise<string> {
    socket.send(question, at.port, at.address);
    const [answer] = (await once(socket, 'message')) as [Buffer];
    return answer.toString();
  }

  async function udpClient(): Promise<DatagramSocket> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    closers.push(() => socket.close());
    return socket;
  }

  it('relays datagrams, and a client keeps its endpoint until it was quiet', async () => {
    const at = await listener([await echo('a')], { protocol: 'UDP' });
    await newProxy().update([at]);
    const socket = await udpClient();
    const first = await ask(socket, at, 'x');
    expect(first).toMatch(/^a x \d+$/);
    clock.advance(29_000);
    expect(await ask(socket, at, 'x')).toBe(first);
    clock.advance(30_000);
    expect(await ask(socket, at, 'x')).not.toBe(first);
  });

  it('goes to another endpoint when its own is gone', async () => {
    const at = await listener([await echo('a')], { protocol: 'UDP' });
    const proxy = newProxy();
    await proxy.update([at]);
    const socket = await udpClient();
    expect(await ask(socket, at, 'x')).toContain('a x');
    await proxy.update([{ ...at, endpoints: [await echo('b')] }]);
    expect(await ask(socket, at, 'x')).toContain('b x');
  });

  it('drops the datagrams of a denied client until policies permit it', async () => {
    const at = await listener([await echo('a')], { protocol: 'UDP' });
    const proxy = newProxy();
    const judged: unknown[] = [];
    const denied = new Promise<void>((resolve) => {
      proxy.restrict(({ from, protocol }) => {
        judged.push(`${protocol} ${from}`);
        resolve();
        return false;
      });
    });
    await proxy.update([at]);
    const socket = await udpClient();
    socket.send('denied', at.port, at.address);
    await denied;
    proxy.restrict(() => true);
    expect(await ask(socket, at, 'x')).toContain('a x');
    expect(judged).toEqual(['UDP 127.0.0.1']);
  });

  it('refuses datagrams without endpoints', async () => {
    const at = await listener([], { protocol: 'UDP' });
    await newProxy().update([at]);
    const socket = createSocket('udp4');
    closers.push(() => socket.close());
    socket.connect(at.port, at.address);
    await once(socket, 'connect');
    socket.send('x');
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
  });
});
