import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

const map = (name: string, data: Record<string, unknown> = {}): object => ({ metadata: { name }, data });

const deployment = (name: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});

describe('create', () => {
  it('stores an object without a kind, and answers it with 201', async () => {
    const { code, body } = await server.post(MAPS, map('made', { a: 'b' }));
    expect(code).toBe(201);
    expect(body).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'made', namespace: 'default' },
    });
    expect(server.store.get('configmaps', 'default', 'made')).toMatchObject({ data: { a: 'b' } });
  });

  it('makes a name from generateName', async () => {
    const { body } = await server.post(MAPS, { metadata: { generateName: 'some-' } });
    expect(body.metadata.name).toMatch(/^some-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('stores nothing in a dry run', async () => {
    expect((await server.post(`${MAPS}?dryRun=All`, map('dry'))).code).toBe(201);
    expect((await server.get(`${MAPS}/dry`)).code).toBe(404);
  });

  it.each([
    [map(''), 422, 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required'],
    [{ kind: 'Pod', apiVersion: 'v1' }, 400, /cannot be handled as a ConfigMap: converting \(v1.Pod\)/],
    ['{', 400, /^the object provided is unrecognized \(must be of type ConfigMap\): couldn't get version\/kind; /],
    [map('x_y'), 422, /^ConfigMap "x_y" is invalid: metadata.name: Invalid value: "x_y": /],
    [{ metadata: { name: 'a', namespace: 'other' } }, 400, /does not match the namespace sent on the request$/],
    [{ ...map('strict'), dat: {} }, 400, /strict decoding error: unknown field "dat"$/],
  ])('refuses %j', async (object, code, message) => {
    const answer = await server.request('POST', `${MAPS}?fieldValidation=Strict`, object);
    expect(answer.code).toBe(code);
    expect(answer.body.message).toMatch(message);
  });

  it('refuses a name that is taken, and a namespace that is missing', async () => {
    await server.post(MAPS, map('taken'));
    const again = await server.post(MAPS, map('taken'));
    expect(again.body).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "taken" already exists',
    });
    const nowhere = await server.post('/api/v1/namespaces/nope/configmaps', map('a'));
    expect(nowhere.body).toMatchObject({ code: 404, message: 'namespaces "nope" not found' });
  });

  it('warns of unknown fields', async () => {
    const { headers } = await server.post(MAPS, { ...map('warned'), dat: 1 });
    expect(headers['warning']).toBe(String.raw`299 - "unknown field \"dat\""`);
  });
});

describe('update and patch', () => {
  it('replace an object, but not with an old version', async () => {
    const { body: first } = await server.post(MAPS, map('put', { a: '1' }));
    const put = (object: unknown) => server.request('PUT', `${MAPS}/put`, object);
    expect((await put({ ...first, data: { a: '2' } })).body.data).toEqual({ a: '2' });
    expect((await put({ ...first, data: { a: '3' } })).body).toMatchObject({ code: 409, reason: 'Conflict' });
    expect((await put({ metadata: { name: 'put' }, data: { a: '4' } })).body.data).toEqual({ a: '4' });
  });

  it('leave the version of an object that stays the same', async () => {
    const { body: before } = await server.post(MAPS, map('same', { a: '1' }));
    const after = await server.request('PUT', `${MAPS}/same`, before);
    expect(after.body.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it.each([
    ['application/merge-patch+json', { data: { b: '2', a: null } }, { b: '2' }],
    ['application/strategic-merge-patch+json', { data: { c: '3' } }, { a: '1', c: '3' }],
    ['application/json-patch+json', [{ op: 'add', path: '/data/d', value: '4' }], { a: '1', d: '4' }],
  ])('take a %s', async (type, patch, data) => {
    await server.request('DELETE', `${MAPS}/patched`);
    await server.post(MAPS, map('patched', { a: '1' }));
    const { code, body } = await server.request('PATCH', `${MAPS}/patched`, patch, { 'content-type': type });
    expect([code, body.data]).toEqual([200, data]);
  });

  it('scale a workload', async () => {
    await server.post(DEPLOYMENTS, deployment('scaled'));
    const scale = `${DEPLOYMENTS}/scaled/scale`;
    expect((await server.get(scale)).body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 2 },
      status: { selector: 'app=scaled' },
    });
    const patch = { spec: { replicas: 5 } };
    await server.request('PATCH', scale, patch, { 'content-type': 'application/merge-patch+json' });
    const { body } = await server.get(`${DEPLOYMENTS}/scaled`);
    expect([body.spec.replicas, body.metadata.generation]).toEqual([5, 2]);
  });

  it('write a status through its subresource only', async () => {
    const { body: made } = await server.post(DEPLOYMENTS, deployment('reported'));
    const status = { replicas: 2 };
    const main = await server.request('PUT', `${DEPLOYMENTS}/reported`, { ...made, status });
    expect(main.body.status?.replicas).toBeUndefined();
    const part = await server.request('PUT', `${DEPLOYMENTS}/reported/status`, { ...main.body, status });
    expect(part.body.status).toEqual(status);
  });
});

describe('delete', () => {
  it('answers what was deleted, and checks preconditions', async () => {
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

  it('empties a namespace before it goes, but keeps those that the server needs', async () => {
    await server.post('/api/v1/namespaces', { metadata: { name: 'short' } });
    const maps = '/api/v1/namespaces/short/configmaps';
    expect((await server.get(`${maps}/kube-root-ca.crt`)).body.data['ca.crt']).toBe(server.ca);
    await server.post(maps, { metadata: { name: 'a', finalizers: ['example.com/hold'] } });
    const { body } = await server.request('DELETE', '/api/v1/namespaces/short');
    expect(body.status.phase).toBe('Terminating');
    expect((await server.post(maps, map('late'))).body).toMatchObject({ code: 403, reason: 'Forbidden' });
    const patch = { metadata: { finalizers: null } };
    await server.request('PATCH', `${maps}/a`, patch, { 'content-type': 'application/merge-patch+json' });
    const watch = '/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Dshort&timeoutSeconds=1';
    await server.get(watch);
    expect((await server.get('/api/v1/namespaces/short')).code).toBe(404);
    expect((await server.request('DELETE', '/api/v1/namespaces/default')).code).toBe(403);
  });
});

it('gives ServiceAccounts tokens, which name them', async () => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await server.post(accounts, { metadata: { name: 'bot' } });
  const { code, body } = await server.post(`${accounts}/bot/token`, { spec: { expirationSeconds: 700 } });
  expect(code).toBe(201);
  const headers = { authorization: `Bearer ${body.status.token}` };
  const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const who = await server.request('POST', reviews, {}, headers);
  expect(who.body.status.userInfo.username).toBe('system:serviceaccount:default:bot');
  await server.request('DELETE', `${accounts}/bot`);
  expect((await server.request('POST', reviews, {}, headers)).code).toBe(401);
});

it('answers who may do what', async () => {
  const spec = { resourceAttributes: { verb: 'create', resource: 'pods', namespace: 'default' } };
  const { body } = await server.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec });
  expect(body.status).toEqual({ allowed: true });
  const who = await server.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
  expect(who.body.status.userInfo.username).toBe('kubernetes-admin');
});
