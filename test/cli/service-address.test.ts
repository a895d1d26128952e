import { beforeEach, expect, it } from 'vitest';
import type { StoredEvent, StoredService } from '../../src/api/base/objects.ts';
import { run, type RunOptions } from '../../src/library/index.ts';
import { startServer } from '../server/start-server.ts';
import { runHere } from './in-process.ts';
import { placeWithAnyNetwork } from './network-place.ts';
import { putStates, storeOf } from './prepared-store.ts';
import { type Workshop, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default' },
  spec: { selector: { app: 'web' }, ports: [{ port: 8080 }] },
};
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'one' },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: ['true'] }] },
};
const OPTIONS: RunOptions = { runtime: 'process', network: 'host', config: false };

/** The file of a manifest with these objects. */
const fileOf = (...items: readonly object[]): string =>
  workshop.file('list.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));

/** The ways by which a Service comes into a state folder. */
const DOORS: Readonly<Record<string, () => Promise<unknown>>> = {
  'create -f': () => runHere(workshop, ['create', '-f', fileOf(SERVICE)]),
  expose: async () => {
    putStates(storeOf(workshop), ['running-ready']);
    await runHere(workshop, ['expose', 'pod', 'web', '--port=8080']);
  },
  'apply without Pods': () => runHere(workshop, ['apply', '-f', fileOf(SERVICE)]),
  'apply with a Pod': () => workshop.run(['apply', '-f', fileOf(SERVICE, POD), '--network', 'host']),
  'the library': async () => {
    await using pods = await run([SERVICE, POD], { ...OPTIONS, stateDir: workshop.stateDir });
    await pods.stop();
  },
  HTTP: async () => {
    const server = await startServer({ stateDir: workshop.stateDir });
    await server.post('/api/v1/namespaces/default/services', SERVICE);
    await server.close();
  },
};

const stored = (place: Workshop = workshop): StoredService | undefined =>
  storeOf(place).get<StoredService>('services', 'default', 'web');

let expected: string | undefined;

beforeEach(async () => {
  await DOORS['apply without Pods']?.();
  expected = stored()?.spec?.clusterIP;
  storeOf(workshop).delete('services', 'default', 'web');
});

it.each(Object.keys(DOORS))('a Service of %s has the address that follows from its name', async (door) => {
  await DOORS[door]?.();
  const { spec } = stored() ?? {};
  expect(spec?.clusterIP).toMatch(/^10\.96\.\d+\.\d+$/);
  expect(spec?.clusterIP).toBe(expected);
  // This machine reaches it at another one, which people look for under EXTERNAL-IP.
  const { stdout } = await runHere(workshop, ['get', 'service', 'web', '--no-headers']);
  expect(stdout).toContain(` ${expected} ${' '.repeat(2)}${expected?.replace(/^10\./, '127.')} `);
});

const FOREIGN = { ...SERVICE, spec: { ...SERVICE.spec, clusterIP: '172.20.0.1' } };

it.each<[string, () => Promise<string>]>([
  [
    'expose',
    async () => {
      putStates(storeOf(workshop), ['running-ready']);
      return (await runHere(workshop, ['expose', 'pod', 'web', '--port=8080', '--cluster-ip=172.20.0.1'])).stderr;
    },
  ],
  ['apply', async () => (await runHere(workshop, ['apply', '-f', fileOf(FOREIGN)])).stderr],
  [
    'HTTP',
    async () => {
      const server = await startServer({ stateDir: workshop.stateDir });
      const { headers } = await server.post('/api/v1/namespaces/default/services', FOREIGN);
      await server.close();
      return String(headers['warning']);
    },
  ],
])('%s reports the address of a Service when the address in its manifest is not available', async (_, open) => {
  const text = `clusterIP 172.20.0.1 is taken or of another network; it is ${expected} here`;
  expect(await open()).toContain(text);
  expect(storeOf(workshop).list<StoredEvent>('events')).toMatchObject([
    { reason: 'ServiceAddressReplaced', message: text, involvedObject: { kind: 'Service', name: 'web' } },
  ]);
});

it('a Service beside Pods of a cluster has the same address as without them', async (context) => {
  const place = placeWithAnyNetwork(context);
  const words = (...items: readonly object[]): string[] => [
    'apply',
    '-f',
    place.workshop.file('list.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items })),
  ];
  const addressOf = (): string | undefined => stored(place.workshop)?.spec?.clusterIP;
  await place.start([...words(SERVICE, POD), '--network', 'cluster', '--runtime', 'process']).ended;
  const first = addressOf();
  storeOf(place.workshop).delete('services', 'default', 'web');
  await place.start(words(SERVICE)).ended;
  expect(addressOf()).toBe(first);
  expect(first).toMatch(/^10\.96\./);
});
