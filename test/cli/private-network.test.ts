import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Podrun, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const isRoot = process.getuid?.() === 0;
const SOMEBODY = 1001;
const AS_SOMEBODY = ['setpriv', '--reuid', `${SOMEBODY}`, '--regid', `${SOMEBODY}`, '--clear-groups'];

/** Does a command line succeed? */
const works = ([file = '', ...args]: readonly string[]): boolean => spawnSync(file, args).status === 0;
const IP = ['ip', 'link', 'set', 'lo', 'up'];
const USERS_NETWORK = ['unshare', '--user', '--map-current-user', '--keep-caps', '--net', ...IP];
const USERS_MOUNTS = ['unshare', '--user', '--map-root-user', '--mount', '--pid', '--fork', 'true'];

/** Who may make private networks on this machine, and how they may keep containers apart. */
const CASES = [
  ...(isRoot && works(['unshare', '--net', ...IP])
    ? [
        { who: 'root', tier: 'process' },
        ...(works(['unshare', '--mount', '--pid', '--fork', 'true']) ? [{ who: 'root', tier: 'namespace' }] : []),
      ]
    : []),
  ...(works([...(isRoot ? AS_SOMEBODY : []), ...USERS_NETWORK])
    ? [
        { who: 'somebody', tier: 'process' },
        ...(works([...(isRoot ? AS_SOMEBODY : []), ...USERS_MOUNTS]) ? [{ who: 'somebody', tier: 'namespace' }] : []),
      ]
    : []),
];

const started: Podrun[] = [];
const holders: number[] = [];
afterEach(async () => {
  const all = started.splice(0);
  for (const podrun of all) podrun.signal('SIGKILL');
  await Promise.all(all.map(({ ended }) => ended));
  // Those of Pods in the background outlive a test that fails.
  for (const holder of holders.splice(0)) {
    if (existsSync(`/proc/${holder}`)) process.kill(holder, 'SIGKILL');
  }
});

/** podrun, run by root or by an ordinary user. */
function start(who: string, args: readonly string[]): Podrun {
  if (who === 'root' || !isRoot) return workshop.start(args);
  chownSync(workshop.folder, SOMEBODY, SOMEBODY);
  const [file = '', ...words] = [...AS_SOMEBODY, ...workshop.commandLine(args)];
  const places = { PODRUN_STATE_DIR: workshop.stateDir, HOME: workshop.folder, XDG_RUNTIME_DIR: workshop.folder };
  const env = { ...process.env, ...places, NO_COLOR: '1', CI: 'true' };
  const podrun = new Podrun(spawn(file, words, { cwd: workshop.folder, env }));
  started.push(podrun);
  return podrun;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, () => resolve()));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const SERVE = `
  const answer = (q, r) => r.end('you asked for ' + q.url);
  require('node:http').createServer(answer).listen(8080, () => console.log('at ' + process.env.POD_IP));`;
const ASK = `fetch('http://localhost:8080/friend').then((r) => r.text()).then((t) => console.log(t))`;

/** The process that keeps the network of the Pod. */
function holderOf(pod: string): number {
  const lines = readFileSync(path.join(workshop.stateDir, 'pods', 'default', pod, 'processes.ndjson'), 'utf8');
  const records = lines.split('\n').filter((line) => line.includes('"network"'));
  const { pid } = JSON.parse(records.at(-1) ?? '') as { readonly pid: number };
  holders.push(pid);
  return pid;
}

async function startPod(who: string, tier: string, hostPort: number): Promise<Podrun> {
  const readinessProbe = { httpGet: { port: 8080 }, periodSeconds: 1 };
  const livenessProbe = { tcpSocket: { port: 8080 }, periodSeconds: 1, initialDelaySeconds: 1 };
  const node = [process.execPath, '-e'];
  const postStart = { exec: { command: ['sh', '-c', 'true'] } };
  const asks = { exec: { command: [...node, ASK] }, periodSeconds: 1, timeoutSeconds: 5 };
  const manifest = workshop.pod('web', {
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: 'server',
        command: [...node, SERVE],
        ports: [{ containerPort: 8080, hostPort }],
        readinessProbe,
        livenessProbe,
        lifecycle: { postStart },
      },
      { name: 'friend', command: ['sleep', '1000'], readinessProbe: asks },
    ],
  });
  const apply = start(who, ['apply', manifest, '--network', 'pod', '--runtime', tier]);
  await apply.until(({ stdout }) => /✓ Pod +Ready/.test(stdout));
  return apply;
}

