import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestAnswer, type TestServer } from './start-server.ts';

const ACCESS = '/apis/authorization.k8s.io/v1';
const WHO = '/apis/authentication.k8s.io/v1';
const TOKEN = '/api/v1/namespaces/default/serviceaccounts/default/token';
const POD = {
  metadata: { name: 'asker' },
  spec: { containers: [{ name: 'main', image: 'busybox' }] },
};

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.post('/api/v1/namespaces/default/pods', POD);
});

afterAll(() => server.close());

const asUser = (path: string, body: object, headers: Record<string, string>): Promise<TestAnswer> =>
  server.request('POST', path, body, headers);

describe('a review of access', () => {
  const get = { namespace: 'default', verb: 'get', resource: 'pods' };

  it('says which binding permits it', async () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    await server.post(`${rbac}/roles`, {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    });
    await server.post(`${rbac}/rolebindings`, {
      metadata: { name: 'readers' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'User', name: 'ann' }],
    });
    const may = await server.post(`${ACCESS}/subjectaccessreviews`, { spec: { user: 'ann', resourceAttributes: get } });
    const reason = 'RBAC: allowed by RoleBinding "readers/default" of Role "reader" to User "ann"';
    expect(may.body.status).toEqual({ allowed: true, reason });
    const masters = { groups: ['system:masters'], resourceAttributes: get };
    expect((await server.post(`${ACCESS}/subjectaccessreviews`, { spec: masters })).body.status).toEqual({
      allowed: true,
    });
  });

  const local = 'namespaces/default/localsubjectaccessreviews';
  const selector = (more: object): object => ({ user: 'a', resourceAttributes: { ...get, labelSelector: more } });
  it.each<[string, object, string]>([
    [
      'subjectaccessreviews',
      {},
      '[spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes ' +
        'must be specified, spec.user: Invalid value: "": at least one of user or group must be specified]',
    ],
    [
      'selfsubjectaccessreviews',
      { resourceAttributes: get, nonResourceAttributes: { path: '/', verb: 'get' } },
      'spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":"get"}: cannot be specified in combination with ' +
        'resourceAttributes',
    ],
    [
      local,
      { user: 'a', resourceAttributes: { ...get, namespace: 'other' } },
      'spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace',
    ],
    [
      'subjectaccessreviews',
      selector({ rawSelector: 'a', requirements: [{ key: 'a', operator: 'Near' }] }),
      'spec.resourceAttributes.labelSelector.rawSelector: Invalid value: "a": may not specified at the same time as ' +
        'requirements',
    ],
    [
      'subjectaccessreviews',
      selector({}),
      'spec.resourceAttributes.labelSelector.requirements: Required value: when ' +
        'spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required',
    ],
  ])('is refused: %s %j', async (path, spec, why) => {
    const { code, body } = await server.post(`${ACCESS}/${path}`, { spec });
    expect([code, body.message]).toEqual([422, `.authorization.k8s.io "" is invalid: ${why}`]);
  });

  it('has no unknown field, and the namespace that it asks about', async () => {
    const strict = `${ACCESS}/selfsubjectaccessreviews?fieldValidation=Strict`;
    const unknown = await server.post(strict, { spec: { foo: 1, resourceAttributes: get } });
    expect([unknown.code, unknown.body.message]).toEqual([400, expect.stringContaining('unknown field "spec.foo"')]);
    const nowhere = await server.post(`${ACCESS}/selfsubjectrulesreviews`, { spec: {} });
    expect([nowhere.code, nowhere.body.message]).toEqual([400, 'no namespace on request']);
    const placed = await server.post(`${ACCESS}/${local}`, { spec: { user: 'a', resourceAttributes: get } });
    expect(placed.body.metadata.namespace).toBe('default');
  });
});

