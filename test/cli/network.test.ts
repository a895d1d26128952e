import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../src/api/generated/types.ts';
import { stageForEach } from '../puppet/stage.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const stage = stageForEach();

/** A port that nobody listens on just now, at any address. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, () => resolve()));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function podNamed(name: string): Promise<Pod> {
  return JSON.parse((await workshop.run(['get', 'pod', name, '-o', 'json'])).stdout) as Pod;
}

describe.skipIf(process.platform !== 'linux')('a Pod has an address of its own (all of 127/8: Linux)', () => {
  const probed = (name: string, port: number, more = {}): string => {
    const readinessProbe = { httpGet: { port }, periodSeconds: 1 };
    return workshop.pod(name, {
      containers: [{ name: 'main', command: stage.command(name), readinessProbe }],
      ...more,
    });
  };

  it('so that Pods can listen on the same port, each on its own', async () => {
    const port = await freePort();
    const apply = workshop.start(['apply', probed('a', port), probed('b', port)]);
    for (const name of ['a', 'b']) {
      const puppet = await stage.puppet(name);
      const host = puppet.env['POD_IP'];
      expect(await puppet.listen({ port, host })).toMatchObject({ address: host, port });
      await workshop.run(['wait', `pod/${name}`, '--for=condition=Ready', '--timeout=15s']);
      const { status } = await podNamed(name);
      expect(status).toMatchObject({ hostIP: '127.0.0.1', podIP: host, podIPs: [{ ip: host }] });
      expect(await (await fetch(`http://${host}:${port}`)).text()).toBe(name);
    }
    const [a, b] = [await podNamed('a'), await podNamed('b')];
    expect(a.status?.podIP).not.toBe(b.status?.podIP);
    apply.signal('SIGINT');
    await apply.ended;
  });

  it('where a server that listens on localhost only is not reached by probes, as on a node', async () => {
    const port = await freePort();
    const apply = workshop.start(['apply', probed('shy', port)]);
    const puppet = await stage.puppet('shy');
    await puppet.listen({ port, host: '127.0.0.1' });
    await apply.until(({ stdout }) => stdout.includes(`Get "http://${puppet.env['POD_IP']}:${port}/": dial tcp`));
    apply.signal('SIGINT');
    expect((await apply.ended).stdout).toContain('connect: connection refused');
  });

  it('unless it asks for the network of the host', async () => {
    const env = [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }];
    const main = { name: 'main', command: stage.command('bare'), env };
    const apply = workshop.start(['apply', workshop.pod('bare', { hostNetwork: true, containers: [main] })]);
    const puppet = await stage.puppet('bare');
    expect(puppet.env).toMatchObject({ IP: '127.0.0.1', POD_IP: '127.0.0.1' });
    apply.signal('SIGINT');
    await apply.ended;
  });

  it('which the manifest may give another name, and whose name it may use for something else', async () => {
    const env = [
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'POD_IP', value: 'mine' },
    ];
    const main = { name: 'main', command: stage.command('named'), env };
    const apply = workshop.start(['apply', workshop.pod('named', { containers: [main] })]);
    const puppet = await stage.puppet('named');
    expect(puppet.env['POD_IP']).toBe('mine');
    expect(puppet.env['IP']).toMatch(/^127\.(?!0\.)/);
    apply.signal('SIGINT');
    await apply.ended;
  });
});
