import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startServer, type TestServer } from '../../server/start-server.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const SETS = '/apis/apps/v1/namespaces/default/replicasets';

interface Asked {
  readonly uid: string;
  /** The path under which the webhook was called. */
  readonly path: string;
  readonly operation: string;
  readonly kind: { readonly kind: string };
  readonly resource: { readonly resource: string };
  readonly subResource?: string;
  readonly object: Readonly<Record<string, unknown>> | null;
  readonly oldObject: { readonly metadata: { readonly name: string } } | null;
}

let server: TestServer;
let seen: string[];
let answer: (asked: Asked) => object;

/** A webhook of this machine, which is asked about everything. */
const hook = createServer((incoming, response) => {
  let text = '';
  incoming.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  incoming.on('end', () => {
    const { request: asked } = JSON.parse(text) as { readonly request: Asked };
    const { operation, resource, subResource = '', kind, oldObject } = asked;
    const before = oldObject === null ? '' : ` before: ${oldObject.metadata.name}`;
    seen.push(`${operation} ${resource.resource}/${subResource} ${kind.kind}${before}`);
    response.end(
      JSON.stringify({
        response: {
          uid: asked.uid,
          allowed: true,
          ...answer({ ...asked, path: (incoming.url ?? '').replace(/\?.*/, '') }),
        },
      }),
    );
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  server = await startServer();
  const everything = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
  const webhook = {
    name: 'all.example.com',
    clientConfig: { url },
    rules: [everything],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  for (const kind of ['Mutating', 'Validating']) {
    const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`;
    await server.post(path, { metadata: { name: 'all' }, webhooks: [webhook] });
  }
});

beforeEach(() => {
  seen = [];
  answer = () => ({});
});

afterAll(async () => {
  await server.close();
  hook.close();
  hook.closeAllConnections();
});

const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'busybox' }] } };

it('webhooks see each object of a collection that is deleted, and keep what they refuse', async () => {
  for (const name of ['a', 'b']) {
    await server.post(`${NAMESPACE}/configmaps`, { metadata: { name, labels: { app: 'x' } } });
  }
  seen = [];
  answer = ({ oldObject }) => ({ allowed: oldObject?.metadata.name !== 'b' });
  const { code } = await server.request('DELETE', `${NAMESPACE}/configmaps?labelSelector=app%3Dx`);
  const about = 'DELETE configmaps/ ConfigMap';
  expect([code, ...seen]).toEqual([400, about, `${about} before: a`, `${about} before: b`]);
  expect((await server.get(`${NAMESPACE}/configmaps/a`)).code).toBe(404);
  expect((await server.get(`${NAMESPACE}/configmaps/b`)).code).toBe(200);
});

it('webhooks see evictions, bindings and tokens', async () => {
  await server.post(`${NAMESPACE}/pods`, pod);
  seen = [];
  const target = { apiVersion: 'v1', kind: 'Node', name: 'n' };
  await server.post(`${NAMESPACE}/pods/web/binding`, { metadata: { name: 'web' }, target });
  await server.post(`${NAMESPACE}/serviceaccounts/default/token`, { spec: {} });
  answer = () => ({ allowed: false, status: { message: 'not now', code: 403 } });
  const { body } = await server.post(`${NAMESPACE}/pods/web/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: 'web' },
  });
  const twice = (text: string): string[] => [text, text];
  expect(seen).toEqual([
    ...twice('CREATE pods/binding Binding'),
    ...twice('CREATE serviceaccounts/token TokenRequest'),
    'CREATE pods/eviction Eviction',
  ]);
  expect(body.message).toBe('admission webhook "all.example.com" denied the request: not now');
});

const REVIEWS: readonly (readonly [group: string, plural: string, kind: string, spec: object])[] = [
  ['authentication.k8s.io', 'selfsubjectreviews', 'SelfSubjectReview', {}],
  ['authentication.k8s.io', 'tokenreviews', 'TokenReview', { token: 'x' }],
  [
    'authorization.k8s.io',
    'namespaces/default/localsubjectaccessreviews',
    'LocalSubjectAccessReview',
    { user: 'a', resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
  ],
  [
    'authorization.k8s.io',
    'selfsubjectaccessreviews',
    'SelfSubjectAccessReview',
    { nonResourceAttributes: { path: '/', verb: 'get' } },
  ],
  ['authorization.k8s.io', 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', { namespace: 'default' }],
  [
    'authorization.k8s.io',
    'subjectaccessreviews',
    'SubjectAccessReview',
    { user: 'a', nonResourceAttributes: { path: '/', verb: 'get' } },
  ],
];

it.each(REVIEWS)('webhooks see reviews, and policies do not: %s %s', async (group, plural, kind, spec) => {
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  const everything = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };
  const policy = { matchConstraints: { resourceRules: [everything] }, validations: [{ expression: 'false' }] };
  await server.post(policies, { metadata: { name: 'never' }, spec: policy });
  const binding = { policyName: 'never', validationActions: ['Deny'] };
  const bindings = policies.replace('policies', 'policybindings');
  await server.post(bindings, { metadata: { name: 'never' }, spec: binding });
  const path = `/apis/${group}/v1/${plural}`;
  seen = [];
  const permitted = await server.post(path, { spec });
  answer = () => ({ allowed: seen.length < 4, status: { message: 'not now', code: 403 } });
  const refused = await server.post(path, { spec });
  await server.request('DELETE', `${bindings}/never`);
  const about = `CREATE ${plural.replace(/.*\//, '')}/ ${kind}`;
  expect([permitted.code, refused.code]).toEqual([201, 403]);
  expect(seen).toEqual([about, about, about, about]);
});

it('webhooks change a Scale', async () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: pod.spec };
  const spec = { replicas: 0, selector: { matchLabels: { a: 'b' } }, template };
  await server.post(SETS, { metadata: { name: 'set' }, spec });
  seen = [];
  const patch = Buffer.from(JSON.stringify([{ op: 'replace', path: '/spec/replicas', value: 2 }])).toString('base64');
  // The first one is the mutating webhook.
  answer = () => (seen.length === 1 ? { patchType: 'JSONPatch', patch } : {});
  const scale = { metadata: { name: 'set' }, spec: { replicas: 5 } };
  const { body } = await server.request('PUT', `${SETS}/set/scale`, scale);
  expect(body.spec).toEqual({ replicas: 2 });
  expect(seen).toEqual(['UPDATE replicasets/scale Scale before: set', 'UPDATE replicasets/scale Scale before: set']);
});

