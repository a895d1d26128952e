import { expect, it } from 'vitest';
import { PATIENCE_MS } from '../patience.ts';
import { programsForAll } from '../ordinary-user.ts';
import { placeWithAnyNetwork } from './network-place.ts';

/*
 * Settings of a Service that its traffic depends on, tried on its addresses: in the cluster, and at this machine.
 */

const SERVE = 'require("http").createServer((_, r) => r.end(process.env.HOSTNAME)).listen(8080)';

/** Asks an address 16 times, each time on a connection of its own, and prints who has responded. */
const ASK = `
const who = new Set();
const [, host, port] = process.argv;
const ask = () => new Promise((go) => require("http").get({ host, port, agent: false },
  (r) => r.on("data", (name) => who.add(String(name))).on("end", go)).on("error", (e) => { who.add(e.code); go(); }));
(async () => { for (let i = 0; i < 16; i++) await ask(); console.log([...who].sort().join(" ")); })()`;

const pod = (name: string, command: readonly string[], more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name.replace(/-\d$/, '') } },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'node', command, ...more }] },
});

const web = (name: string): object =>
  pod(name, [programsForAll().node, '-e', SERVE], {
    readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
  });

const SERVICES: Readonly<Record<string, object>> = {
  plain: {},
  sticky: { sessionAffinity: 'ClientIP' },
  'of-node': { internalTrafficPolicy: 'Local' },
  near: { trafficDistribution: 'PreferSameNode' },
  outside: { type: 'LoadBalancer', externalTrafficPolicy: 'Local' },
};

const service = (name: string, spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
});

/** An endpoint that names no node, and that nothing listens at. */
const elsewhere = (name: string): object => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: `${name}-elsewhere`, labels: { 'kubernetes.io/service-name': name } },
  addressType: 'IPv4',
  ports: [{ port: 8080, protocol: 'TCP', name: '' }],
  endpoints: [{ addresses: ['10.93.255.1'], conditions: { ready: true } }],
});

it(
  'the affinity and the traffic policies of Services hold on their addresses',
  { timeout: 4 * PATIENCE_MS },
  async (context) => {
    const place = placeWithAnyNetwork(context);
    const objects = [
      ...['web-1', 'web-2'].map(web),
      pod('client', ['sleep', '1000']),
      ...Object.entries(SERVICES).map(([name, spec]) => service(name, spec)),
      elsewhere('of-node'),
    ];
    const file = place.workshop.file('all.yaml', objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    const apply = place.start(['apply', file, '--network', 'cluster', '--runtime', 'process']);
    const ready = /web-\d +ContainersReady, Ready after|client +.*Ready after/g;
    await apply.until(({ stdout }) => (stdout.match(ready)?.length ?? 0) >= 3);
    const read = async (...words: readonly string[]): Promise<string> => (await place.run(words)).stdout;
    const field = (name: string, path: string): Promise<string> =>
      read('get', 'service', name, '-o', `jsonpath={.spec.${path}}`);
    const inCluster = async (name: string): Promise<string> => {
      const address = await field(name, 'clusterIP');
      return read('exec', 'client', '--', programsForAll().node, '-e', ASK, address, '80');
    };
    expect(await inCluster('plain')).toBe('web-1 web-2\n');
    expect(await inCluster('sticky')).toMatch(/^web-\d\n$/);
    expect(await inCluster('of-node')).toBe('web-1 web-2\n');
    expect(await inCluster('near')).toBe('web-1 web-2\n');
    expect(await inCluster('outside')).toBe('web-1 web-2\n');

    const atNode = async (path: string): Promise<string> =>
      (await fetch(`http://127.0.0.1:${await field('outside', path)}/`)).text();
    expect(await atNode('ports[0].nodePort')).toMatch(/^web-\d$/);
    expect(JSON.parse(await atNode('healthCheckNodePort'))).toMatchObject({ localEndpoints: 2 });
    apply.signal('SIGINT');
    await apply.ended;
  },
);

it(
  'on several nodes, clients get the endpoints of their node or zone',
  { timeout: 4 * PATIENCE_MS },
  async (context) => {
    const place = placeWithAnyNetwork(context);
    const on = (node: string, object: object): object => {
      const { spec, ...rest } = object as { spec: object };
      return { ...rest, spec: { ...spec, nodeName: node } };
    };
    const objects = [
      ...[1, 2].map((number) => on(`node-${number}`, web(`web-${number}`))),
      ...[1, 2, 3].map((number) => on(`node-${number}`, pod(`client-${number}`, ['sleep', '1000']))),
      service('local', SERVICES['of-node'] ?? {}),
      service('node', { trafficDistribution: 'PreferSameNode' }),
      service('zone', { trafficDistribution: 'PreferSameZone', sessionAffinity: 'ClientIP' }),
    ];
    const file = place.workshop.file('all.yaml', objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    const nodes = ['--nodes', '3', '--zones', '2', '--network', 'cluster', '--runtime', 'process'];
    const apply = place.start(['apply', file, ...nodes]);
    const ready = /web-\d +ContainersReady, Ready after|client-\d +.*Ready after/g;
    await apply.until(({ stdout }) => (stdout.match(ready)?.length ?? 0) >= 5);
    const read = async (...words: readonly string[]): Promise<string> => (await place.run(words)).stdout;
    const asked = async (client: number, name: string): Promise<string> => {
      const address = await read('get', 'service', name, '-o', 'jsonpath={.spec.clusterIP}');
      return read('exec', `client-${client}`, '--', programsForAll().node, '-e', ASK, address, '80');
    };
    expect(await Promise.all([1, 2].map((client) => asked(client, 'local')))).toEqual(['web-1\n', 'web-2\n']);
    expect(await Promise.all([1, 2].map((client) => asked(client, 'node')))).toEqual(['web-1\n', 'web-2\n']);
    // node-3 is in the zone of node-1.
    expect(await Promise.all([1, 2, 3].map((client) => asked(client, 'zone')))).toEqual([
      'web-1\n',
      'web-2\n',
      'web-1\n',
    ]);
    expect(await asked(3, 'node')).toBe('web-1\n');
    apply.signal('SIGINT');
    await apply.ended;
  },
);
