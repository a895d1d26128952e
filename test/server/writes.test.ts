import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { machineAddress } from '../../src/network/base/service-addresses.ts';
import { startServer, type TestAnswer, type TestServer } from './start-server.ts';

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

const CONDITION = {
  type: 'Attached',
  status: 'True',
  lastTransitionTime: '2026-11-26T10:00:00Z',
  reason: 'Test',
  message: '',
};

const SERVICES = '/api/v1/namespaces/default/services';

/** An object without what each creation makes anew. */
function withoutTrace({ metadata, ...rest }: { metadata: Record<string, unknown> }): object {
  const { uid, creationTimestamp, resourceVersion: _version, managedFields: _, ...kept } = metadata;
  expect([typeof uid, typeof creationTimestamp]).toEqual(['string', 'string']);
  return { ...rest, metadata: kept };
}

describe('create', () => {
  it('stores an object without a kind, and returns it with 201', async () => {
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
    const { code, body } = await server.post(`${MAPS}?dryRun=All`, map('dry'));
    expect(code).toBe(201);
    expect(body.metadata).toMatchObject({ name: 'dry', uid: expect.any(String) as string });
    expect(body.metadata).not.toHaveProperty('resourceVersion');
    expect((await server.get(`${MAPS}/dry`)).code).toBe(404);
  });

  it.each([
    ['/api/v1/namespaces', { metadata: { name: 'fresh' } }, { spec: { finalizers: ['kubernetes'] } }],
    ['/api/v1/namespaces', { metadata: { name: 'new' } }, { status: { phase: 'Active' } }],
    [DEPLOYMENTS, deployment('dry'), { metadata: { generation: 1 }, status: {} }],
    [SERVICES, { metadata: { name: 'dry' }, spec: { ports: [{ port: 80 }] } }, { status: { loadBalancer: {} } }],
    ['/apis/storage.k8s.io/v1/csidrivers', { metadata: { name: 'driver.example.com' }, spec: {} }, {}],
  ])('answers a dry run for %s as it would be stored', async (path, object, wanted) => {
    const [dry, made] = [await server.post(`${path}?dryRun=All`, object), await server.post(path, object)];
    expect(dry.body).toMatchObject(wanted);
    expect(withoutTrace(dry.body)).toEqual(withoutTrace(made.body));
  });

  it.each([
    [map(''), 422, 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required'],
    [{ kind: 'Pod', apiVersion: 'v1' }, 400, /cannot be handled as a ConfigMap: converting \(v1.Pod\)/],
    ['{', 400, /^the object provided is unrecognized \(must be of type ConfigMap\): couldn't get version\/kind; /],
    [map('x_y'), 422, /^ConfigMap "x_y" is invalid: metadata.name: Invalid value: "x_y": /],
    [{ metadata: { name: 'a', namespace: 'other' } }, 400, /does not match the namespace sent on the request$/],
    [{ ...map('strict'), dat: {} }, 400, /strict decoding error: unknown field "dat"$/],
    [
      '{"metadata":{"name":"a"},"dat":{},"data":{"a":"1","a":"2"},"more":1,"more":2}',
      400,
      /strict decoding error: unknown field "dat", duplicate field "data.a", unknown field "more"$/,
    ],
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

  it('forbids a Pod of a RuntimeClass that does not exist', async () => {
    const pod = {
      metadata: { name: 'p' },
      spec: { runtimeClassName: 'nope', containers: [{ name: 'c', image: 'i' }] },
    };
    const { body } = await server.post('/api/v1/namespaces/default/pods?dryRun=All', pod);
    const message = 'pods "p" is forbidden: pod rejected: RuntimeClass "nope" not found';
    expect(body).toMatchObject({ code: 403, reason: 'Forbidden', message });
  });

  it('keeps the status of a new Node', async () => {
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    const { body } = await server.post('/api/v1/nodes', { metadata: { name: 'fake' }, status });
    const times = { lastHeartbeatTime: null, lastTransitionTime: null };
    expect(body.status).toMatchObject({ ...status, conditions: [{ ...status.conditions[0], ...times }] });
    expect(body.spec).toEqual({ taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] });
    expect((await server.get('/api/v1/nodes/fake')).body.status).toEqual(body.status);
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

  it('answer what a dry run would store, and store nothing', async () => {
    await server.post(MAPS, map('dry'));
    const merge = { 'content-type': 'application/merge-patch+json' };
    const patched = await server.request('PATCH', `${MAPS}/dry?dryRun=All`, '{"data":{"key":"new"}}', merge);
    expect(patched.body.data).toEqual({ key: 'new' });
    const { body } = await server.get(`${MAPS}/dry`);
    expect(
      (await server.request('PUT', `${MAPS}/dry?dryRun=All`, { ...body, data: { key: 'put' } })).body.data,
    ).toEqual({
      key: 'put',
    });
    const labels = '{"metadata":{"labels":{"a":"b"}}}';
    const namespace = await server.request('PATCH', '/api/v1/namespaces/default?dryRun=All', labels, merge);
    expect(namespace.body.metadata).toMatchObject({ name: 'default', labels: { a: 'b' } });
    expect(namespace.body.metadata.namespace).toBeUndefined();
    expect((await server.get(`${MAPS}/dry`)).body).toEqual(body);
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

  it.each([
    ['merge', '', 400, 'BadRequest', 'error decoding patch: unexpected end of JSON input'],
    ['merge', { metadata: { name: 'other' } }, 400, 'BadRequest', /^the name of the object \(other\) does not match/],
    ['merge', { metadata: { uid: 'x' } }, 422, 'Invalid', /metadata\.uid: Invalid value: "x": field is immutable$/],
    [
      'merge',
      { metadata: { labels: 'x' } },
      422,
      'Invalid',
      /^ "" is invalid: patch: Invalid value: "\{.*field ObjectMeta\.metadata\.labels of type map\[string\]string$/,
    ],
    [
      'json',
      { a: 1 },
      400,
      'BadRequest',
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    ['strategic-merge', { data: { $patch: 'x' } }, 500, undefined, 'unknown patch type: x in map: map[$patch:x]'],
    ['merge', { metadata: { resourceVersion: 'x' } }, 500, undefined, 'strconv.ParseUint: parsing "x": invalid syntax'],
  ])('refuse a patch of type %s: %j', async (type, patch, code, reason, message) => {
    await server.post(MAPS, map('refusing', { a: 'b' }));
    const headers = { 'content-type': `application/${type}-patch+json` };
    const answer = await server.request('PATCH', `${MAPS}/refusing`, patch, headers);
    expect([answer.code, answer.body.reason]).toEqual([code, reason]);
    expect(answer.body.message).toMatch(message);
    const forced = await server.request('PATCH', `${MAPS}/refusing?force=true`, {}, headers);
    expect([forced.code, forced.body.message]).toEqual([
      422,
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    ]);
  });

  it.each([
    [
      'merge-patch+json',
      '{"dat":{},"more":1,"data":{"a":"1","a":"2"}}',
      /strict decoding error: duplicate field "data.a", unknown field "dat", unknown field "more"$/,
    ],
    ['strategic-merge-patch+json', '{"data":{"a":"1","a":"2"}}', /strict decoding error: duplicate field "data.a"$/],
    [
      'apply-patch+yaml',
      'apiVersion: v1\nkind: ConfigMap\ndata: {a: "1"}\ndata:\n  a: "1"\n  a: "2"\n',
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n' +
        '  line 4: key "data" already set in map\n  line 6: key "a" already set in map',
    ],
  ])('refuse a strict %s for all its fields at once', async (type, patch, message) => {
    await server.post(MAPS, map('strict'));
    const path = `${MAPS}/strict?fieldManager=me${type.startsWith('apply') ? '&force=true' : ''}`;
    const headers = { 'content-type': `application/${type}` };
    const strict = await server.request('PATCH', `${path}&fieldValidation=Strict`, patch, headers);
    const code = type.startsWith('apply') ? 400 : 422;
    expect(strict).toMatchObject({ code, body: { message: expect.stringMatching(message) as string } });
    const warned = await server.request('PATCH', path, patch, headers);
    expect([warned.code, warned.headers['warning']]).toEqual([200, expect.stringContaining('a')]);
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

  it('keep the status of a Service that another client has written', async () => {
    const spec = { type: 'LoadBalancer', loadBalancerClass: 'example.com/theirs', ports: [{ port: 80 }] };
    const { body: made } = await server.post(SERVICES, { metadata: { name: 'balanced' }, spec });
    const onMachine = { ip: machineAddress(made.spec.clusterIP as string), ipMode: 'VIP' };
    expect(made.status).toEqual({ loadBalancer: { ingress: [{ ip: '127.0.0.1', ipMode: 'VIP' }, onMachine] } });
    const status = { loadBalancer: { ingress: [{ ip: '203.0.113.1', ipMode: 'VIP' }] }, conditions: [CONDITION] };
    const given = { ...status, loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } };
    const written = await server.request('PUT', `${SERVICES}/balanced/status`, { ...made, status: given });
    expect(written.body.status).toEqual(status);
    const write = (metadata: object, of: object): Promise<TestAnswer> =>
      server.request('PUT', `${SERVICES}/balanced`, { metadata: { name: 'balanced', ...metadata }, spec: of });
    expect((await write({ labels: { a: 'b' } }, made.spec)).body.status).toEqual(status);
    const { loadBalancerClass: _, ...other } = made.spec;
    await write({}, { ...other, type: 'NodePort', allocateLoadBalancerNodePorts: undefined });
    expect((await server.get(`${SERVICES}/balanced`)).body.status).toEqual({
      loadBalancer: {},
      conditions: [CONDITION],
    });
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

it('reports the rights and the name of a user', async () => {
  const spec = { resourceAttributes: { verb: 'create', resource: 'pods', namespace: 'default' } };
  const { body } = await server.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec });
  expect(body.status).toEqual({ allowed: true });
  const who = await server.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
  expect(who.body.status.userInfo.username).toBe('kubernetes-admin');
});
