import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.ts';

/** The rules of core kinds that other kinds do not have. */

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

const CORE = '/api/v1/namespaces/default';
const merge = { 'content-type': 'application/merge-patch+json' };
const patch = (path: string, body: unknown): ReturnType<TestServer['request']> =>
  server.request('PATCH', path, JSON.stringify(body), merge);

it('a new Node gets no Pods before it is ready, and has all parts of its status', async () => {
  const { body } = await server.post('/api/v1/nodes', { metadata: { name: 'n' }, spec: { podCIDR: '192.0.2.0/24' } });
  expect(body).toMatchObject({
    spec: {
      podCIDRs: ['192.0.2.0/24'],
      taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
    },
    status: { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo: { kubeletVersion: '' } },
  });
});

it('a LimitRange without a name gets its uid, other objects are refused', async () => {
  const { code, body } = await server.post(`${CORE}/limitranges`, { metadata: {}, spec: { limits: [] } });
  expect([code, body.metadata.name]).toMatchObject([201, expect.stringMatching(/^[0-9a-f-]{36}$/) as string]);
  expect((await server.post(`${CORE}/configmaps`, { metadata: {} })).code).toBe(422);
});

it('a Namespace keeps its finalizers through an update, and its labels are no text', async () => {
  const path = '/api/v1/namespaces/kept';
  await server.post('/api/v1/namespaces', { metadata: { name: 'kept' } });
  const put = await server.request('PUT', path, JSON.stringify({ metadata: { name: 'kept', labels: { a: 'b' } } }));
  expect(put.body).toMatchObject({ metadata: { labels: { a: 'b' } }, spec: { finalizers: ['kubernetes'] } });
  expect((await patch(path, { metadata: { labels: 'x' } })).code).toBe(422);
  const ended = await patch(`${path}/status`, { status: { phase: 'Terminating' } });
  expect(ended.body.message).toContain("may only be 'Active' if `deletionTimestamp` is empty");
});

it('a RuntimeClass is created by an update', async () => {
  const body = JSON.stringify({ metadata: { name: 'put' }, handler: 'h' });
  expect((await server.request('PUT', '/apis/node.k8s.io/v1/runtimeclasses/put', body)).code).toBe(201);
});

it('a deletion of a Job that does not say what happens to its Pods gets a warning', async () => {
  const jobs = '/apis/batch/v1/namespaces/default/jobs/none';
  const warned = await server.request('DELETE', jobs);
  expect([warned.code, warned.headers.warning]).toMatchObject([404, expect.stringContaining('preserved') as string]);
  expect((await server.request('DELETE', `${jobs}?propagationPolicy=Background`)).headers.warning).toBeUndefined();
});

describe('a scale', () => {
  const path = '/apis/apps/v1/namespaces/default/deployments';
  it.each([
    [{ replicas: -1 }, /^Scale\.autoscaling "web" is invalid: spec\.replicas: Invalid value: -1: must be greater/],
    [{ replicas: 'x' }, /cannot unmarshal string into Go struct field ScaleSpec\.spec\.replicas of type int32$/],
  ])('is refused as a Scale: %j', async (spec, message) => {
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'x' }] } };
    const web = { metadata: { name: 'web' }, spec: { replicas: 0, selector: { matchLabels: labels }, template } };
    await server.post(path, web);
    expect((await patch(`${path}/web/scale`, { spec })).body.message).toMatch(message);
  });
});

it('a VolumeAttributesClass stays as long as a claim names it', async () => {
  const classes = '/apis/storage.k8s.io/v1/volumeattributesclasses';
  const gold = await server.post(classes, { metadata: { name: 'gold' }, driverName: 'd', parameters: { a: 'b' } });
  expect(gold.body.metadata.finalizers).toEqual(['kubernetes.io/vac-protection']);
  const resources = { requests: { storage: '1Gi' } };
  const spec = { accessModes: ['ReadWriteOnce'], resources, volumeAttributesClassName: 'gold' };
  await server.post(`${CORE}/persistentvolumeclaims`, { metadata: { name: 'data' }, spec });
  const deleted = await server.request('DELETE', `${classes}/gold`);
  expect(deleted.body.metadata.deletionTimestamp).toBeDefined();
  expect((await server.get(`${classes}/gold`)).code).toBe(200);
  await server.request('DELETE', `${CORE}/persistentvolumeclaims/data`);
  expect((await server.get(`${classes}/gold`)).code).toBe(404);
});

it('a finalizer that protects a claim comes back, and its controller owns it', async () => {
  const path = `${CORE}/persistentvolumeclaims`;
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  await server.post(path, { metadata: { name: 'kept' }, spec });
  await patch(`${path}/kept`, { metadata: { finalizers: null } });
  const { metadata } = (await server.get(`${path}/kept`)).body;
  expect(metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
  expect(metadata.managedFields.map(({ manager }: { manager: string }) => manager)).toContain(
    'kube-controller-manager',
  );
});
