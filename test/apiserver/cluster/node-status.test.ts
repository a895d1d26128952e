import { hostname } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ClusterNodes } from '../../../src/settings/config/cluster-nodes.ts';
import { startServer, type TestServer } from '../../server/start-server.ts';

const NODE = `/api/v1/nodes/${hostname().trim().toLowerCase()}`;
const FOO = '/status/capacity/example.com~1foo';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

async function patched(type: string, patch: unknown): Promise<unknown[]> {
  const headers = { 'content-type': `application/${type}-patch+json` };
  const { code, body } = await server.request('PATCH', `${NODE}/status`, patch, headers);
  const { status } = (await server.get(NODE)).body;
  expect(body.status.capacity).toEqual(status.capacity);
  return [code, status.capacity['example.com/foo'], status.allocatable['example.com/foo'], counted()];
}

/** The amount that the scheduler of this node counts with. */
function counted(): string | undefined {
  const { store } = server;
  return new ClusterNodes(store, store.root, { nodeLabels: {}, nodeTaints: [] }).all[0].allocatable['example.com/foo'];
}

it('clients give resources to the node, which are allocatable, and take them away', async () => {
  const { body: before } = await server.get(NODE);
  const op = (change: object): object[] => [{ path: FOO, ...change }];
  expect(await patched('json', op({ op: 'add', value: '5' }))).toEqual([200, '5', '5', '5']);
  const capacity = { 'example.com/foo': '3', cpu: '999' };
  expect(await patched('strategic-merge', { status: { capacity } })).toEqual([200, '3', '3', '3']);
  const { body } = await server.get(NODE);
  expect(body.status).toEqual({
    ...before.status,
    conditions: expect.anything(),
    capacity: { ...before.status.capacity, 'example.com/foo': '3' },
    allocatable: { ...before.status.allocatable, 'example.com/foo': '3' },
  });
  delete body.status.capacity['example.com/foo'];
  expect((await server.request('PUT', `${NODE}/status`, body)).code).toBe(200);
  expect(await patched('merge', {})).toEqual([200, undefined, undefined, undefined]);
});

it('the node has conditions of other programs beside its own', async () => {
  const own = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'];
  const conditions = [
    { type: 'KernelDeadlock', status: 'False' },
    { type: 'Ready', status: 'False' },
  ];
  await patched('strategic-merge', { status: { conditions } });
  const { body } = await server.get(NODE);
  const types = (body.status.conditions as { type: string; status: string }[]).map(({ type, status }) => type + status);
  expect(types).toEqual([...own.map((type) => `${type}${type === 'Ready' ? 'True' : 'False'}`), 'KernelDeadlockFalse']);
});
