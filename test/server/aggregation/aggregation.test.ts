import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { aggregatedRequest } from '../../../src/server/aggregation/aggregated-request.ts';
import { makeCertificates } from '../../../src/server/http/certificates.ts';
import { startServer, type TestServer } from '../start-server.ts';
import { serveWardrobe } from './wardrobe.mjs';

const NAMESPACE = '/api/v1/namespaces/default';
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const ROOT = '/apis/wardrobe.example.com/v1';
const COATS = `${ROOT}/namespaces/default/coats`;
const AGGREGATED = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };

let server: TestServer;
let wardrobe: ReturnType<typeof serveWardrobe>;
let caBundle: string;

beforeAll(async () => {
  server = await startServer();
  const names = ['wardrobe.default.svc'];
  const { ca, server: pair } = await makeCertificates({ names, addresses: [] }, Date.now());
  caBundle = Buffer.from(ca.certificate).toString('base64');
  const config = await server.get('/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication');
  const clientCa = String(config.body.data['requestheader-client-ca-file']);
  wardrobe = serveWardrobe({ cert: pair.certificate, key: pair.key, clientCa });
  await new Promise<void>((resolve) => wardrobe.server.listen(0, '127.0.0.1', resolve));
  await server.post(`${NAMESPACE}/services`, { metadata: { name: 'wardrobe' }, spec: { ports: [{ port: 443 }] } });
  lead();
});

afterAll(async () => {
  await server.close();
  wardrobe.close();
});

/** Leads the Service to the other API server. The API takes no Endpoints on loopback. */
function lead(): void {
  const { port } = wardrobe.server.address() as AddressInfo;
  const labels = { 'kubernetes.io/service-name': 'wardrobe' };
  const metadata = { name: 'wardrobe-1', namespace: 'default', labels };
  const slice = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, addressType: 'IPv4' };
  const endpoints = [{ addresses: ['127.0.0.1'], conditions: { ready: true } }];
  server.store.create('endpointslices', { ...slice, endpoints, ports: [{ name: '', port }] } as never);
}

async function register(fields: object = { caBundle }): Promise<void> {
  const service = { namespace: 'default', name: 'wardrobe' };
  const spec = { group: 'wardrobe.example.com', version: 'v1', service, ...fields };
  const priorities = { groupPriorityMinimum: 1500, versionPriority: 15 };
  const metadata = { name: 'v1.wardrobe.example.com' };
  expect((await server.post(API_SERVICES, { metadata, spec: { ...priorities, ...spec } })).code).toBe(201);
}

async function condition(): Promise<string> {
  const { body } = await server.get(`${API_SERVICES}/v1.wardrobe.example.com`);
  const [found] = (body.status?.conditions ?? []) as readonly Record<string, string>[];
  return `${found?.['status']} ${found?.['reason']}: ${found?.['message']}`;
}

async function passed(): Promise<void> {
  await expect.poll(condition).toBe('True Passed: all checks passed');
}

beforeEach(async () => {
  wardrobe.state.discoveryCode = 200;
  await server.request('DELETE', `${API_SERVICES}/v1.wardrobe.example.com`);
});

