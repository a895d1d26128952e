import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'vitest';
import type { StoredKubeObject, StoredPod } from '../../src/api/base/objects.ts';
import { freePort } from '../free-port.ts';
import { programsForAll } from '../ordinary-user.ts';
import { PATIENCE_MS, PATIENT } from '../patience.ts';
import { CASES, EACH_ONCE, placeWithAnyNetwork, placeWithNetwork } from './network-place.ts';

/** A server that says the name of its node. */
const SERVE = `require('net').createServer((client) => client.end(process.env.NODE + '\\n')).listen(+process.env.PORT)`;
/**
 * Asks ports of its node until each has responded, then a port at which nothing listens. The localhost of its node is
 * asked from the node's address, as Kubernetes' own tests do.
 */
const ASK = `const { connect } = require('net');
const ask = (port) => new Promise((resolve) => {
  let text = '';
  const [number, host = process.env.HOST_IP] = String(port).split('@');
  connect({ port: +number, host, ...(host === '127.0.0.1' && { localAddress: process.env.HOST_IP }) })
    .on('data', (piece) => (text += piece))
    .on('close', () => resolve(text.trim()))
    .on('error', ({ code }) => resolve(code));
});
const patiently = async (port) => {
  for (;;) {
    const answer = await ask(port);
    if (!answer.startsWith('E') && answer !== '') return answer;
    await new Promise((go) => setTimeout(go, 100));
  }
};
(async () => {
  const { NODE, PORTS } = process.env;
  const heard = [];
  for (const port of PORTS.split(',')) heard.push(await patiently(port));
  console.log(NODE, 'heard', ...heard, await ask(1));
  setInterval(() => {}, 1000);
})()`;

interface Ports {
  /** The port of the server in the networks of its nodes. */
  readonly nodes: number;
  /** The host port of the other one. */
  readonly host: number;
  /** The node port of its Service. */
  readonly node: number;
  /** The host port at the localhost of its node. */
  readonly local: number;
}

const freePorts = async (): Promise<Ports> => ({
  nodes: await freePort(),
  host: await freePort(),
  node: 30_000 + Math.floor(Math.random() * 2768),
  local: await freePort(),
});

function daemonSet(name: string, script: string, env: object, spec: object, ports: readonly object[] = []): object {
  const field = (fieldPath: string): object => ({ valueFrom: { fieldRef: { fieldPath } } });
  const container = {
    name: 'main',
    image: 'a',
    command: [programsForAll().node, '-e', script],
    env: [
      { name: 'NODE', ...field('spec.nodeName') },
      { name: 'HOST_IP', ...field('status.hostIP') },
      ...Object.entries(env).map(([key, value]) => ({ name: key, value: String(value) })),
    ],
    ports,
  };
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 0, containers: [container], ...spec } },
    },
  };
}

/** A DaemonSet in the networks of its nodes, and one with a host port and a node port. */
const servers = ({ nodes, host, node, local }: Ports): object[] => [
  daemonSet('exporter', SERVE, { PORT: nodes }, { hostNetwork: true }, [{ containerPort: nodes }]),
  daemonSet('agent', SERVE, { PORT: 8126 }, {}, [
    { containerPort: 8126, hostPort: host },
    { containerPort: 8126, hostPort: local, hostIP: '127.0.0.1' },
  ]),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'agent' },
    spec: {
      type: 'NodePort',
      externalTrafficPolicy: 'Local',
      selector: { app: 'agent' },
      ports: [{ port: 80, targetPort: 8126, nodePort: node }],
    },
  },
];

/** A DaemonSet that asks for the ports of its node from Pods with networks of their own, and one from the node's. */
const clients = ({ nodes, host, node, local }: Ports): object[] => [
  daemonSet('client', ASK, { PORTS: [nodes, host, node] }, {}),
  daemonSet('client-of-node', ASK, { PORTS: [nodes, host, node, `${local}@127.0.0.1`] }, { hostNetwork: true }),
];
/** The lines of both. Any endpoint may respond at the node port: a client of the node is not from outside. */
const heardOn = (name: string): string[] => [
  `${name} heard ${name} ${name} any ECONNREFUSED`,
  `${name} heard ${name} ${name} any ${name} ECONNREFUSED`,
];
const heardIn = (output: string): string[] =>
  [...output.matchAll(/\S+ heard .*/g)]
    .map(([line]) => line.trim().replace(/( heard \S+ \S+) \S+/, '$1 any'))
    .toSorted();
const HEARD = ['node-1', 'node-2'].flatMap(heardOn);

interface NodeObject extends StoredKubeObject {
  readonly status: { readonly addresses: ReadonlyArray<{ readonly address: string }> };
}

const lines = (objects: readonly object[]): string => objects.map((object) => JSON.stringify(object)).join('\n---\n');