describe('a token', () => {
  const JTI = [expect.stringMatching(/^JTI=[\da-f-]{36}$/)];

  it('names the Pod and the node for which it was made', async () => {
    const pod = (await server.get('/api/v1/namespaces/default/pods/asker')).body;
    const node = (await server.get('/api/v1/nodes')).body.items[0];
    await server.post('/api/v1/namespaces/default/pods/asker/binding', { target: { name: node.metadata.name } });
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'asker', uid: pod.metadata.uid };
    const made = await server.post(TOKEN, { spec: { boundObjectRef } });
    const { token } = made.body.status;
    const review = await server.post(`${WHO}/tokenreviews`, { spec: { token } });
    const { nodeName } = (await server.get('/api/v1/namespaces/default/pods/asker')).body.spec;
    expect(review.body.status.user.extra).toEqual({
      'authentication.kubernetes.io/credential-id': JTI,
      'authentication.kubernetes.io/pod-name': ['asker'],
      'authentication.kubernetes.io/pod-uid': [pod.metadata.uid],
      ...(nodeName && {
        'authentication.kubernetes.io/node-name': [node.metadata.name],
        'authentication.kubernetes.io/node-uid': [node.metadata.uid],
      }),
    });
  });

  it('is for its audiences alone', async () => {
    const { token } = (await server.post(TOKEN, { spec: { audiences: ['vault'] } })).body.status;
    const review = async (audiences?: string[]): Promise<unknown> =>
      (await server.post(`${WHO}/tokenreviews`, { spec: { token, audiences } })).body.status;
    expect(await review(['vault', 'other'])).toMatchObject({ authenticated: true, audiences: ['vault'] });
    const why = 'token audiences ["vault"] is invalid for the target audiences ["other"]';
    expect(await review(['other'])).toEqual({ user: {}, error: `[invalid bearer token, ${why}]` });
    const used = await server.get('/api/v1/pods', { authorization: `Bearer ${token}` });
    expect(used.code).toBe(401);
  });

  it.each<[object, number, string]>([
    [{ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } }, 404, 'pods "none" not found'],
    [
      { boundObjectRef: { kind: 'Job', apiVersion: 'batch/v1', name: 'a' } },
      400,
      'cannot bind token to object of type batch/v1, Kind=Job',
    ],
    [
      { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'asker', uid: 'x' } },
      409,
      'Operation cannot be fulfilled on Pod "asker": the UID in the bound object reference (x) does not match the ' +
        'UID in record. The object might have been deleted and then recreated',
    ],
  ])('is not made for %j', async (spec, code, message) => {
    const made = await server.post(TOKEN, { spec });
    expect([made.code, made.body.message]).toEqual([code, message]);
  });

  it('is needed for a TokenReview', async () => {
    const { code, body } = await server.post(`${WHO}/tokenreviews`, { spec: {} });
    expect([code, body.message]).toEqual([400, 'token is required for TokenReview in authentication']);
  });
});

it('a SelfSubjectReview tells what else is known of the user', async () => {
  const headers = { 'impersonate-user': 'ann', 'impersonate-extra-dept%2Fteam': 'blue' };
  const { body } = await asUser(`${WHO}/selfsubjectreviews`, {}, headers);
  expect(body.status.userInfo).toMatchObject({ username: 'ann', extra: { 'dept/team': ['blue'] } });
  const alone = await asUser(`${WHO}/selfsubjectreviews`, {}, { 'impersonate-extra-a': 'b' });
  expect(alone.code).toBe(400);
});

it('a Secret gets the token of its ServiceAccount, and goes with the account', async () => {
  const inside = '/api/v1/namespaces/default';
  const type = 'kubernetes.io/service-account-token';
  const secret = (name: string, account: string): object => ({
    metadata: { name, annotations: { 'kubernetes.io/service-account.name': account } },
    type,
  });
  await server.post(`${inside}/serviceaccounts`, { metadata: { name: 'robot' } });
  await server.post(`${inside}/secrets`, secret('robot-token', 'robot'));
  const read = async (): Promise<TestAnswer> => server.get(`${inside}/secrets/robot-token`);
  await expect.poll(async () => Object.keys((await read()).body.data ?? {})).toEqual(['ca.crt', 'namespace', 'token']);
  const { data } = (await read()).body as { data: Record<string, string> };
  const [token, namespace, ca] = ['token', 'namespace', 'ca.crt'].map((key) =>
    Buffer.from(data[key] ?? '', 'base64').toString(),
  );
  expect([namespace, ca]).toEqual(['default', server.ca]);
  const review = async (): Promise<unknown> =>
    (await server.post(`${WHO}/tokenreviews`, { spec: { token } })).body.status;
  const user = { username: 'system:serviceaccount:default:robot' };
  expect(await review()).toMatchObject({ authenticated: true, user });
  await server.request('DELETE', `${inside}/serviceaccounts/robot`);
  await expect.poll(async () => (await read()).code).toBe(404);
  expect(await review()).toMatchObject({ error: expect.stringContaining('invalid bearer token') });
  await server.post(`${inside}/secrets`, secret('of-no-one', 'missing'));
  await expect.poll(async () => (await server.get(`${inside}/secrets/of-no-one`)).code).toBe(404);
});
