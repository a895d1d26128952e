import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { freePort } from '../free-port.ts';
import { CASES, EACH_ONCE, Place, placeWithAnyNetwork, placeWithNetwork, works } from './network-place.ts';
import { type Podrun, workshopFor } from './workshop.ts';
import { PATIENT } from '../patience.ts';
import { needs } from '../needs.ts';
import { programsForAll } from '../ordinary-user.ts';

const SERVE = `
  const answer = (q, r) => r.end('you asked for ' + q.url);
  require('node:http').createServer(answer).listen(80, () => console.log('at ' + process.env.POD_IP));`;
/** Asks until there is an answer: one attempt of the probe is enough. */
const ASK = `
  const ask = () => fetch('http://localhost:80/friend').then((r) => r.text());
  (async () => { while (!(await ask().catch(() => ''))) await new Promise((go) => setTimeout(go, 50)); })();`;

async function startPod(place: Place, tier: string, hostPort: number): Promise<Podrun> {
  const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 1 };
  const livenessProbe = { tcpSocket: { port: 80 }, periodSeconds: 1, initialDelaySeconds: 1, failureThreshold: 600 };
  const node = [programsForAll().node, '-e'];
  const postStart = { exec: { command: ['sh', '-c', 'true'] } };
  const asks = { exec: { command: [...node, ASK] }, periodSeconds: 30, timeoutSeconds: 30 };
  const manifest = place.workshop.pod('web', {
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: 'server',
        command: [...node, SERVE],
        ports: [{ containerPort: 80, hostPort }],
        readinessProbe,
        livenessProbe,
        lifecycle: { postStart },
      },
      { name: 'friend', command: ['sleep', '1000'], readinessProbe: asks },
    ],
  });
  const apply = place.start(['apply', manifest, '--network', 'pod', '--runtime', tier]);
  // A server answers its probe a moment before its line is printed.
  const all = [/ContainersReady, Ready after/, /at \S+$/m];
  await apply.until(({ stdout }) => all.every((pattern) => pattern.test(stdout)));
  return apply;
}

