import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { quietly } from '../../src/quietly.ts';
import { childrenOf } from '../children-of.ts';
import { PATIENCE_MS, PATIENT } from '../patience.ts';
import { CASES, EACH_ONCE, type Place, placeWithNetwork } from './network-place.ts';
import { freePort } from '../free-port.ts';
import type { Podrun } from './workshop.ts';
import { programsForAll } from '../ordinary-user.ts';

/** A server that each Pod runs on the same port, which an ordinary user may not listen on elsewhere. */
const SERVE = `
  const answer = (q, r) => r.end(process.env.HOSTNAME + ' answers ' + q.socket.remoteAddress);
  const network = require('node:fs').readlinkSync('/proc/self/ns/net');
  const print = () => console.log('at ' + process.env.POD_IP + ' in ' + network);
  require('node:http').createServer(answer).listen(80, () => print());`;
const ask = (address: string): string[] => [
  programsForAll().node,
  '-e',
  `fetch('http://${address}/').then((r) => r.text()).then(console.log, (e) => console.log('' + e.cause))`,
];

interface Cluster {
  readonly apply: Podrun;
  /** The addresses of the Pods `one` and `two`. */
  readonly addresses: readonly [string, string];
  /** The names of all network namespaces of the Pods. */
  readonly networks: readonly string[];
}

/** The manifests of two Pods with servers, `one` and `two`. */
function manifests(place: Place, hostPort: number): string[] {
  const podOf = (name: string, ports: object): string =>
    place.workshop.pod(name, {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'main',
          command: [programsForAll().node, '-e', SERVE],
          readinessProbe: { httpGet: { port: 80 }, periodSeconds: 1 },
          ...ports,
        },
      ],
    });
  return [podOf('one', { ports: [{ containerPort: 80, hostPort }] }), podOf('two', {})];
}

async function startCluster(
  place: Place,
  tier: string,
  hostPort: number,
  more: readonly string[] = [],
): Promise<Cluster> {
  const apply = place.start([
    'apply',
    ...more,
    ...manifests(place, hostPort),
    '--network',
    'cluster',
    '--runtime',
    tier,
  ]);
  // A server answers its probe a moment before its line is printed.
  const all = [/ContainersReady, Ready after/g, / in net:\[\d+\]/g];
  await apply.until(({ stdout }) => all.every((pattern) => stdout.match(pattern)?.length === 2));
  const addressOf = (pod: string): string =>
    new RegExp(`│ ${pod}/main +at (10\\.93\\.\\S+) in`, 'm').exec(apply.stdout)?.[1] ?? '';
  const networks = [...apply.stdout.matchAll(/ in (net:\[\d+\])/g)].map(([, network = '']) => network);
  return { apply, addresses: [addressOf('one'), addressOf('two')], networks };
}

/** A server on this machine's localhost; its port. */
async function machineServer({ onTestFinished }: TestContext): Promise<number> {
  const server = createServer((_, response) => response.end('this machine answers'));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return (server.address() as AddressInfo).port;
}

/** The processes in a network namespace, as far as this user may look. */
function processesIn(networks: readonly string[]): string[] {
  return readdirSync('/proc').filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    return networks.includes(quietly(() => readlinkSync(`/proc/${entry}/ns/net`)) ?? '');
  });
}

