import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestAnswer, type TestServer } from './start-server.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const REVIEWS = '/apis/authorization.k8s.io/v1';
const PODS = '/api/v1/namespaces/default/pods';

let server: TestServer;
let token: string;

beforeAll(async () => {
  server = await startServer();
  const asked = await server.post('/api/v1/namespaces/default/serviceaccounts/default/token', { spec: {} });
  ({ token } = asked.body.status as { token: string });
});

afterAll(() => server.close());

const asAccount = (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
  server.request(method, path, body, { authorization: `Bearer ${token}` });

function bind(name: string, role: string): Promise<TestAnswer> {
  return server.post(`${RBAC}/namespaces/default/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
  });
}

describe('a ServiceAccount', () => {
  it('may do nothing without a binding', async () => {
    const { code, body } = await asAccount('GET', PODS);
    const account = 'system:serviceaccount:default:default';
    const why = `User "${account}" cannot list resource "pods" in API group "" in the namespace "default"`;
    expect([code, body.message]).toEqual([403, `pods is forbidden: ${why}`]);
  });

  it('may ask what there is, and about itself', async () => {
    const paths = ['/api', '/apis/apps/v1', '/openapi/v3', '/version'];
    for (const path of paths) expect([path, (await asAccount('GET', path)).code]).toEqual([path, 200]);
    const review = { spec: { resourceAttributes: { verb: 'create', resource: 'pods', namespace: 'default' } } };
    const { body } = await asAccount('POST', `${REVIEWS}/selfsubjectaccessreviews`, review);
    expect(body.status.allowed).toBe(false);
    expect((await asAccount('POST', `${REVIEWS}/subjectaccessreviews`, review)).code).toBe(403);
  });

  it('gets no permission from another token, name or door', async () => {
    const spec = { containers: [{ name: 'main', image: 'busybox' }] };
    const tries: readonly (readonly [string, string, object?])[] = [
      ['POST', PODS, { metadata: { name: 'more' }, spec }],
      ['GET', '/api/v1/secrets'],
      ['POST', '/api/v1/namespaces/kube-system/serviceaccounts/default/token', { spec: {} }],
      ['POST', `${RBAC}/clusterrolebindings`, { metadata: { name: 'more' } }],
      ['GET', '/api/v1/nodes/x/proxy/pods'],
      ['GET', '/api/v1/namespaces/default/services/https:kubernetes:https/proxy/api'],
      ['GET', '/metrics'],
    ];
    for (const [method, path, body] of tries)
      expect([path, (await asAccount(method, path, body)).code]).toEqual([path, 403]);
    const anonymous = await server.request('GET', PODS, undefined, { authorization: '' });
    expect(anonymous.code).toBe(403);
  });

  it('may read, but not write, with the default ClusterRole view', async () => {
    await bind('viewer', 'view');
    expect((await asAccount('GET', PODS)).code).toBe(200);
    expect((await asAccount('GET', '/api/v1/namespaces/kube-system/pods')).code).toBe(403);
    expect((await asAccount('GET', '/api/v1/namespaces/default/secrets')).code).toBe(403);
    expect((await asAccount('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } })).code).toBe(
      403,
    );
  });

  it('gets what a role adds to view by a label', async () => {
    const scalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    expect((await asAccount('GET', scalers)).code).toBe(200);
    expect((await asAccount('GET', leases)).code).toBe(403);
    await server.post(`${RBAC}/clusterroles`, {
      metadata: { name: 'more', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
      rules: [{ verbs: ['list'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] }],
    });
    await expect.poll(async () => (await asAccount('GET', leases)).code).toBe(200);
  });
});

describe('the roles of every cluster', () => {
  const named = (resource: string, name: string): string => `${RBAC}/${resource}/${name}`;

  it('are collected by the aggregation controller, which owns their rules', async () => {
    const { body } = await server.get(named('clusterroles', 'admin'));
    const managers = (body.metadata.managedFields as { manager: string; operation: string }[]).map(
      ({ manager, operation }) => `${operation} by ${manager}`,
    );
    expect(managers.toSorted()).toEqual(['Apply by clusterrole-aggregation-controller', 'Update by kube-apiserver']);
  });

  it('exist for the controllers and in the namespace kube-system too', async () => {
    expect((await server.get(named('clusterroles', 'system:controller:job-controller'))).code).toBe(200);
    expect((await server.get(named('clusterrolebindings', 'system:controller:job-controller'))).body).toMatchObject({
      roleRef: { kind: 'ClusterRole', name: 'system:controller:job-controller' },
      subjects: [{ kind: 'ServiceAccount', name: 'job-controller', namespace: 'kube-system' }],
    });
    const { body } = await server.get(`${RBAC}/namespaces/kube-system/roles`);
    const names = (body.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    expect(names).toContain('system::leader-locking-kube-scheduler');
  });

  it('get back at the next start what they lack, unless their annotation says no', async () => {
    const stateDir = mkdtempSync(path.join(tmpdir(), 'podrun-roles-'));
    const rulesOf = async (from: TestServer, role: string): Promise<number> =>
      (await from.get(named('clusterroles', role))).body.rules.length as number;
    const subjectsOf = async (from: TestServer): Promise<unknown> =>
      (await from.get(named('clusterrolebindings', 'system:discovery'))).body.subjects;
    const first = await startServer({ stateDir });
    const [dns, node] = [await rulesOf(first, 'system:kube-dns'), await rulesOf(first, 'system:node')];
    const subjects = await subjectsOf(first);
    const change = (resource: string, name: string, patch: object): Promise<TestAnswer> =>
      first.request('PATCH', named(resource, name), patch, { 'content-type': 'application/merge-patch+json' });
    await change('clusterroles', 'system:kube-dns', { rules: [] });
    await change('clusterrolebindings', 'system:discovery', { subjects: null });
    const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
    await change('clusterroles', 'system:node', { metadata: { annotations }, rules: [] });
    await first.close();

    const second = await startServer({ stateDir });
    const parts = 4;
    expect({ dns, parts: await rulesOf(second, 'system:kube-dns') }).toEqual({ dns: 1, parts });
    expect(await subjectsOf(second)).toEqual(subjects);
    expect({ before: node > 0, after: await rulesOf(second, 'system:node') }).toEqual({ before: true, after: 0 });
    await second.close();
    rmSync(stateDir, { recursive: true });
  });
});

it('a user may have a name beyond ASCII, which clients send as UTF-8', async () => {
  const bytes = (text: string): string => Buffer.from(text).toString('latin1');
  const headers = { 'impersonate-user': bytes('Zoë'), 'impersonate-extra-team': bytes('grün') };
  const { body } = await server.get('/api/v1/namespaces/default/secrets/a', headers);
  expect(body.message).toContain('User "Zoë" cannot get resource "secrets"');
});

describe('a user of a Role', () => {
  const MAPS = '/api/v1/namespaces/default/configmaps';
  const joe = { 'impersonate-user': 'joe' };
  const asJoe = (method: string, path: string, body?: unknown, type = 'application/json'): Promise<TestAnswer> =>
    server.request(method, path, body, { ...joe, 'content-type': type });

  beforeAll(async () => {
    await server.post(MAPS, { metadata: { name: 'leader' } });
    const core = (resources: string[], verbs: string[], more = {}): object => ({
      apiGroups: [''],
      resources,
      verbs,
      ...more,
    });
    const rules = [
      core(['configmaps'], ['get', 'list', 'watch'], { resourceNames: ['leader'] }),
      core(['configmaps', 'pods/exec'], ['patch', 'get']),
    ];
    await server.post(`${RBAC}/namespaces/default/roles`, { metadata: { name: 'joe' }, rules });
    await server.post(`${RBAC}/namespaces/default/rolebindings`, {
      metadata: { name: 'joe' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'joe' },
      subjects: [{ kind: 'User', name: 'joe', apiGroup: 'rbac.authorization.k8s.io' }],
    });
  });

  it('may list and watch an object by its name, and no other', async () => {
    const by = (selector: string): string => `${MAPS}?fieldSelector=${encodeURIComponent(selector)}`;
    expect((await asJoe('GET', by('metadata.name=leader'))).body.items).toHaveLength(1);
    expect((await asJoe('GET', `${by('metadata.name=leader')}&watch=1&timeoutSeconds=1`)).code).toBe(200);
    for (const target of [MAPS, by('metadata.name=other'), by('metadata.name!=leader')])
      expect([target, (await asJoe('GET', target)).code]).toEqual([target, 403]);
  });

  it('creates nothing by an apply without the verb create', async () => {
    const apply = (name: string): Promise<TestAnswer> => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } };
      return asJoe('PATCH', `${MAPS}/${name}?fieldManager=joe`, object, 'application/apply-patch+yaml');
    };
    expect((await apply('leader')).code).toBe(200);
    const { code, body } = await apply('new');
    const why = 'User "joe" cannot create resource "configmaps" in API group "" in the namespace "default"';
    expect([code, body.message]).toEqual([403, `configmaps "new" is forbidden: ${why}`]);
  });

  it('enters no Pod by a websocket without the verb create', async () => {
    const headers = {
      ...joe,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      'sec-websocket-protocol': 'v5.channel.k8s.io',
    };
    const { code, body } = await server.request('GET', `${PODS}/web/exec?command=id&stdout=1`, undefined, headers);
    const why = 'User "joe" cannot create resource "pods/exec" in API group "" in the namespace "default"';
    expect([code, body.message]).toEqual([403, `pods "web" is forbidden: ${why}`]);
  });
});

it('always-allow lets every token do everything, and says so', async () => {
  const open = await startServer({ authorization: 'always-allow' });
  const asked = await open.post('/api/v1/namespaces/default/serviceaccounts/default/token', { spec: {} });
  const headers = { authorization: `Bearer ${asked.body.status.token}` };
  expect((await open.request('GET', '/api/v1/secrets', undefined, headers)).code).toBe(200);
  await expect(open.close()).rejects.toThrow('authorization always-allow: every token, also the token of a Pod');
});

describe('the administrator', () => {
  const as = (user: string, ...groups: readonly string[]): Readonly<Record<string, string>> => ({
    'impersonate-user': user,
    ...(groups.length > 0 && { 'impersonate-group': groups.join(', ') }),
  });

  it('may stand for another user, who may do less', async () => {
    const review = await server.request(
      'POST',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      {},
      as('jane', 'developers'),
    );
    expect(review.body.status.userInfo).toEqual({ username: 'jane', groups: ['developers', 'system:authenticated'] });
    expect((await server.request('GET', PODS, undefined, as('jane'))).code).toBe(403);
    expect((await server.request('GET', PODS, undefined, as('system:serviceaccount:default:default'))).code).toBe(200);
  });

  it('is the only one who may', async () => {
    const headers = { authorization: `Bearer ${token}`, ...as('kubernetes-admin', 'system:masters') };
    const { code, body } = await server.request('GET', PODS, undefined, headers);
    expect([code, body.message]).toEqual([
      403,
      expect.stringContaining('cannot impersonate resource "users" in API group "" at the cluster scope'),
    ]);
  });
});

describe('an administrator of a namespace', () => {
  const ROLES = `${RBAC}/namespaces/default/roles`;
  const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
  const jane = { 'impersonate-user': 'jane' };
  const role = (name: string, ...rules: object[]): object => ({ metadata: { name }, rules });
  const secrets = { apiGroups: [''], resources: ['secrets', 'nodes'], verbs: ['get', 'list'] };
  const refOf = (kind: string, name: string): object => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
  const user = { kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' };
  const asJane = (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
    server.request(method, path, body, jane);
  const who =
    'user "jane" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:';

  beforeAll(async () => {
    const body = { metadata: { name: 'jane-admin' }, roleRef: refOf('ClusterRole', 'admin'), subjects: [user] };
    await server.post(BINDINGS, body);
  });

  it('gives no role more than they may do', async () => {
    expect((await asJane('POST', ROLES, role('own', { ...secrets, resources: ['secrets'] }))).code).toBe(201);
    const { code, body } = await asJane('POST', ROLES, role('more', secrets));
    expect([code, body.message]).toEqual([
      403,
      `roles.rbac.authorization.k8s.io "more" is forbidden: ${who}\n` +
        '{APIGroups:[""], Resources:["nodes"], Verbs:["get" "list"]}',
    ]);
    const patched = await server.request('PATCH', `${ROLES}/own`, JSON.stringify({ rules: [secrets] }), {
      ...jane,
      'content-type': 'application/merge-patch+json',
    });
    expect(patched.body.message).toContain(who);
    const labelled = await server.request(
      'PATCH',
      `${ROLES}/own`,
      JSON.stringify({ metadata: { labels: { a: 'b' } } }),
      {
        ...jane,
        'content-type': 'application/merge-patch+json',
      },
    );
    expect(labelled.code).toBe(200);
  });

  it('binds no role that has more than they may do', async () => {
    const bound = (name: string): object => ({
      metadata: { name: `to-${name}` },
      roleRef: refOf('ClusterRole', name),
      subjects: [user],
    });
    expect((await asJane('POST', BINDINGS, bound('edit'))).code).toBe(201);
    const { code, body } = await asJane('POST', BINDINGS, bound('cluster-admin'));
    expect([code, body.message]).toEqual([
      403,
      `rolebindings.rbac.authorization.k8s.io "to-cluster-admin" is forbidden: ${who}\n` +
        '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}',
    ]);
    expect((await asJane('POST', BINDINGS, bound('nobody'))).body.message).toBe(
      'rolebindings.rbac.authorization.k8s.io "nobody" not found',
    );
  });

  it('does both when escalate and bind permit it', async () => {
    const rules = [
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'clusterroles'], verbs: ['escalate', 'bind'] },
    ];
    await server.post(`${RBAC}/clusterroles`, { metadata: { name: 'trusted' }, rules });
    await server.post(`${RBAC}/clusterrolebindings`, {
      metadata: { name: 'trusted' },
      roleRef: refOf('ClusterRole', 'trusted'),
      subjects: [user],
    });
    expect((await asJane('POST', ROLES, role('more', secrets))).code).toBe(201);
    const body = { metadata: { name: 'all' }, roleRef: refOf('ClusterRole', 'cluster-admin'), subjects: [user] };
    expect((await asJane('POST', BINDINGS, body)).code).toBe(201);
  });
});

it('a namespace of objects that another process has stored is known at once', async () => {
  server.store.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'new' } });
  expect((await server.get('/api/v1/namespaces/new')).body.status).toEqual({ phase: 'Active' });
  expect((await server.get('/api/v1/namespaces/new/serviceaccounts/default')).code).toBe(200);
});

it('policies ask what the user of a request may do', async () => {
  const admission = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic';
  const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
  const expression = "authorizer.group('').resource('secrets').namespace('kube-system').check('get').allowed()";
  await server.post(`${admission}ies`, {
    metadata: { name: 'trusted' },
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression, message: 'not trusted' }] },
  });
  const spec = { policyName: 'trusted', validationActions: ['Deny'] };
  await server.post(`${admission}ybindings`, { metadata: { name: 'trusted' }, spec });
  await bind('editor', 'edit');
  const maps = '/api/v1/namespaces/default/configmaps';
  expect((await server.post(maps, { metadata: { name: 'by-admin' } })).code).toBe(201);
  const refused = await asAccount('POST', maps, { metadata: { name: 'by-account' } });
  expect(refused.body).toMatchObject({ code: 422, message: expect.stringContaining('not trusted') as string });
});
