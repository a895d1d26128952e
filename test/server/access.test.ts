import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestAnswer, type TestServer } from './start-server.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const PODS = '/api/v1/namespaces/default/pods';

let server: TestServer;
let token: string;

beforeAll(async () => {
  server = await startServer({ authorization: 'rbac' });
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

it('a namespace of objects that others have stored is known at once', async () => {
  server.store.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'new' } });
  expect((await server.get('/api/v1/namespaces/new')).body.status).toEqual({ phase: 'Active' });
  expect((await server.get('/api/v1/namespaces/new/serviceaccounts/default')).code).toBe(200);
});