function helpersOf(apply: Podrun): number[] {
  return childrenOf(apply.pid).filter((pid) =>
    (quietly(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '').includes('network-helper'),
  );
}

/** The limit of a test, which waits for a dozen programs, one after the other. */
const LIMIT = { timeout: 4 * PATIENCE_MS };
describe.concurrent('the Pods of a cluster network', LIMIT, () => {
  it.for(CASES)('of $who in the $tier tier, reach each other, and nothing is left', async ({ who, tier }, context) => {
    const place = placeWithNetwork(context, { who, tier });
    const hostPort = await freePort();
    const machine = readFileSync('/proc/sys/net/ipv4/ip_forward', 'utf8');
    const { apply, addresses, networks } = await startCluster(place, tier, hostPort);
    const [one, two] = addresses;
    expect(one).not.toBe(two);
    expect(new Set(networks).size).toBe(2);

    const fromOne = await place.start(['exec', 'one', '--', ...ask(two)]).ended;
    expect(fromOne.stdout).toBe(`two answers ::ffff:${one}\n`);
    const fromTwo = await place.start(['exec', 'two', '--', ...ask(one)]).ended;
    expect(fromTwo.stdout).toBe(`one answers ::ffff:${two}\n`);
    expect(await (await fetch(`http://127.0.0.1:${hostPort}/`)).text()).toBe('one answers ::ffff:10.93.0.1');

    const forward = place.start(['port-forward', 'two', ':80']);
    await forward.until(({ stdout }) => stdout.includes('Forwarding from 127.0.0.1:'));
    const [, local] = /127\.0\.0\.1:(\d+)/.exec(forward.stdout) ?? [];
    expect(await (await fetch(`http://127.0.0.1:${local}/`)).text()).toContain('two answers');
    forward.signal('SIGINT');

    // The settings of this machine are as they were, and it has no new interface.
    expect(readFileSync('/proc/sys/net/ipv4/ip_forward', 'utf8')).toBe(machine);
    expect(existsSync('/sys/class/net/br0')).toBe(false);

    apply.signal('SIGINT');
    expect(await apply.ended).toMatchObject({ exitCode: 130 });
    // The helpers of `exec` and `port-forward` end a moment after their commands.
    await vi.waitFor(() => expect(processesIn(networks)).toEqual([]), PATIENT);
    await expect(fetch(`http://127.0.0.1:${hostPort}/`)).rejects.toThrow('fetch failed');
  });

  // The kernel ends other processes for root than for a user; the tiers end their containers as without a cluster.
  it.for(EACH_ONCE)('of $who in the $tier tier, end with a killed podrun', async ({ who, tier }, context) => {
    const place = placeWithNetwork(context, { who, tier });
    const { apply, networks } = await startCluster(place, tier, await freePort());
    const helpers = helpersOf(apply);
    expect(helpers).toHaveLength(1);
    // The kernel ends it: it need not get a processor.
    for (const helper of helpers) process.kill(helper, 'SIGSTOP');
    apply.signal('SIGKILL');
    await apply.ended;
    await vi.waitFor(() => expect(processesIn(networks)).toEqual([]), PATIENT);
    await vi.waitFor(() => expect(helpers.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]), PATIENT);
    await vi.waitFor(() => expect(place.workshop.processes()).toEqual([]), PATIENT);
  });

  it.for(CASES.filter(({ tier }) => tier === 'process'))(
    'of $who in the background, of two applies, reach each other when other agents take them over',
    async ({ who, tier }, context) => {
      const place = placeWithNetwork(context, { who, tier });
      const hostPort = await freePort();
      const onMachine = async (): Promise<string> => (await fetch(`http://127.0.0.1:${hostPort}/`)).text();
      for (const file of manifests(place, hostPort)) {
        // The agent of the first Pod has the cluster open, so that the second one joins it all the same.
        if (existsSync(place.workshop.stateDir)) process.kill(place.clusterHolder(), 'SIGKILL');
        const words = ['apply', '--detach', '--wait', file, '--network', 'cluster', '--runtime', tier];
        expect(await place.start(words).ended).toMatchObject({ exitCode: 0 });
      }
      // A client that calls right after `created` is not refused.
      expect(await place.start(['label', 'pod', 'one', 'app=web']).ended).toMatchObject({ exitCode: 0 });
      const web = { selector: { app: 'web' }, ports: [{ port: 80 }] };
      const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: web };
      const service = place.workshop.file('service.yaml', JSON.stringify(object));
      expect(await place.start(['apply', service]).ended).toMatchObject({ exitCode: 0, stderr: '' });
      const { stdout: webIP } = await place.start(['get', 'service', 'web', '-o', 'jsonpath={.spec.clusterIP}']).ended;
      expect((await place.start(['exec', 'two', '--', ...ask(webIP)]).ended).stdout).toContain('one answers');
      const holders = [place.clusterHolder(), place.holderOf('one'), place.holderOf('two')];
      const agents = [place.agentOf('one'), place.agentOf('two')];
      expect(new Set(agents).size).toBe(2);
      for (const agent of agents) process.kill(agent, 'SIGKILL');
      await vi.waitFor(() => expect(agents.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]), PATIENT);
      // The helper goes on without its agent.
      expect(await onMachine()).toContain('one answers');
      const { stdout } = await place.start(['get', 'pod', 'two', '-o', 'jsonpath={.status.podIP}']).ended;
      await vi.waitFor(() => expect(agents).not.toContain(place.agentOf('one')), PATIENT);
      const said = await place.start(['exec', 'one', '--', ...ask(stdout)]).ended;
      expect(said).toMatchObject({ exitCode: 0, stderr: '' });
      expect(said.stdout).toContain('two answers');
      expect([place.clusterHolder(), place.holderOf('one'), place.holderOf('two')]).toEqual(holders);
      await vi.waitFor(async () => expect(await onMachine()).toContain('one answers'), PATIENT);
      expect(await place.start(['delete', 'pod', 'one', 'two']).ended).toMatchObject({ exitCode: 0 });
      await vi.waitFor(() => expect(holders.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]), PATIENT);
      await expect(onMachine()).rejects.toThrow('fetch failed');
    },
  );

  it.for(CASES.filter(({ tier }) => tier === 'namespace'))(
    'of $who reach a server on localhost of this machine, or get the reason why not',
    async ({ who, tier }, context) => {
      const place = placeWithNetwork(context, { who, tier });
      const port = await machineServer(context);
      const command = ask(`host.podrun.internal:${port}`);
      const manifest = place.workshop.pod('one', { restartPolicy: 'Never', containers: [{ name: 'main', command }] });
      const { stdout } = await place.start(['apply', manifest, '--network', 'cluster', '--runtime', tier]).ended;
      expect(stdout).toMatch(stdout.includes('NoWayOut') ? /ENOTFOUND|EAI_AGAIN/ : /main +this machine answers$/m);
    },
  );

  it.for(CASES.filter(({ tier }) => tier === 'process'))(
    'of $who reach a Service and host ports, and so does this machine, also after its helper was killed',
    async ({ who, tier }, context) => {
      const place = placeWithNetwork(context, { who, tier });
      const nodePort = 30_000 + Math.floor(Math.random() * 2768);
      const ports = [{ port: 80, targetPort: 80, nodePort }];
      const spec = { type: 'NodePort', selector: { app: 'web' }, ports };
      const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec };
      const file = place.workshop.file('service.yaml', JSON.stringify(service));
      const hostPort = await freePort();
      const { apply } = await startCluster(place, tier, hostPort, [file]);
      const labelled = place.start(['label', 'pod', 'one', 'app=web']);
      expect(await labelled.ended).toMatchObject({ exitCode: 0 });
      const onMachine = async (port = nodePort): Promise<string> => (await fetch(`http://127.0.0.1:${port}/`)).text();
      await vi.waitFor(async () => expect(await onMachine()).toContain('one answers'), PATIENT);
      const { stdout: address } = await place.start(['get', 'service', 'web', '-o', 'jsonpath={.spec.clusterIP}'])
        .ended;
      expect(address).toMatch(/^10\.96\./);
      expect((await place.start(['exec', 'two', '--', ...ask(address)]).ended).stdout).toContain('one answers');
      const { stdout: hostIP } = await place.start(['get', 'pod', 'two', '-o', 'jsonpath={.status.hostIP}']).ended;
      for (const port of [nodePort, hostPort]) {
        const asked = place.start(['exec', 'two', '--', ...ask(`${hostIP}:${port}`)]);
        expect((await asked.ended).stdout).toContain('one answers');
      }
      const [helper = 0] = helpersOf(apply);
      process.kill(helper, 'SIGKILL');
      await vi.waitFor(() => expect(existsSync(`/proc/${helper}`)).toBe(false), PATIENT);
      await vi.waitFor(async () => expect(await onMachine()).toContain('one answers'), PATIENT);
      await vi.waitFor(async () => expect(await onMachine(hostPort)).toContain('one answers'), PATIENT);
      expect(helpersOf(apply)).toHaveLength(1);
      expect((await place.start(['exec', 'two', '--', ...ask(address)]).ended).stdout).toContain('one answers');
      expect(await place.start(['label', 'pod', 'one', 'app-']).ended).toMatchObject({ exitCode: 0 });
      const refused = async (): Promise<string> =>
        (await place.start(['exec', 'two', '--', ...ask(address)]).ended).stdout;
      await vi.waitFor(async () => expect(await refused()).toContain('ECONNREFUSED'), PATIENT);
      apply.signal('SIGINT');
      await apply.ended;
    },
  );
});
