import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startServer, type TestServer } from './start-server.ts';
import { PATIENT } from '../patience.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

async function make(name: string, owner?: { readonly name: string; readonly uid: string }): Promise<string> {
  const reference = owner && { apiVersion: 'v1', kind: 'ConfigMap', ...owner, blockOwnerDeletion: true };
  const { body } = await server.post(MAPS, { metadata: { name, ...(reference && { ownerReferences: [reference] }) } });
  return body.metadata.uid as string;
}

const names = async (): Promise<string[]> => {
  const { body } = await server.get(`${MAPS}?fieldSelector=metadata.name!%3Dkube-root-ca.crt`);
  return body.items.map((item: { metadata: { name: string } }) => item.metadata.name) as string[];
};

it('an object goes with the last of its owners, and what it owns with it', async () => {
  const owner = { name: 'owner', uid: await make('owner') };
  const child = { name: 'child', uid: await make('child', owner) };
  await make('grandchild', child);
  await server.request('DELETE', `${MAPS}/owner`);
  await vi.waitFor(async () => expect(await names()).toEqual([]), PATIENT);
});

it('an object whose owner never existed goes at once; an object whose owner has an unknown kind stays', async () => {
  await make('lost', { name: 'nobody', uid: 'nothing' });
  const ownerReferences = [{ apiVersion: 'acme.io/v1', kind: 'Unknown', name: 'x', uid: 'y' }];
  await server.post(MAPS, { metadata: { name: 'kept', ownerReferences } });
  await vi.waitFor(async () => expect(await names()).toEqual(['kept']), PATIENT);
  await server.request('DELETE', `${MAPS}/kept`);
});

it('an owner waits for what blocks its deletion in the foreground, and gives it up with Orphan', async () => {
  const owner = { name: 'owner', uid: await make('owner') };
  await make('child', owner);
  await server.request('DELETE', `${MAPS}/owner?propagationPolicy=Foreground`);
  await vi.waitFor(async () => expect(await names()).toEqual([]), PATIENT);
  await make('child', { name: 'owner', uid: await make('owner') });
  await server.request('DELETE', `${MAPS}/owner?propagationPolicy=Orphan`);
  await vi.waitFor(async () => expect(await names()).toEqual(['child']), PATIENT);
  const { body } = await server.get(`${MAPS}/child`);
  expect(body.metadata.ownerReferences ?? []).toEqual([]);
});

it('a deletion looks at no other object when nothing names it as owner', async () => {
  await make('alone');
  const list = vi.spyOn(server.store, 'list');
  await server.request('DELETE', `${MAPS}/alone`);
  expect(list.mock.calls).toEqual([]);
  list.mockRestore();
});

it('a workload goes with an owner of another kind', async () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: await make('owner') };
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'busybox' }] } };
  const spec = { replicas: 0, selector: { matchLabels: { a: 'b' } }, template };
  const sets = '/apis/apps/v1/namespaces/default/replicasets';
  await server.post(sets, { metadata: { name: 'owned', ownerReferences: [owner] }, spec });
  await server.request('DELETE', `${MAPS}/owner`);
  await vi.waitFor(async () => expect((await server.get(`${sets}/owned`)).code).toBe(404), PATIENT);
});

it('an owner that is deleted in the foreground goes when the last finalizer of what blocks it has gone', async () => {
  const owner = { name: 'owner', uid: await make('owner') };
  await make('held', owner);
  const patch = (path: string, metadata: object): Promise<unknown> =>
    server.request('PATCH', path, { metadata }, { 'content-type': 'application/merge-patch+json' });
  await patch(`${MAPS}/held`, { finalizers: ['example.com/hold'] });
  await server.request('DELETE', `${MAPS}/owner?propagationPolicy=Foreground`);
  await vi.waitFor(async () => {
    const { body } = await server.get(`${MAPS}/held`);
    expect(body.metadata.deletionTimestamp).toBeDefined();
  }, PATIENT);
  expect(await names()).toContain('owner');
  await patch(`${MAPS}/held`, { finalizers: null });
  await vi.waitFor(async () => expect(await names()).not.toContain('owner'), PATIENT);
});

it('an object with two owners loses the reference to the deleted owner', async () => {
  const ownerReferences: object[] = [];
  for (const name of ['first', 'second'])
    ownerReferences.push({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: await make(name) });
  await server.post(MAPS, { metadata: { name: 'shared', ownerReferences } });
  await server.request('DELETE', `${MAPS}/first`);
  await vi.waitFor(async () => {
    const { body } = await server.get(`${MAPS}/shared`);
    expect(body.metadata.ownerReferences).toEqual(ownerReferences.slice(1));
  }, PATIENT);
  await server.request('DELETE', `${MAPS}/second`);
  await vi.waitFor(async () => expect(await names()).not.toContain('shared'), PATIENT);
});

it('a Job that is deleted without a policy leaves what it owns: kubectl always names a policy', async () => {
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'busybox' }] } };
  const { body } = await server.post(jobs, { metadata: { name: 'owner' }, spec: { suspend: true, template } });
  const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'owner', uid: body.metadata.uid as string }];
  await server.post(MAPS, { metadata: { name: 'owned', ownerReferences } });
  await server.request('DELETE', `${jobs}/owner`);
  await vi.waitFor(async () => {
    expect((await server.get(`${jobs}/owner`)).code).toBe(404);
    expect((await server.get(`${MAPS}/owned`)).body.metadata.ownerReferences ?? []).toEqual([]);
  }, PATIENT);
  await server.request('DELETE', `${MAPS}/owned`);
});
