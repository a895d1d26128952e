import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/index.ts';
import { startServer, type TestServer } from '../../server/start-server.ts';

const NETWORKING = '/apis/networking.k8s.io/v1';
const RANGES = `${NETWORKING}/servicecidrs`;
const ADDRESSES = `${NETWORKING}/ipaddresses`;
const SERVICES = '/api/v1/namespaces/default/services';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

async function addressOf(name: string): Promise<string> {
  const { body } = await server.post(SERVICES, { metadata: { name }, spec: { ports: [{ port: 80 }] } });
  return (body as unknown as { readonly spec: { readonly clusterIP: string } }).spec.clusterIP;
}

const parent = (name: string): object => ({ parentRef: { resource: 'services', namespace: 'default', name } });

it('there is a range, ready, and kept as long as a Service has an address in it', async () => {
  const made = await server.get(`${RANGES}/kubernetes`);
  expect(made.body).toMatchObject({
    spec: { cidrs: ['10.96.0.0/16'] },
    status: { conditions: [{ type: 'Ready', status: 'True', message: 'Kubernetes Service CIDR is ready' }] },
  });
  expect(made.body.metadata).not.toHaveProperty('finalizers');
  await addressOf('first');
  const finalizers = ['networking.k8s.io/service-cidr-finalizer'];
  expect((await server.get(`${RANGES}/kubernetes`)).body.metadata).toMatchObject({ finalizers });
  await server.request('DELETE', `${RANGES}/kubernetes`);
  expect((await server.get(`${RANGES}/kubernetes`)).body).toMatchObject({
    metadata: { deletionTimestamp: expect.any(String) as string, finalizers },
    status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Terminating' }] },
  });
  await server.request('DELETE', `${SERVICES}/first`);
  const again = await server.get(`${RANGES}/kubernetes`);
  expect(again.body.metadata.uid).not.toBe(made.body.metadata.uid);
});

it('a Service has an IPAddress, which goes with it and comes back without it', async () => {
  const address = await addressOf('web');
  const path = `${ADDRESSES}/${address}`;
  const wanted = {
    metadata: {
      labels: {
        'ipaddress.kubernetes.io/ip-family': 'IPv4',
        'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
      },
    },
    spec: parent('web'),
  };
  expect((await server.get(path)).body).toMatchObject(wanted);
  await server.request('DELETE', path);
  expect((await server.get(path)).body).toMatchObject(wanted);
  await server.request('DELETE', `${SERVICES}/web`);
  expect((await server.get(path)).code).toBe(404);
});

it('an address that a person has taken is not given to a Service', async () => {
  const address = await addressOf('usual');
  await server.request('DELETE', `${SERVICES}/usual`);
  const taken = { metadata: { name: address }, spec: { parentRef: { resource: 'hosts', name: 'a' } } };
  expect((await server.post(ADDRESSES, taken)).code).toBe(201);
  expect(await addressOf('usual')).not.toBe(address);
  await server.request('DELETE', `${SERVICES}/usual`);
  await server.request('DELETE', `${ADDRESSES}/${address}`);
  expect(await addressOf('usual')).toBe(address);
});

it('an address may be of any family, and belong to anything', async () => {
  const labels = { type: 'link-local' };
  const other = { group: 'mygroup', resource: 'myresources', namespace: 'foo', name: 'bar' };
  for (const name of ['255.255.255.255', 'fe80::42:1dff:fe84:f9e2']) {
    const { code } = await server.post(ADDRESSES, { metadata: { name, labels }, spec: { parentRef: other } });
    expect(code).toBe(201);
    expect((await server.get(`${ADDRESSES}/${name}`)).body).toMatchObject({ spec: { parentRef: other } });
  }
  const ofLabel = `${ADDRESSES}?labelSelector=type%3Dlink-local`;
  await server.request('DELETE', ofLabel);
  expect((await server.get(ofLabel)).body.items).toEqual([]);
});

it('an address comes from a range that is ready', async () => {
  await addressOf('old');
  // The addresses depend on the state folder.
  const { items } = (await server.get(ADDRESSES)).body as unknown as { readonly items: readonly KubeObject[] };
  const taken = new Set(items.map(({ metadata }) => metadata.name?.split('.')[2]));
  const [small, large] = ['5', '6', '7', '8', '9'].filter((part) => !taken.has(part));
  await server.request('DELETE', `${RANGES}/kubernetes`);
  await server.post(RANGES, { metadata: { name: 'small' }, spec: { cidrs: [`10.96.${small}.0/28`] } });
  expect(await addressOf('new')).toMatch(new RegExp(String.raw`^10\.96\.${small}\.(\d|1[0-5])$`));
  const unused = await server.post(RANGES, {
    metadata: { name: 'unused' },
    spec: { cidrs: [`10.96.${large}.0/24`] },
  });
  expect(unused.code).toBe(201);
  expect((await server.request('DELETE', `${RANGES}/unused`)).body).toMatchObject({
    kind: 'Status',
    status: 'Success',
  });
});
