import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ServiceEndpoint, ServiceListener } from '../../src/network/base/service-listener.ts';
import { ProxyRig } from './proxy-rig.ts';

const rig = new ProxyRig();
const { clock, closers } = rig;

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
    const at = await rig.listener([await echo('a')], { protocol: 'UDP' });
    await rig.newProxy().update([at]);
    const socket = await udpClient();
    const first = await ask(socket, at, 'x');
    expect(first).toMatch(/^a x \d+$/);
    clock.advance(29_000);
    expect(await ask(socket, at, 'x')).toBe(first);
    clock.advance(30_000);
    expect(await ask(socket, at, 'x')).not.toBe(first);
  });

  it('goes to another endpoint when its own is gone', async () => {
    const at = await rig.listener([await echo('a')], { protocol: 'UDP' });
    const proxy = rig.newProxy();
    await proxy.update([at]);
    const socket = await udpClient();
    expect(await ask(socket, at, 'x')).toContain('a x');
    await proxy.update([{ ...at, endpoints: [await echo('b')] }]);
    expect(await ask(socket, at, 'x')).toContain('b x');
  });

  it('drops the datagrams of a denied client until policies permit it', async () => {
    const at = await rig.listener([await echo('a')], { protocol: 'UDP' });
    const proxy = rig.newProxy();
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
    const at = await rig.listener([], { protocol: 'UDP' });
    await rig.newProxy().update([at]);
    const socket = createSocket('udp4');
    closers.push(() => socket.close());
    socket.connect(at.port, at.address);
    await once(socket, 'connect');
    socket.send('x');
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
  });
});