describe.skipIf(CASES.length === 0)('a Pod with a network of its own (needs ip, and namespaces)', () => {
  it.each(CASES)('of $who in the $tier tier, is reached from outside by whom it should be', async ({ who, tier }) => {
    const hostPort = await freePort();
    const apply = await startPod(who, tier, hostPort);
    const [, address = ''] = /at (\S+)$/m.exec(apply.stdout) ?? [];
    expect(address).toMatch(/^10\.93\.\d+\.\d+$/);
    expect(apply.stdout).toContain(`NetworkIsolated: the Pod has a network of its own, with the address ${address}`);
    expect(apply.stdout).not.toContain('FieldHasNoEffect');
    expect(await (await fetch(`http://127.0.0.1:${hostPort}/host`)).text()).toBe('you asked for /host');

    const forward = start(who, ['port-forward', 'web', ':8080']);
    await forward.until(({ stdout }) => stdout.includes('Forwarding from 127.0.0.1:'));
    const [, local] = /127\.0\.0\.1:(\d+)/.exec(forward.stdout) ?? [];
    expect(await (await fetch(`http://127.0.0.1:${local}/forwarded`)).text()).toBe('you asked for /forwarded');
    forward.signal('SIGINT');

    const holder = holderOf('web');
    apply.signal('SIGINT');
    await apply.ended;
    expect(existsSync(`/proc/${holder}`)).toBe(false);
    await expect(fetch(`http://127.0.0.1:${hostPort}/host`)).rejects.toThrow('fetch failed');
  });

  it.each(CASES)('of $who in the $tier tier, leaves nothing when podrun is killed', async ({ who, tier }) => {
    const apply = await startPod(who, tier, await freePort());
    const holder = holderOf('web');
    expect(existsSync(`/proc/${holder}`)).toBe(true);
    apply.signal('SIGKILL');
    await apply.ended;
    await vi.waitFor(() => expect(existsSync(`/proc/${holder}`)).toBe(false), { timeout: 5000 });
    await vi.waitFor(() => expect(workshop.processes()).toEqual([]), { timeout: 5000 });
  });

  it.each(CASES)('of $who in the $tier tier, is the same for the agent that goes on with the Pod', async (one) => {
    const { who, tier } = one;
    const hostPort = await freePort();
    const command = [process.execPath, '-e', SERVE];
    const readinessProbe = { httpGet: { port: 8080 }, periodSeconds: 1 };
    const ports = [{ containerPort: 8080, hostPort }];
    const main = { name: 'main', command, readinessProbe, ports };
    const manifest = workshop.pod('web', { terminationGracePeriodSeconds: 1, containers: [main] });
    const apply = start(who, ['apply', '-d', '--wait', manifest, '--network', 'pod', '--runtime', tier]);
    expect(await apply.ended).toMatchObject({ exitCode: 0 });
    const holder = holderOf('web');
    const owner = path.join(workshop.stateDir, 'pods', 'default', 'web', 'owner.json');
    const agentPid = (): number => (JSON.parse(readFileSync(owner, 'utf8')) as { readonly pid: number }).pid;
    const before = agentPid();
    process.kill(before, 'SIGKILL');
    await vi.waitFor(() => expect(existsSync(`/proc/${before}`)).toBe(false), { timeout: 5000 });
    const probes = start(who, ['probes', 'web', '-f', '-o', 'json']);
    // The first answers are those that the agent before has heard.
    const answers = (): number => probes.stdout.split('"result":"success"').length - 1;
    await probes.until(() => answers() > 0);
    const heard = answers();
    await probes.until(() => answers() > heard);
    expect(probes.stdout.replace(/^.*?"decision":"ready"/s, '')).not.toContain('"failure"');
    expect(holderOf('web')).toBe(holder);
    expect(await (await fetch(`http://127.0.0.1:${hostPort}/host`)).text()).toBe('you asked for /host');
    expect(agentPid()).not.toBe(before);
    expect(await start(who, ['delete', 'pod', 'web']).ended).toMatchObject({ exitCode: 0 });
    await vi.waitFor(() => expect(existsSync(`/proc/${holder}`)).toBe(false), { timeout: 5000 });
  });

  it('says at the start which port of the host it cannot have', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, () => resolve()));
    const { port } = server.address() as AddressInfo;
    const { who, tier } = CASES[0] ?? { who: '', tier: '' };
    const main = { name: 'main', command: ['sleep', '1000'], ports: [{ containerPort: 80, hostPort: port }] };
    const manifest = workshop.pod('web', { terminationGracePeriodSeconds: 1, containers: [main] });
    const apply = start(who, ['apply', manifest, '--network', 'pod', '--runtime', tier]);
    await apply.until(({ stdout }) => stdout.includes('FailedCreatePodSandBox'));
    expect(apply.stdout).toContain(`cannot forward host port ${port}: listen EADDRINUSE`);
    apply.signal('SIGINT');
    await apply.ended;
    await new Promise((resolve) => server.close(resolve));
  });
});

/** A user namespace in which no network may be made. */
const WITHOUT_NETWORKS = 'echo 0 > /proc/sys/user/max_net_namespaces';
const WITHOUT = ['unshare', '--user', '--map-root-user', 'sh', '-c'];

it.skipIf(!works([...WITHOUT, WITHOUT_NETWORKS]))(
  'one that cannot be made is refused, and nothing starts',
  async () => {
    const manifest = workshop.pod('web', { containers: [{ name: 'main', command: ['true'] }] });
    const words = workshop.commandLine(['apply', manifest, '--network', 'pod']);
    const [file = '', ...args] = [...WITHOUT, `${WITHOUT_NETWORKS} && exec "$@"`, 'sh', ...words];
    const env = { ...process.env, PODRUN_STATE_DIR: workshop.stateDir, NO_COLOR: '1', CI: 'true' };
    const podrun = new Podrun(spawn(file, args, { cwd: workshop.folder, env }));
    started.push(podrun);
    const { exitCode, stdout, stderr } = await podrun.ended;
    expect(stderr).toMatch(
      /^error: Pods cannot have networks of their own here: podrun may not make network namespaces/,
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('Nothing was started.');
  },
);

it('podrun.yaml may ask for it; what it may not ask for is told with its place', async () => {
  workshop.file('podrun.yaml', 'network: bridge\n');
  const manifest = workshop.pod('web', { containers: [{ name: 'main', command: ['true'] }] });
  const { exitCode, stderr } = await workshop.run(['apply', manifest]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('podrun.yaml:1:10: network: must be one of host, pod');
});
