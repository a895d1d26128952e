import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorsOfDeletions } from '../../src/apiserver/deletion/record-author.ts';
import { PATIENT } from '../patience.ts';
import { startServer, type TestServer } from './start-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

const map = (name: string): object => ({ metadata: { name } });

describe('delete', () => {
  it('returns the deleted object, and checks preconditions', async () => {
    const { body: made } = await server.post(MAPS, map('gone'));
    const refused = await server.request('DELETE', `${MAPS}/gone`, { preconditions: { uid: 'x' } });
    expect(refused.code).toBe(409);
    const { body } = await server.request('DELETE', `${MAPS}/gone`);
    expect(body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'gone', uid: made.metadata.uid },
    });
    expect((await server.get(`${MAPS}/gone`)).code).toBe(404);
  });

  it('keeps an object with finalizers until they are gone', async () => {
    await server.post(MAPS, { metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    const { body } = await server.request('DELETE', `${MAPS}/held`);
    expect(body.metadata.deletionTimestamp).toBeDefined();
    const patch = { metadata: { finalizers: null } };
    await server.request('PATCH', `${MAPS}/held`, patch, { 'content-type': 'application/merge-patch+json' });
    expect((await server.get(`${MAPS}/held`)).code).toBe(404);
  });

  it('deletes the objects of a collection that a selector finds', async () => {
    await server.post(MAPS, { metadata: { name: 'one', labels: { set: 'x' } } });
    await server.post(MAPS, { metadata: { name: 'two', labels: { set: 'x' } } });
    const { body } = await server.request('DELETE', `${MAPS}?labelSelector=set%3Dx`);
    expect(body.items).toHaveLength(2);
    expect((await server.get(`${MAPS}?labelSelector=set%3Dx`)).body.items).toEqual([]);
  });

  it('of a namespace has an author, who is on record when all that was in it is gone', async () => {
    await server.post('/api/v1/namespaces', { metadata: { name: 'shop' } });
    const spec = { containers: [{ name: 'main', image: 'busybox' }] };
    const { body: pod } = await server.post('/api/v1/namespaces/shop/pods', { metadata: { name: 'web' }, spec });
    const { body: other } = await server.post('/api/v1/namespaces/default/pods', { metadata: { name: 'web' }, spec });
    await server.request('DELETE', '/api/v1/namespaces/shop', undefined, { 'user-agent': 'kubectl/v1.36.0' });
    await expect.poll(async () => (await server.get('/api/v1/namespaces/shop')).code, PATIENT).toBe(404);
    const authorOf = authorsOfDeletions(server.store);
    expect([authorOf(pod), authorOf(other)]).toEqual([
      expect.stringMatching(/ with kubectl\/v1.36.0 \(process/),
      undefined,
    ]);
  });

  it('refuses to delete the PriorityClasses of the system, which each cluster has', async () => {
    const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const { items } = (await server.get(classes)).body;
    expect(
      items.map(({ metadata, value }: { metadata: { name: string }; value: number }) => [metadata.name, value]),
    ).toEqual([
      ['system-cluster-critical', 2_000_000_000],
      ['system-node-critical', 2_000_001_000],
    ]);
    expect((await server.request('DELETE', `${classes}/system-node-critical`)).body).toMatchObject({
      code: 403,
      message:
        'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and ' +
        'cannot be deleted',
    });
  });

  it('refuses to delete the node', async () => {
    const { items } = (await server.get('/api/v1/nodes')).body;
    const { name } = (items as [{ metadata: { name: string } }])[0].metadata;
    expect((await server.request('DELETE', `/api/v1/nodes/${name}`)).body).toMatchObject({
      code: 403,
      message: expect.stringMatching(/is forbidden: this machine is the only node/) as string,
    });
  });

  it('empties a namespace before it goes, but keeps the namespaces that the server needs', async () => {
    await server.post('/api/v1/namespaces', { metadata: { name: 'short' } });
    const maps = '/api/v1/namespaces/short/configmaps';
    expect((await server.get(`${maps}/kube-root-ca.crt`)).body.data['ca.crt']).toBe(server.ca);
    await server.post(maps, { metadata: { name: 'a', finalizers: ['example.com/hold'] } });
    const { body } = await server.request('DELETE', '/api/v1/namespaces/short');
    expect(body.status.phase).toBe('Terminating');
    expect((await server.post(maps, map('late'))).body).toMatchObject({ code: 403, reason: 'Forbidden' });
    const { conditions } = (await server.get('/api/v1/namespaces/short')).body.status;
    expect(conditions).toContainEqual({
      type: 'NamespaceFinalizersRemaining',
      status: 'True',
      lastTransitionTime: expect.any(String),
      reason: 'SomeFinalizersRemain',
      message: 'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    });
    const patch = { metadata: { finalizers: null } };
    await server.request('PATCH', `${maps}/a`, patch, { 'content-type': 'application/merge-patch+json' });
    await expect.poll(async () => (await server.get('/api/v1/namespaces/short')).code, PATIENT).toBe(404);
    expect((await server.request('DELETE', '/api/v1/namespaces/default')).code).toBe(403);
  });
});