describe.concurrent('a Pod with its own network', () => {
  it.for(CASES)(
    'of $who in the $tier tier, is reached from outside by whom it should be',
    async ({ who, tier }, context) => {
      const place = placeWithNetwork(context, { who, tier });
      const hostPort = await freePort();
      const apply = await startPod(place, tier, hostPort);
      const [, address = ''] = /at (\S+)$/m.exec(apply.stdout) ?? [];
      expect(address).toMatch(/^10\.93\.\d+\.\d+$/);
      expect(apply.stdout).toContain(`NetworkIsolated: the Pod has a network of its own, with the address ${address}`);
      expect(apply.stdout).not.toContain('FieldHasNoEffect');
      expect(await (await fetch(`http://127.0.0.1:${hostPort}/host`)).text()).toBe('you asked for /host');

      const forward = place.start(['port-forward', 'web', ':80']);
      await forward.until(({ stdout }) => stdout.includes('Forwarding from 127.0.0.1:'));
      const [, local] = /127\.0\.0\.1:(\d+)/.exec(forward.stdout) ?? [];
      expect(await (await fetch(`http://127.0.0.1:${local}/forwarded`)).text()).toBe('you asked for /forwarded');
      forward.signal('SIGINT');

      const holder = place.holderOf('web');
      apply.signal('SIGINT');
      await apply.ended;
      await vi.waitFor(() => expect(existsSync(`/proc/${holder}`)).toBe(false), PATIENT);
      await expect(fetch(`http://127.0.0.1:${hostPort}/host`)).rejects.toThrow('fetch failed');
    },
  );

  it.for(EACH_ONCE)(
    'of $who in the $tier tier, leaves no process when podrun is killed',
    async ({ who, tier }, context) => {
      const place = placeWithNetwork(context, { who, tier });
      const apply = await startPod(place, tier, await freePort());
      const holder = place.holderOf('web');
      expect(existsSync(`/proc/${holder}`)).toBe(true);
      apply.signal('SIGKILL');
      await apply.ended;
      await vi.waitFor(() => expect(existsSync(`/proc/${holder}`)).toBe(false), PATIENT);
      await vi.waitFor(() => expect(place.workshop.processes()).toEqual([]), PATIENT);
    },
  );

  it.for(EACH_ONCE)(
    'of $who in the $tier tier, is the same for the agent that takes over the Pod',
    async ({ who, tier }, context) => {
      const place = placeWithNetwork(context, { who, tier });
      const hostPort = await freePort();
      const command = [programsForAll().node, '-e', SERVE];
      const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 1 };
      const ports = [{ containerPort: 80, hostPort }];
      const main = { name: 'main', command, readinessProbe, ports };
      const manifest = place.workshop.pod('web', { terminationGracePeriodSeconds: 1, containers: [main] });
      const apply = place.start(['apply', '-d', '--wait', manifest, '--network', 'pod', '--runtime', tier]);
      expect(await apply.ended).toMatchObject({ exitCode: 0 });
      const holder = place.holderOf('web');
      const before = place.agentOf('web');
      process.kill(before, 'SIGKILL');
      await vi.waitFor(() => expect(existsSync(`/proc/${before}`)).toBe(false), PATIENT);
      const probes = place.start(['probes', 'web', '-f', '-o', 'json']);
      // The first attempts in the journal come from the former agent.
      const answers = (): number => probes.stdout.split('"result":"success"').length - 1;
      await probes.until(() => answers() > 0);
      const heard = answers();
      await probes.until(() => answers() > heard);
      expect(probes.stdout.replace(/^.*?"decision":"ready"/s, '')).not.toContain('"failure"');
      expect(place.holderOf('web')).toBe(holder);
      expect(await (await fetch(`http://127.0.0.1:${hostPort}/host`)).text()).toBe('you asked for /host');
      expect(place.agentOf('web')).not.toBe(before);
      expect(await place.start(['delete', 'pod', 'web']).ended).toMatchObject({ exitCode: 0 });
      await vi.waitFor(() => expect(existsSync(`/proc/${holder}`)).toBe(false), PATIENT);
    },
  );

  it('reports a taken host port at the start', async (context) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, () => resolve()));
    const { port } = server.address() as AddressInfo;
    const place = placeWithAnyNetwork(context);
    const main = { name: 'main', command: ['sleep', '1000'], ports: [{ containerPort: 80, hostPort: port }] };
    const manifest = place.workshop.pod('web', { terminationGracePeriodSeconds: 1, containers: [main] });
    const apply = place.start(['apply', manifest, '--network', 'pod', '--runtime', 'process']);
    await apply.until(({ stdout }) => stdout.includes('FailedCreatePodSandBox'));
    expect(apply.stdout).toContain(`cannot forward host port ${port}: listen EADDRINUSE`);
    apply.signal('SIGINT');
    await apply.ended;
    await new Promise((resolve) => server.close(resolve));
  });
});

/** A user namespace in which no network namespace can be made. */
const WITHOUT_NETWORKS = 'echo 0 > /proc/sys/user/max_net_namespaces';
const WITHOUT = ['unshare', '--user', '--map-root-user', 'sh', '-c'];

it(
  'one that cannot be made is refused, and nothing starts',
  needs({ 'user namespaces without networks': works([...WITHOUT, WITHOUT_NETWORKS]) }),
  async (context) => {
    const place = new Place(context, 'own');
    const manifest = place.workshop.pod('web', { containers: [{ name: 'main', command: ['true'] }] });
    const words = place.workshop.commandLine(['apply', manifest, '--network', 'pod']);
    const without = [...WITHOUT, `${WITHOUT_NETWORKS} && exec "$@"`, 'sh', ...words];
    const podrun = place.spawn(without, { PODRUN_STATE_DIR: place.workshop.stateDir });
    const { exitCode, stdout, stderr } = await podrun.ended;
    expect(stderr).toMatch(
      /^error: podrun cannot give Pods their own networks here: podrun may not make network namespaces/,
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('Nothing was started.');
  },
);

it('podrun.yaml may set it; a wrong value is reported with its position', async (context) => {
  const workshop = workshopFor(context);
  workshop.file('podrun.yaml', 'network: bridge\n');
  const manifest = workshop.pod('web', { containers: [{ name: 'main', command: ['true'] }] });
  const { exitCode, stderr } = await workshop.run(['apply', manifest]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('podrun.yaml:1:10: network: must be one of auto, host, pod, cluster');
});