describe('an APIService behind a Service', () => {
  it('passes requests on, with the user in headers and the certificate of the front proxy', async () => {
    await register();
    await passed();
    const made = await server.post(COATS, { metadata: { name: 'a' }, spec: { size: 3 } });
    expect([made.code, made.body.kind]).toEqual([201, 'Coat']);
    expect((await server.get(COATS)).body.items).toMatchObject([{ metadata: { name: 'a' } }]);
    expect(await server.get(`${COATS}/b`)).toMatchObject({ code: 404, body: { message: 'no such coat' } });
    const forged = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters', 'x-remote-extra-a': 'b' };
    const { body } = await server.get(`${ROOT}/whoami`, forged);
    const groups = ['system:masters', 'system:authenticated'];
    const remote = { 'x-remote-user': ['kubernetes-admin'], 'x-remote-group': groups };
    expect(body).toEqual({ proxy: 'front-proxy-client', remote });
  });

  it('checks the permissions of its user first, who may be another one', async () => {
    await register();
    await passed();
    const asJo = { 'impersonate-user': 'jo', 'impersonate-uid': 'u1', 'impersonate-extra-team': 'blue' };
    expect((await server.get(`${COATS}/a`, asJo)).body.message).toBe(
      'coats.wardrobe.example.com "a" is forbidden: User "jo" cannot get resource "coats" in API group ' +
        '"wardrobe.example.com" in the namespace "default"',
    );
    const rules = [{ verbs: ['list'], apiGroups: ['wardrobe.example.com'], resources: ['whoami'] }];
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    await server.post(`${rbac}/clusterroles`, { metadata: { name: 'ask' }, rules });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'ask' };
    const subjects = [{ kind: 'User', name: 'jo' }];
    await server.post(`${rbac}/clusterrolebindings`, { metadata: { name: 'ask' }, roleRef, subjects });
    expect((await server.get(`${ROOT}/whoami`, asJo)).body.remote).toEqual({
      'x-remote-user': ['jo'],
      'x-remote-uid': ['u1'],
      'x-remote-group': ['system:authenticated'],
      'x-remote-extra-team': ['blue'],
    });
  });

  it('streams watches and connections', async () => {
    await register();
    await passed();
    const { token, ca, url } = server;
    const options = { headers: { authorization: `Bearer ${token}` }, ca, servername: 'localhost' };
    const line = new Promise<string>((resolve, reject) => {
      const watch = request(`${url}${COATS}?watch=1`, options, (response) => {
        void server.post(COATS, { metadata: { name: 'seen' } });
        response.setEncoding('utf8').once('data', (text: string) => {
          resolve(text);
          watch.destroy();
        });
      });
      watch.on('error', reject).end();
    });
    expect(JSON.parse(await line)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'seen' } } });
    const echoed = new Promise<string>((resolve, reject) => {
      const headers = { ...options.headers, connection: 'Upgrade', upgrade: 'echo' };
      const upgrade = request(`${url}${COATS}/seen/echo`, { ...options, headers });
      upgrade.on('upgrade', (_, socket, first) => {
        let text = first.toString();
        socket.on('data', (piece: Buffer) => {
          text += String(piece);
          if (text.endsWith('hello')) resolve(text);
        });
        socket.on('close', () => resolve(text)).write('hello');
      });
      upgrade.on('error', reject).end();
    });
    expect(await echoed).toBe('for kubernetes-admin\nhello');
    const refusals = async (): Promise<number> => {
      const { text } = await server.get('/metrics');
      return Number(/total\{[^\n]*"\/apis\/wardrobe.example.com\/v1"[^\n]*code="404"\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    const before = await refusals();
    const refused = new Promise<number | undefined>((resolve, reject) => {
      const headers = { ...options.headers, connection: 'Upgrade', upgrade: 'echo' };
      const upgrade = request(`${url}${COATS}/seen/nothing`, { ...options, headers });
      upgrade.on('response', (response) => resolve(response.resume().statusCode));
      upgrade.on('error', reject).end();
    });
    expect(await refused).toBe(404);
    await expect.poll(refusals).toBe(before + 1);
  });

  it('is in discovery by its priority, and in both forms of OpenAPI, until it is deleted', async () => {
    await register();
    await passed();
    const { body } = await server.get('/apis', AGGREGATED);
    const items = body.items as readonly { readonly metadata: { readonly name: string } }[];
    expect(items.at(-2)).toMatchObject({
      metadata: { name: 'wardrobe.example.com' },
      versions: [{ version: 'v1', freshness: 'Current', resources: [{ resource: 'coats', shortNames: ['ct'] }] }],
    });
    expect((await server.get('/apis/wardrobe.example.com')).body.preferredVersion).toMatchObject({ version: 'v1' });
    expect((await server.get(ROOT)).body.resources).toMatchObject([{ name: 'coats' }, { name: 'coats/status' }]);
    const { serverRelativeURL } = JSON.parse((await server.get('/openapi/v3')).text).paths[ROOT.slice(1)];
    expect((await server.get(serverRelativeURL)).body.info).toMatchObject({ title: 'wardrobe' });
    const { paths, definitions } = (await server.get('/openapi/v2')).body;
    expect(paths[`${ROOT}/coats`].get).toMatchObject({ operationId: 'listCoats' });
    expect(definitions['com.example.wardrobe.v1.Coat']).toMatchObject({ type: 'object' });
    expect(definitions['io.k8s.api.core.v1.Pod'].properties).toHaveProperty('spec');
    expect(wardrobe.requests.find(({ url }) => url === '/openapi/v3')?.remote['x-remote-user']).toEqual([
      'system:kube-aggregator',
    ]);
    await server.request('DELETE', `${API_SERVICES}/v1.wardrobe.example.com`);
    expect((await server.get(ROOT)).code).toBe(404);
    expect((await server.get('/openapi/v2')).body.paths).not.toHaveProperty(`${ROOT}/coats`);
    expect((await server.get('/apis/wardrobe.example.com')).code).toBe(404);
  });

  it('has its types in the checks of a ValidatingAdmissionPolicy, for objects and parameters', async () => {
    await register();
    await passed();
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
    const resourceRules = [
      { operations: ['CREATE'], apiGroups: ['wardrobe.example.com'], apiVersions: ['v1'], resources: ['coats'] },
    ];
    const expressions = ["object.spec.size == 'L'", 'object.spec.size > params.spec.nosuch'];
    const spec = {
      matchConstraints: { resourceRules },
      paramKind: { apiVersion: 'wardrobe.example.com/v1', kind: 'Coat' },
      validations: expressions.map((expression) => ({ expression })),
    };
    await server.post(policies, { metadata: { name: 'coats' }, spec });
    const mistakes = async (): Promise<unknown> => {
      const { typeChecking } = (await server.get(`${policies}/coats`)).body.status ?? {};
      const warnings = (typeChecking?.expressionWarnings ?? []) as readonly { readonly warning: string }[];
      return warnings.map(({ warning }) => warning.split('\n', 1)[0]);
    };
    const start = 'wardrobe.example.com/v1, Kind=Coat: ERROR: <input>';
    await expect
      .poll(mistakes)
      .toEqual([
        `${start}:1:18: found no matching overload for '_==_' applied to '(int, string)'`,
        `${start}:1:31: undefined field 'nosuch'`,
      ]);
  });

  it('responds without a warning of Node.js', async () => {
    const warned = vi.spyOn(process, 'emitWarning');
    await register();
    await passed();
    expect((await server.get(COATS)).code).toBe(200);
    expect(warned.mock.calls).toEqual([]);
    warned.mockRestore();
  });

  it('gets requests for its own document as this server, and for no path behind that', async () => {
    await register();
    await passed();
    const before = wardrobe.requests.length;
    const asJo = { 'impersonate-user': 'jo' };
    for (const behind of ['/more', `/..%2f..%2f..%2f..${COATS}`, `//${COATS}`])
      expect((await server.get(`/openapi/v3${ROOT}${behind}`, asJo)).code).toBe(404);
    expect(wardrobe.requests.slice(before).filter(({ url }) => url?.startsWith(`/openapi/v3${ROOT}/`))).toEqual([]);
    expect((await server.get(`/openapi/v3${ROOT}`, asJo)).body.info).toMatchObject({ title: 'wardrobe' });
  });

  it('that takes over a group of podrun has it, and gives it back', async () => {
    const metrics = '/apis/metrics.k8s.io/v1beta1';
    const service = { namespace: 'default', name: 'nobody' };
    const spec = { group: 'metrics.k8s.io', version: 'v1beta1', service, groupPriorityMinimum: 1, versionPriority: 1 };
    await server.post(API_SERVICES, { metadata: { name: 'v1beta1.metrics.k8s.io' }, spec });
    expect(await server.get(metrics)).toMatchObject({ code: 503, text: 'service unavailable\n' });
    await server.request('DELETE', `${API_SERVICES}/v1beta1.metrics.k8s.io`);
    expect((await server.get(metrics)).body).toMatchObject({ kind: 'APIResourceList' });
  });
});