it('webhooks see what connects to a Pod', async () => {
  let options: unknown;
  answer = ({ object }) => {
    options = object;
    return { allowed: false, status: { message: 'no shell', code: 403 } };
  };
  const headers = { authorization: `Bearer ${server.token}`, connection: 'Upgrade', upgrade: 'SPDY/3.1' };
  const path = `${NAMESPACE}/pods/web/exec?command=sh&command=-c&stdin=true&container=main`;
  const code = await new Promise((resolve, reject) => {
    const sent = request(server.url + path, { method: 'POST', ca: server.ca, headers });
    sent.once('response', (response) => resolve(response.resume().statusCode));
    sent.once('error', reject).end();
  });
  expect([code, ...seen]).toEqual([403, 'CONNECT pods/exec PodExecOptions']);
  const wanted = { stdin: true, container: 'main', command: ['sh', '-c'] };
  expect(options).toEqual({ kind: 'PodExecOptions', apiVersion: 'v1', ...wanted });
  seen = [];
  expect((await server.get(`${NAMESPACE}/pods/web:80/proxy/a/b`)).code).toBe(403);
  expect([options, ...seen]).toEqual([
    { kind: 'PodProxyOptions', apiVersion: 'v1', path: '/a/b' },
    'CONNECT pods/proxy PodProxyOptions',
  ]);
});

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const constraints = {
  resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }],
};

