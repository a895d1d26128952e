import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { SystemClock } from '../../../src/clock.ts';
import { NetworkHelper } from '../../../src/network/linux/helper-process.ts';
import { Helper } from '../../../src/network/linux/helper/helper.ts';
import { freePort } from '../../free-port.ts';
import { PATIENT } from '../../patience.ts';

async function bound(): Promise<Socket> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

/** The text that a client hears at a port of this machine, or the error of its connection. */
function heardAt(port: number): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    connect({ port, host: '127.0.0.1' })
      .on('data', (piece) => (text += String(piece)))
      .on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? ''))
      .on('close', () => resolve(text));
  });
}

it('the helper leads datagrams of a port of this machine to their target, and the replies back', async (context) => {
  const [server, port, client] = [await bound(), await bound(), await bound()];
  const helper = new Helper(() => undefined, new SystemClock());
  context.onTestFinished(() => {
    helper.handle({ type: 'stop', id: 2, served: 1 }, undefined);
    for (const socket of [server, client]) socket.close();
  });
  server.on('message', (message, { port: from }) => server.send(`${String(message)}, too`, from));
  helper.handle({ type: 'serve', id: 1, host: '127.0.0.1', port: server.address().port }, port);
  client.send('hello', port.address().port, '127.0.0.1');
  const [answer] = (await once(client, 'message')) as [Buffer];
  expect(String(answer)).toBe('hello, too');
});

it('helpers that cannot start are not started for ever, and Services are tried again when asked', async () => {
  // In place of nsenter: a program that ends at once.
  const helper = new NetworkHelper({ nsenter: '/bin/false', holderPid: process.pid, isUsers: false });
  const endpoints = [{ address: '127.0.0.1', port: 1 }];
  const place = { protocol: 'TCP', network: 'pods', address: '127.0.0.1', port: 1 } as const;
  const services = [{ ...place, service: 'default/web:1', endpoints, affinitySeconds: undefined }];
  const ended = vi.spyOn(helper, 'update');
  await expect(helper.update(services)).rejects.toThrow(/has ended|EPIPE|closed/);
  await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(6), PATIENT);
  await expect(helper.update(services)).rejects.toThrow(/has ended|EPIPE|closed/);
  expect(ended).toHaveBeenCalledTimes(7);
  helper.close();
});

it('a port that is on its way to a helper takes no connection: nothing would respond to it', async ({
  onTestFinished,
}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-helper-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // In place of nsenter: a slow start, in the same network.
  const nsenter = path.join(folder, 'nsenter');
  const script = `#!/bin/sh\nsleep 0.3\nwhile [ "$1" != '${process.execPath}' ]; do shift; done\nexec "$@"\n`;
  writeFileSync(nsenter, script, { mode: 0o755 });
  const helper = new NetworkHelper({ nsenter, holderPid: process.pid, isUsers: false });
  const target = createServer((client) => client.end('hello')).listen(0, '127.0.0.1');
  onTestFinished(() => {
    helper.close();
    target.close();
  });
  const names = await bound();
  const server = { address: '127.0.0.1', port: names.address().port };
  const named = helper.request({ type: 'nameServer', server }, names);
  const at = { address: '127.0.0.1', port: await freePort() };
  const { port } = target.address() as AddressInfo;
  const heard: Promise<string>[] = [];
  const asking = setInterval(() => heard.push(heardAt(at.port)), 10);
  onTestFinished(() => clearInterval(asking));
  await helper.serve({ protocol: 'TCP', at, target: { host: '127.0.0.1', port }, onLost: () => undefined });
  clearInterval(asking);
  await named;
  expect(new Set(await Promise.all([...heard, heardAt(at.port)]))).toEqual(new Set(['ECONNREFUSED', 'hello']));
});

it('a helper that is killed while sockets are on their way to it has ended, and they are closed', async ({
  onTestFinished,
}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-helper-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // In place of nsenter: a program that receives nothing.
  const nsenter = path.join(folder, 'nsenter');
  writeFileSync(nsenter, '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
  const pids: number[] = [];
  const afterwards = {
    type: 'outlivesPodrun',
    heldFor: '/',
    shared: [],
    file: '/none',
    record: (pid: number): unknown => pids.push(pid),
  } as const;
  const helper = new NetworkHelper({ nsenter, holderPid: process.pid, isUsers: false }, afterwards);
  const target = { host: '127.0.0.1', port: 1 };
  const serving = helper.serve({
    protocol: 'TCP',
    at: { address: '127.0.0.1', port: 0 },
    target,
    onLost: () => undefined,
  });
  const problemOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);
  const ended = problemOf(serving);
  const names = await bound();
  const closed = once(names, 'close');
  await vi.waitFor(() => expect(pids).toHaveLength(1), PATIENT);
  const server = { address: '127.0.0.1', port: names.address().port };
  const named = problemOf(helper.request({ type: 'nameServer', server }, names));
  process.kill(pids[0] ?? 0, 'SIGKILL');
  for (const problem of [await ended, await named]) expect(String(problem)).toMatch(/has ended/);
  await closed;
  helper.close();
});