describe('an APIService that cannot be asked', () => {
  const unavailable = { code: 503, text: 'service unavailable\n' };

  it.each<[string, object, string]>([
    [
      'has no Service',
      { service: { namespace: 'default', name: 'nobody' } },
      'False ServiceNotFound: service/nobody in "default" is not present',
    ],
    [
      'has another port',
      { service: { namespace: 'default', name: 'wardrobe', port: 8443 } },
      'False ServicePortError: service/wardrobe in "default" is not listening on port 8443',
    ],
    [
      'is a group of this server',
      { service: undefined, caBundle: undefined },
      'True Local: Local APIServices are always available',
    ],
  ])('%s: its condition says so', async (_, fields, text) => {
    await register({ caBundle, ...fields });
    await expect.poll(condition).toBe(text);
    const { code } = await server.get(COATS);
    expect(code).toBe(text.startsWith('True') ? 404 : 503);
  });

  it('is asked again when its Service changes, and stale meanwhile', async () => {
    await register();
    await passed();
    server.store.delete('endpointslices', 'default', 'wardrobe-1');
    const missing = 'False EndpointsNotFound: cannot find endpointslices for service/wardrobe in "default"';
    await expect.poll(condition).toBe(missing);
    expect(await server.get(COATS)).toMatchObject({ ...unavailable, headers: { 'x-content-type-options': 'nosniff' } });
    expect((await server.get('/apis', AGGREGATED)).body.items.at(-2)).toMatchObject({
      versions: [{ version: 'v1', freshness: 'Stale', resources: [] }],
    });
    lead();
    await passed();
  });

  it('is asked again after an error', async () => {
    wardrobe.state.discoveryCode = 500;
    await register();
    const { body } = await server.get(`${NAMESPACE}/services/wardrobe`);
    const address = `https://${body.spec.clusterIP}:443${ROOT}`;
    const why = `failing or missing response from ${address}: bad status from ${address}: 500`;
    await expect.poll(condition).toBe(`False FailedDiscoveryCheck: ${why}`);
    wardrobe.state.discoveryCode = 200;
    await passed();
  });

  it('has a certificate that caBundle or insecureSkipTLSVerify says to believe', async () => {
    await register({});
    await passed();
    const refused = await server.get(COATS);
    expect([refused.code, refused.text]).toEqual([
      503,
      expect.stringMatching(/^error trying to reach service: .*cert/),
    ]);
    await server.request('DELETE', `${API_SERVICES}/v1.wardrobe.example.com`);
    await register({ insecureSkipTLSVerify: true });
    await passed();
    expect((await server.get(COATS)).code).toBe(200);
  });
});