it.each<[string, object, string | undefined]>([
  ['an unknown variable', { validations: [{ expression: 'foo.bar' }] }, "1:1: undeclared reference to 'foo'"],
  ['no type for params', { validations: [{ expression: 'params.x == 1' }] }, "1:1: undeclared reference to 'params'"],
  ['an unknown field', { validations: [{ expression: "request.nosuch == 'a'" }] }, "1:8: undefined field 'nosuch'"],
  ['another type', { validations: [{ expression: '1 + 1' }] }, 'must evaluate to bool but got int'],
  [
    'no such variable of its own',
    { variables: [{ name: 'a', expression: 'object.spec' }], validations: [{ expression: 'variables.b == 1' }] },
    "1:10: undefined field 'b'",
  ],
  [
    'an annotation that is no text',
    { auditAnnotations: [{ key: 'a', valueExpression: '1' }] },
    'must evaluate to one of [string null_type] but got int',
  ],
  [
    'nothing wrong',
    {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConditions: [{ name: 'a', expression: "request.userInfo.groups.exists(g, g == 'x')" }],
      variables: [{ name: 'n', expression: 'object.spec.replicas' }],
      validations: [
        {
          expression:
            "variables.n <= int(params.data.max) || has(oldObject.spec) && namespaceObject.metadata.name == 'a' || " +
            "authorizer.group('').resource('pods').check('get').allowed() || " +
            "authorizer.requestResource.check('a').allowed()",
          messageExpression: "'n is ' + string(variables.n)",
        },
      ],
    },
    undefined,
  ],
])('a policy whose expressions have %s', async (name, spec, mistake) => {
  const policy = { metadata: { name: 'p' }, spec: { matchConstraints: constraints, ...spec } };
  const { code, body } = await server.post(`${GROUP}/validatingadmissionpolicies?dryRun=All`, policy);
  expect([name, code]).toEqual([name, mistake === undefined ? 201 : 422]);
  expect(String(body.message)).toContain(mistake ?? 'undefined');
});

it('the conditions of a webhook are expressions', async () => {
  const webhook = {
    name: 'a.example.com',
    clientConfig: { url: 'https://127.0.0.1:1/' },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    matchConditions: [{ name: 'a', expression: '1 +' }],
  };
  const path = `${GROUP}/validatingwebhookconfigurations?dryRun=All`;
  const { code, body } = await server.post(path, { metadata: { name: 'w' }, webhooks: [webhook] });
  expect(code).toBe(422);
  expect(body.message).toContain(
    'webhooks[0].matchConditions[0].expression: Invalid value: "1 +": compilation failed: ERROR: <input>:1:4: Syntax',
  );
});

it('a webhook that wants it sees what later ones have changed, once more', async () => {
  const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
  const webhook = (path: string, reinvocationPolicy: string): object => ({
    name: `${path}.example.com`,
    clientConfig: { url: `http://127.0.0.1:${(hook.address() as AddressInfo).port}/${path}` },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    reinvocationPolicy,
  });
  const webhooks = [webhook('first', 'IfNeeded'), webhook('second', 'IfNeeded'), webhook('third', 'Never')];
  await server.post(configurations, { metadata: { name: 'again' }, webhooks });
  const calls: string[] = [];
  answer = ({ path, object }) => {
    if (path === '/') return {};
    calls.push(path);
    if (path !== '/second') return {};
    const op = { op: 'add', path: '/data', value: { seen: 'second', ...(object?.['data'] as object) } };
    return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify([op])).toString('base64') };
  };
  try {
    const { body } = await server.post(`${NAMESPACE}/configmaps`, { metadata: { name: 'twice' } });
    expect(body.data).toEqual({ seen: 'second' });
    expect(calls).toEqual(['/first', '/second', '/third', '/first']);
  } finally {
    await server.request('DELETE', `${configurations}/again`);
  }
});