describe.concurrent('this machine as the node of a cluster network', { timeout: 4 * PATIENCE_MS }, () => {
  it.for(CASES)('of $who in the $tier tier has a network for its Pods, and their ports', async (one, context) => {
    const { expect } = context;
    const place = placeWithNetwork(context, one);
    const ports = await freePorts();
    const file = place.workshop.file('all.yaml', lines([...servers(ports), ...clients(ports)]));
    const apply = place.start(['apply', file, '--runtime', one.tier]);
    await apply.until(({ stdout }) => stdout.match(/ heard .* ECONNREFUSED/g)?.length === 2);
    const read = async (...words: readonly string[]): Promise<string> =>
      (await place.start(['get', ...words]).ended).stdout.trim();
    const name = (await read('nodes', '-o', 'name')).replace('node/', '');
    expect(heardIn(apply.stdout)).toEqual(heardOn(name));
    const addresses = '{.items[0].status.hostIP} {.items[0].status.podIP}';
    expect(await read('pods', '-l', 'app=exporter', '-o', `jsonpath=${addresses}`)).toBe('10.92.255.254 10.92.255.254');
    for (const port of Object.values(ports)) expect(await text(connect(port, '127.0.0.1'))).toBe(`${name}\n`);
    apply.signal('SIGINT');
    await apply.ended;
  });
});

describe.concurrent('two nodes in a cluster network', { timeout: 4 * PATIENCE_MS }, () => {
  it.for(EACH_ONCE)('of $who in the $tier tier have the same ports, each at its own address', async (one, context) => {
    const { expect } = context;
    const place = placeWithNetwork(context, one);
    const ports = await freePorts();
    const file = place.workshop.file('all.yaml', lines([...servers(ports), ...clients(ports)]));
    const apply = place.start(['apply', file, '--nodes', '2', '--runtime', one.tier, '--network', 'cluster']);
    const heard = (): string[] => heardIn(apply.stdout);
    await expect.poll(heard, PATIENT).toEqual(HEARD);
    // This machine is outside: the policy keeps it to the endpoints of each node.
    for (const node of [1, 2]) expect(await text(connect(ports.node, `127.91.0.${node}`))).toBe(`node-${node}\n`);
    const read = async (resource: string): Promise<unknown[]> => {
      const { stdout } = await place.start(['get', resource, '-o', 'json']).ended;
      return (JSON.parse(stdout) as { readonly items: unknown[] }).items;
    };
    const nodes = (await read('nodes')) as NodeObject[];
    expect(nodes.map(({ status }) => status.addresses.map(({ address }) => address))).toEqual([
      ['10.92.0.1', '127.91.0.1', 'node-1'],
      ['10.92.0.2', '127.91.0.2', 'node-2'],
    ]);
    const pods = (await read('pods')) as StoredPod[];
    const exporters = pods.filter(({ metadata }) => metadata.labels?.['app'] === 'exporter');
    expect(exporters.map(({ status }) => `${status.hostIP} ${status.podIP}`).toSorted()).toEqual([
      '10.92.0.1 10.92.0.1',
      '10.92.0.2 10.92.0.2',
    ]);
    // A node that crashes takes its networks along, and has new ones when it starts.
    const times = (): number => heard().length;
    await place.start(['node', 'crash', 'node-1']).ended;
    await place.start(['node', 'start', 'node-1']).ended;
    await expect.poll(times, PATIENT).toBe(6);
    expect(new Set(heard())).toEqual(new Set(HEARD));
    expect(apply.stdout).not.toContain('NetworkLost');
    apply.signal('SIGINT');
    await apply.ended;
  });

  it('keep their networks when another agent takes the Pods over', async (context) => {
    const { expect } = context;
    const place = placeWithAnyNetwork(context);
    const ports = await freePorts();
    const file = place.workshop.file('all.yaml', lines(servers(ports)));
    const flags = ['--nodes', '2', '--runtime', 'process', '--network', 'cluster', '--until', 'ready', '-d'];
    expect(await place.start(['apply', file, ...flags]).ended).toMatchObject({ exitCode: 0 });
    const namesOf = async (app: string): Promise<string[]> => {
      const { stdout } = await place.start(['get', 'pods', '-l', `app=${app}`, '-o', 'name']).ended;
      return stdout.trim().replaceAll('pod/', '').split('\n');
    };
    const [first] = await namesOf('exporter');
    process.kill(place.agentOf(first!), 'SIGKILL');
    const asking = place.workshop.file('client.yaml', lines(clients(ports)));
    expect(await place.start(['apply', asking, ...flags]).ended).toMatchObject({ exitCode: 0 });
    const heard = async (): Promise<string[]> => {
      const { stdout } = await place.start(['logs', '-l', 'app in (client, client-of-node)']).ended;
      return heardIn(stdout);
    };
    await expect.poll(heard, PATIENT).toEqual(HEARD);
    await place.start(['delete', 'daemonset', '--all']).ended;
  });
});