describe('a namespace', () => {
  const end = (name: string): ReturnType<TestServer['request']> =>
    server.request('DELETE', `/api/v1/namespaces/${name}`);
  const isThere = async (name: string): Promise<number> => (await server.get(`/api/v1/namespaces/${name}`)).code;

  it('takes what other API servers have in it with it', async () => {
    await register();
    await passed();
    await server.post('/api/v1/namespaces', { metadata: { name: 'closet' } });
    await server.post(`${ROOT}/namespaces/closet/coats`, { metadata: { name: 'old' } });
    await end('closet');
    await expect.poll(() => isThere('closet')).toBe(404);
    expect((await server.get(`${ROOT}/namespaces/closet/coats`)).body.items).toEqual([]);
  });

  it('says which group it waits for, and goes with its APIService', async () => {
    await register({ caBundle, service: { namespace: 'default', name: 'nobody' } });
    await server.post('/api/v1/namespaces', { metadata: { name: 'waits' } });
    await server.post('/api/v1/namespaces/waits/configmaps', { metadata: { name: 'a' } });
    await end('waits');
    const failure = async (): Promise<unknown> => {
      const { body } = await server.get('/api/v1/namespaces/waits');
      const all = (body.status.conditions ?? []) as readonly { readonly type: string; readonly message: string }[];
      return all.find(({ type }) => type === 'NamespaceDeletionDiscoveryFailure')?.message;
    };
    const stale = 'wardrobe.example.com/v1: stale GroupVersion discovery: wardrobe.example.com/v1';
    const servers = 'unable to retrieve the complete list of server APIs';
    await expect.poll(failure).toBe(`Discovery failed for some groups, 1 failing: ${servers}: ${stale}`);
    expect((await server.get('/api/v1/namespaces/waits/configmaps')).body.items).toEqual([]);
    await server.request('DELETE', `${API_SERVICES}/v1.wardrobe.example.com`);
    await expect.poll(() => isThere('waits')).toBe(404);
  });
});

it.each<[string, string, object | undefined]>([
  ['GET', '/apis/g/v1', undefined],
  ['GET', '/apis/g/v1/', undefined],
  ['GET', '/apis/g/v1/coats?watch=true', { verb: 'watch', plural: 'coats' }],
  ['HEAD', '/apis/g/v1/coats/a', { verb: 'get', plural: 'coats', name: 'a' }],
  ['DELETE', '/apis/g/v1/coats', { verb: 'deletecollection', plural: 'coats' }],
  [
    'PUT',
    '/apis/g/v1/namespaces/n/coats/a%20b/status',
    { verb: 'update', plural: 'coats', namespace: 'n', name: 'a b', subresource: 'status' },
  ],
  ['GET', '/apis/g/v1/namespaces/n', { verb: 'get', plural: 'namespaces', namespace: 'n', name: 'n' }],
  [
    'PUT',
    '/apis/g/v1/namespaces/n/status',
    { verb: 'update', plural: 'namespaces', namespace: 'n', name: 'n', subresource: 'status' },
  ],
])('%s %s is about an object as permissions see it', (method, url, seen) => {
  const user = { name: 'jo', groups: [] };
  const found = aggregatedRequest({ method, url }, user, { group: 'g', version: 'v1' });
  const { resource, verb, namespace, name, subresource } = found ?? {};
  const about = { verb, plural: resource?.plural, namespace, name, subresource };
  expect(found && JSON.parse(JSON.stringify(about))).toEqual(seen);
});
