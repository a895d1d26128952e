import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode } from 'dns-packet';
import { expect, it, type TestContext, vi } from 'vitest';
import { DnsServer } from '../../../src/network/dns/dns-server.ts';
import type { DnsName } from '../../../src/network/dns/names.ts';
import { freePort } from '../../free-port.ts';
import { PATIENT } from '../../patience.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';

/** An address that no other test listens on. */
const ADDRESS = '127.94.0.53';

const nameOf = (name: string, data: string, more: Partial<DnsName> = {}): DnsName => {
  return { name: `${name}.default.svc.cluster.local`, records: [{ type: 'A', data }], ...more };
};

/** A server whose Service `web` has this address. */
async function serverAt(port: number, address: string, { onTestFinished }: TestContext): Promise<Served> {
  const clock = new ManualClock();
  const server = new DnsServer(clock, () => Promise.reject(new Error('no server')));
  onTestFinished(() => server.close());
  server.update([nameOf('web', address), nameOf('db-0.db', '10.93.1.1', { isOfPods: true })]);
  await server.open(ADDRESS, port);
  return { clock, server };
}

interface Served {
  readonly clock: ManualClock;
  readonly server: DnsServer;
}

/** Answers with the addresses that a client at the port gets, or with its error. */
async function ask(port: number, name: string): Promise<string> {
  const client = createSocket('udp4');
  try {
    client.connect(port, ADDRESS);
    await once(client, 'connect');
    client.send(
      encode({ type: 'query', id: 7, questions: [{ name: `${name}.default.svc.cluster.local`, type: 'A' }] }),
    );
    const [packet] = (await once(client, 'message')) as [Buffer];
    return (decode(packet).answers ?? [])
      .map((answer) => ('data' in answer && typeof answer.data === 'string' ? answer.data : ''))
      .join(' ');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    client.close();
  }
}

it('a server without updates leaves the questions to a server with updates', async (context) => {
  const port = await freePort();
  const live = await serverAt(port, '10.96.0.1', context);
  const lone = await serverAt(port, '10.96.0.2', context);
  expect(await ask(port, 'web')).toBe('10.96.0.2');
  lone.server.serveAlone();
  expect(await ask(port, 'web')).toBe('10.96.0.1');
  live.server.update([nameOf('web', '10.96.0.3')]);
  expect(await ask(port, 'web')).toBe('10.96.0.3');
  // The other one also gets the port of TCP, which two cannot share.
  expect(lone.clock.alarmCount).toBe(2);
  // Until the last server that somebody updates has ended as well.
  live.server.close();
  expect(await ask(port, 'web')).toBe('ECONNREFUSED');
  await lone.clock.run(1000);
  await vi.waitFor(async () => expect(await ask(port, 'web')).toBe('10.96.0.2'), PATIENT);
});

it('of two servers without updates, one replies, and the other after it', async (context) => {
  const port = await freePort();
  const [one, two] = [await serverAt(port, '10.96.0.1', context), await serverAt(port, '10.96.0.2', context)];
  one.server.serveAlone();
  two.server.serveAlone();
  const answer = async (): Promise<string> => {
    await vi.waitFor(async () => expect(await ask(port, 'web')).toContain('10.96'), PATIENT);
    return ask(port, 'web');
  };
  const isOneFirst = (await answer()) === '10.96.0.1';
  const [first, second] = isOneFirst ? [one, two] : [two, one];
  first.server.close();
  await second.clock.run(1000);
  expect(await answer()).toBe(isOneFirst ? '10.96.0.2' : '10.96.0.1');
});

it('names of Pods lead nowhere after a while without updates, and names of Services stay', async (context) => {
  const port = await freePort();
  const { clock, server } = await serverAt(port, '10.96.0.1', context);
  server.serveAlone();
  await vi.waitFor(async () => expect(await ask(port, 'db-0.db')).toBe('10.93.1.1'), PATIENT);
  await clock.run(40_000);
  expect(await ask(port, 'db-0.db')).toBe('');
  expect(await ask(port, 'web')).toBe('10.96.0.1');
});
