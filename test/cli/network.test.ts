import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../src/api/generated/types.ts';
import { stageForEach } from '../puppet/stage.ts';
import { workshopForEach } from './workshop.ts';
import { needs } from '../needs.ts';
import { freePort } from '../free-port.ts';

const workshop = workshopForEach();
const stage = stageForEach();

async function podNamed(name: string): Promise<Pod> {
  return JSON.parse((await workshop.run(['get', 'pod', name, '-o', 'json'])).stdout) as Pod;
}

describe('a Pod has its own address (all of 127/8: Linux)', needs('Linux'), () => {
  const probed = (name: string, port: number, more = {}): string => {
    const readinessProbe = { httpGet: { port }, periodSeconds: 1 };
    return workshop.pod(name, {
      containers: [{ name: 'main', command: stage.command(name), readinessProbe }],
      ...more,
    });
  };

  it('so that two Pods can listen on the same port', async () => {
    const port = await freePort();
    const apply = workshop.start(['apply', probed('a', port), probed('b', port)]);
    for (const name of ['a', 'b']) {
      const puppet = await stage.puppet(name);
      const host = puppet.env['POD_IP'];
      expect(await puppet.listen({ port, host })).toMatchObject({ address: host, port });
      await workshop.run(['wait', `pod/${name}`, '--for=condition=Ready', '--timeout=3m']);
      const { status } = await podNamed(name);
      expect(status).toMatchObject({ hostIP: '127.0.0.1', podIP: host, podIPs: [{ ip: host }] });
      expect(await (await fetch(`http://${host}:${port}`)).text()).toBe(name);
    }
    const [a, b] = [await podNamed('a'), await podNamed('b')];
    expect(a.status?.podIP).not.toBe(b.status?.podIP);
    apply.signal('SIGINT');
    await apply.ended;
  });

  it('which probes use, so a server that listens on localhost only fails them, as on a node', async () => {
    const port = await freePort();
    const apply = workshop.start(['apply', probed('shy', port)]);
    const puppet = await stage.puppet('shy');
    await puppet.listen({ port, host: '127.0.0.1' });
    const hint =
      `container main listens on 127.0.0.1:${port} only, and probes go to the Pod's address ` +
      `${puppet.env['POD_IP']}, as on a node; bind to 0.0.0.0 or to $POD_IP`;
    await apply.until(({ stdout }) => stdout.includes(hint) && stdout.split('connection refused').length > 2);
    apply.signal('SIGINT');
    const { stdout } = await apply.ended;
    expect(stdout).toContain(`Get "http://${puppet.env['POD_IP']}:${port}/": dial tcp`);
    expect(stdout.split(hint)).toHaveLength(2);
  });

  it('unless it has hostNetwork', async () => {
    const env = [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }];
    const main = { name: 'main', command: stage.command('bare'), env };
    const apply = workshop.start(['apply', workshop.pod('bare', { hostNetwork: true, containers: [main] })]);
    const puppet = await stage.puppet('bare');
    expect(puppet.env).toMatchObject({ IP: '127.0.0.1', POD_IP: '127.0.0.1' });
    apply.signal('SIGINT');
    await apply.ended;
  });

  it('which the manifest may put into any variable, also when it sets POD_IP itself', async () => {
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

describe('a port that is taken (found in /proc: Linux)', needs('Linux'), () => {
  const listening = (name: string, port: number, where: string): string => {
    const program = `require('http').createServer((q, r) => r.end()).listen(${port}, ${where})`;
    const main = { name: 'main', command: [process.execPath, '-e', program], ports: [{ containerPort: port }] };
    return workshop.pod(name, { restartPolicy: 'Never', containers: [main] });
  };

  it('is reported with the container that holds it, before the Pod has ended', async () => {
    const port = await freePort();
    const owner = workshop.pod('owner', { containers: [{ name: 'app', command: stage.command('owner') }] });
    const apply = workshop.start(['apply', owner]);
    const puppet = await stage.puppet('owner');
    await puppet.listen({ port });
    const late = await workshop.run(['apply', listening('late', port, '"0.0.0.0"')]);
    const owned = `port ${port} is taken by pod/owner container app (pid ${puppet.pid})`;
    expect(late.stdout).toContain(`${owned} at all addresses; use --network cluster, or let both Pods bind to $POD_IP`);
    expect(late.exitCode).toBe(1);
    expect(late.stderr).toContain(`what to try:\n    ${owned} at all addresses; use --network cluster`);
    expect((await workshop.run(['events', '--for', 'pod/late'])).stdout).toMatch(/Warning +PortTaken/);
    apply.signal('SIGINT');
    await apply.ended;
  });

  it('is reported at the start of a Pod that does not try to listen, and has no probe', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', () => resolve()));
    const { port } = server.address() as AddressInfo;
    const main = { name: 'main', command: ['sleep', '1000'], ports: [{ containerPort: port }] };
    const pod = workshop.pod('lazy', { terminationGracePeriodSeconds: 0, containers: [main] });
    const { stdout, exitCode } = await workshop.run(['apply', pod, '--until', 'ready']);
    await new Promise((resolve) => server.close(resolve));
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`port ${port} is taken by \\S+ \\(pid ${process.pid}\\) at all addresses; end that process`),
    );
  });

  it("is reported with the program that holds it, also when only the container's output shows it", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const { port } = server.address() as AddressInfo;
    const { stdout } = await workshop.run(['apply', listening('late', port, '"0.0.0.0"')]);
    await new Promise((resolve) => server.close(resolve));
    expect(stdout).toMatch(new RegExp(`port ${port} is taken by \\S+ \\(pid ${process.pid}\\); bind to \\$POD_IP`));
  });

  it('is not reported when each Pod listens on its own address and one fails for another reason', async () => {
    const port = await freePort();
    const owner = workshop.pod('owner', { containers: [{ name: 'app', command: stage.command('owner') }] });
    const apply = workshop.start(['apply', owner]);
    const puppet = await stage.puppet('owner');
    await puppet.listen({ port, host: puppet.env['POD_IP'] });
    const main = { name: 'main', command: ['sh', '-c', 'exit 1'], ports: [{ containerPort: port }] };
    const { stdout } = await workshop.run([
      'apply',
      workshop.pod('poor', { restartPolicy: 'Never', containers: [main] }),
    ]);
    expect(stdout).not.toContain('is taken');
    apply.signal('SIGINT');
    await apply.ended;
  });

  it('is reported when another Pod responds to the probes of a container that could not listen', async () => {
    const port = await freePort();
    const owner = workshop.pod('owner', { containers: [{ name: 'app', command: stage.command('owner') }] });
    const first = workshop.start(['apply', owner]);
    const puppet = await stage.puppet('owner');
    await puppet.listen({ port });
    const readinessProbe = { httpGet: { port }, periodSeconds: 1 };
    const main = { name: 'main', command: stage.command('deaf'), readinessProbe };
    const second = workshop.start(['apply', workshop.pod('deaf', { containers: [main] })]);
    expect(await (await stage.puppet('deaf')).listen({ port })).toBe('EADDRINUSE');
    await second.until(({ stdout }) => stdout.includes(`port ${port} is taken by pod/owner container app`));
    for (const apply of [first, second]) {
      apply.signal('SIGINT');
      await apply.ended;
    }
  });

  it.each([
    ['readiness', 'httpGet'],
    ['startup', 'tcpSocket'],
  ] as const)('makes no Pod ready: a %s probe counts only responses of its own sockets', async (type, handler) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).resume();
      socket.end('HTTP/1.0 200 OK\r\n\r\nold version');
    });
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', () => resolve()));
    const { port } = server.address() as AddressInfo;
    const probe = { [handler]: { port }, periodSeconds: 1, failureThreshold: 600 };
    const main = { name: 'main', command: stage.command('slow'), [`${type}Probe`]: probe };
    const apply = workshop.start(['apply', workshop.pod('slow', { containers: [main] }), '--network', 'host']);
    const puppet = await stage.puppet('slow');
    const answered = new RegExp(
      `port ${port} is answered by \\S+ \\(pid ${process.pid}\\), which is no process of this Pod`,
    );
    await apply.until(({ stdout }) => answered.test(stdout));
    expect((await podNamed('slow')).status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'False' }),
    );
    await new Promise((resolve) => server.close(resolve));
    await puppet.listen({ port, host: puppet.env['POD_IP'] });
    await workshop.run(['wait', 'pod/slow', '--for=condition=Ready', '--timeout=3m']);
    apply.signal('SIGINT');
    await apply.ended;
  });
});
