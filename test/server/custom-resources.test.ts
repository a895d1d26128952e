import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.ts';

let server: TestServer;

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SHIRTS = '/apis/stable.example.com/v1/namespaces/default/shirts';

const spec = {
  type: 'object',
  required: ['color'],
  properties: {
    color: { type: 'string' },
    size: { type: 'integer', maximum: 10, default: 5 },
    replicas: { type: 'integer', default: 1 },
    tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  },
  'x-kubernetes-validations': [{ rule: "self.color != 'pink'", message: 'no pink' }],
};
const version = {
  name: 'v1',
  served: true,
  storage: true,
  subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
  additionalPrinterColumns: [{ name: 'Color', type: 'string', jsonPath: '.spec.color' }],
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec, status: { type: 'object', properties: { worn: { type: 'boolean' } } } },
    },
  },
};
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shirts.stable.example.com' },
  spec: {
    group: 'stable.example.com',
    scope: 'Namespaced',
    names: { plural: 'shirts', kind: 'Shirt' },
    versions: [version],
  },
};
const shirt = (name: string, fields: object): object => ({
  apiVersion: 'stable.example.com/v1',
  kind: 'Shirt',
  metadata: { name },
  spec: { color: 'red', ...fields },
});

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

describe('a CustomResourceDefinition over HTTP', () => {
  it('is served, and has its conditions', async () => {
    expect((await server.post(DEFINITIONS, definition)).code).toBe(201);
    await expect.poll(async () => (await server.get(SHIRTS)).code).toBe(200);
    const { body } = await server.get(`${DEFINITIONS}/shirts.stable.example.com`);
    expect(body.status.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'True' },
      { type: 'Established', status: 'True' },
    ]);
  });

  it('has its subresources in the order of their declaration', async () => {
    const { body } = await server.get('/apis/stable.example.com/v1');
    const names = body.resources.map(({ name }: { readonly name: string }) => name);
    expect(names).toEqual(['shirts', 'shirts/status', 'shirts/scale']);
  });

  it('has no watches in its OpenAPI document', async () => {
    const { body } = await server.get('/openapi/v3/apis/stable.example.com/v1');
    expect(Object.keys(body.components.schemas).filter((name) => /WatchEvent|RawExtension/.test(name))).toEqual([]);
  });

  it('has the status of new objects, unless that is a subresource', async () => {
    const { subresources: _, ...plain } = version;
    const names = { plural: 'hats', kind: 'Hat' };
    await server.post(DEFINITIONS, {
      ...definition,
      metadata: { name: 'hats.stable.example.com' },
      spec: { ...definition.spec, names, versions: [plain] },
    });
    const hats = '/apis/stable.example.com/v1/namespaces/default/hats';
    await expect.poll(async () => (await server.get(hats)).code).toBe(200);
    const status = { worn: true };
    const statusOf = async (path: string, kind: string): Promise<unknown> =>
      (await server.post(path, { ...shirt('new', {}), kind, status })).body.status;
    expect([await statusOf(hats, 'Hat'), await statusOf(SHIRTS, 'Shirt')]).toEqual([status, undefined]);
    const merge = { 'content-type': 'application/merge-patch+json' };
    const patched = async (path: string, body: object): Promise<unknown> => {
      await server.request('PATCH', `${path}/new`, body, merge);
      return (await server.get(`${path}/new`)).body.status;
    };
    expect(await patched(hats, { status: { worn: false } })).toEqual({ worn: false });
    expect(await patched(hats, { status: null })).toBeUndefined();
    expect(await patched(SHIRTS, { status })).toBeUndefined();
    await server.request('DELETE', `${SHIRTS}/new`);
  });

  it('serves the same objects in all its versions, and tells what podrun does not do', async () => {
    const spec = { ...definition.spec, names: { plural: 'socks', kind: 'Sock' } };
    const versions = [version, { ...version, name: 'v2', storage: false }];
    const rules = [{ rule: "image('a').tag() == 'b'" }];
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-validations': rules } };
    const webhook = { clientConfig: { url: 'https://example.com/convert' }, conversionReviewVersions: ['v1'] };
    const answer = await server.post(DEFINITIONS, {
      ...definition,
      metadata: { name: 'socks.stable.example.com' },
      spec: {
        ...spec,
        versions: [versions[0], { ...versions[1], schema }],
        conversion: { strategy: 'Webhook', webhook },
      },
    });
    expect(String(answer.headers['warning'])).toContain('podrun calls webhooks of this machine only');
    expect(String(answer.headers['warning'])).toContain('podrun does not evaluate a rule of version v2');
    const at = (name: string): string => `/apis/stable.example.com/${name}/namespaces/default/socks`;
    await expect.poll(async () => (await server.get(at('v2'))).code).toBe(200);
    const sock = { apiVersion: 'stable.example.com/v1', kind: 'Sock', metadata: { name: 'a' }, spec: { color: 'red' } };
    expect((await server.post(at('v1'), sock)).code).toBe(201);
    expect((await server.get(`${at('v2')}/a`)).body).toMatchObject({
      apiVersion: 'stable.example.com/v2',
      spec: { color: 'red' },
    });
    expect((await server.get(at('v2'))).body.items[0].apiVersion).toBe('stable.example.com/v2');
  });

  it('has an APIService for each served version, which goes with it', async () => {
    const services = '/apis/apiregistration.k8s.io/v1/apiservices';
    const codeOf = async (name: string): Promise<number> => (await server.get(`${services}/${name}`)).code;
    const names = { plural: 'coats', kind: 'Coat' };
    const versions = [version, { ...version, name: 'v2', storage: false }, { ...version, name: 'v3', storage: false }];
    const coats = { ...definition, metadata: { name: 'coats.wardrobe.example.com' } };
    const spec = { ...definition.spec, group: 'wardrobe.example.com', names };
    // The APIService of a client stays unchanged.
    const own = { group: 'wardrobe.example.com', version: 'v3', groupPriorityMinimum: 7, versionPriority: 7 };
    await server.post(services, { metadata: { name: 'v3.wardrobe.example.com' }, spec: own });
    await server.post(DEFINITIONS, { ...coats, spec: { ...spec, versions } });
    await expect.poll(() => codeOf('v2.wardrobe.example.com')).toBe(200);
    const { body } = await server.get(`${services}/v1.wardrobe.example.com`);
    expect(body).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
      spec: { group: 'wardrobe.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
    const merge = { 'content-type': 'application/merge-patch+json' };
    await server.request('PATCH', `${services}/v1.wardrobe.example.com`, { spec: { versionPriority: 3 } }, merge);
    const priority = async (): Promise<unknown> =>
      (await server.get(`${services}/v1.wardrobe.example.com`)).body.spec.versionPriority;
    await expect.poll(priority).toBe(100);
    const first = versions.slice(0, 1);
    await server.request('PATCH', `${DEFINITIONS}/${coats.metadata.name}`, { spec: { versions: first } }, merge);
    await expect.poll(() => codeOf('v2.wardrobe.example.com')).toBe(404);
    await server.request('DELETE', `${DEFINITIONS}/${coats.metadata.name}`);
    await expect.poll(() => codeOf('v1.wardrobe.example.com')).toBe(404);
    expect((await server.get(`${services}/v3.wardrobe.example.com`)).body.spec).toMatchObject(own);
  });

  it('that is wrong is refused', async () => {
    const answer = await server.post(DEFINITIONS, { ...definition, metadata: { name: 'x' } });
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain('must be spec.names.plural+"."+spec.group');
  });
});

describe('a custom object over HTTP', () => {
  it('is defaulted, pruned, shown in a Table, patched and deleted', async () => {
    const created = await server.post(SHIRTS, { ...shirt('a', { x: 1 }), status: { worn: true } });
    expect(created.headers['warning']).toContain('unknown field');
    expect(created.body).toMatchObject({ spec: { color: 'red', size: 5, replicas: 1 } });
    expect(created.body.status).toBeUndefined();
    const table = await server.get(SHIRTS, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(table.body.rows[0].cells).toEqual(['a', 'red']);
    const merge = { 'content-type': 'application/merge-patch+json' };
    expect((await server.request('PATCH', `${SHIRTS}/a`, { metadata: { name: 'b' } }, merge)).body).toMatchObject({
      code: 400,
      message: 'the name of the object (b) does not match the name on the URL (a)',
    });
    const patched = await server.request('PATCH', `${SHIRTS}/a`, '{"spec":{"size":7}}', merge);
    expect(patched.body).toMatchObject({ metadata: { generation: 2 }, spec: { size: 7 } });
    const status = await server.request('PATCH', `${SHIRTS}/a/status`, '{"status":{"worn":true}}', merge);
    expect(status.body).toMatchObject({ metadata: { generation: 2 }, status: { worn: true } });
    await server.request('PATCH', `${SHIRTS}/a/scale`, '{"spec":{"replicas":3}}', merge);
    expect((await server.get(`${SHIRTS}/a`)).body.spec.replicas).toBe(3);
    expect((await server.request('DELETE', `${SHIRTS}/a`)).code).toBe(200);
    expect((await server.get(`${SHIRTS}/a`)).code).toBe(404);
  });

  it.each([
    [{ size: 99 }, 'spec.size: Invalid value: 99: spec.size in body should be less than or equal to 10'],
    [{ color: 'pink' }, 'spec: Invalid value: no pink'],
    [{ tags: ['a', 'a'] }, 'spec.tags[1]: Duplicate value: "a"'],
  ])('with %j is refused', async (fields, text) => {
    const { code, body } = await server.post(SHIRTS, shirt('b', fields));
    expect(code).toBe(422);
    expect(body.message).toBe(`Shirt.stable.example.com "b" is invalid: ${text}`);
  });

  it('is applied on the server by the schema of its kind', async () => {
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const applied = (manager: string, tags: string[]): Promise<{ body: { spec: { tags: string[] } } }> =>
      server.request('PATCH', `${SHIRTS}/c?fieldManager=${manager}`, JSON.stringify(shirt('c', { tags })), headers);
    await applied('me', ['x']);
    expect((await applied('you', ['y'])).body.spec.tags).toEqual(['x', 'y']);
    expect((await applied('me', [])).body.spec.tags).toEqual(['y']);
  });
});

describe('a custom object that is not what its path says', () => {
  it('is checked by its rules when it is of another kind, without defaults', async () => {
    const { body } = await server.post(SHIRTS, { ...shirt('b', {}), kind: 'Foo', spec: {} });
    expect(body.message).toBe(
      'Foo.stable.example.com "b" is invalid: [kind: Invalid value: "Foo": must be Shirt, ' +
        'spec: Invalid value: "object": no such key: color evaluating rule: no pink]',
    );
  });

  it('has only unknown fields when it is of another version', async () => {
    const { body, headers } = await server.post(SHIRTS, { ...shirt('b', {}), apiVersion: 'stable.example.com/v9' });
    expect(body.message).toMatch(/^the API version in the data \(stable.example.com\/v9\) does not match/);
    expect(headers['warning']).toBe(String.raw`299 - "unknown field \"spec\""`);
  });

  it('cannot be patched strategically, which is said without details', async () => {
    const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
    const { body } = await server.request('PATCH', `${SHIRTS}/b`, '{}', strategic);
    expect([body.code, body.details]).toEqual([415, undefined]);
  });
});

describe('policies and webhooks over HTTP', () => {
  it('refuse a write', async () => {
    const at = '/apis/admissionregistration.k8s.io/v1';
    const rule = {
      operations: ['CREATE'],
      apiGroups: ['stable.example.com'],
      apiVersions: ['*'],
      resources: ['shirts'],
    };
    const policy = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'small' },
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'object.spec.size < 9' }] },
    };
    expect((await server.post(`${at}/validatingadmissionpolicies`, policy)).code).toBe(201);
    const binding = {
      ...policy,
      kind: 'ValidatingAdmissionPolicyBinding',
      spec: { policyName: 'small', validationActions: ['Deny'] },
    };
    expect((await server.post(`${at}/validatingadmissionpolicybindings`, binding)).code).toBe(201);
    const refused = await server.post(SHIRTS, shirt('d', { size: 9 }));
    expect(refused.code).toBe(422);
    expect(refused.body.message).toBe(
      "shirts.stable.example.com \"d\" is forbidden: ValidatingAdmissionPolicy 'small' with binding 'small' " +
        'denied request: failed expression: object.spec.size < 9',
    );
    expect(refused.body.details.causes[0].message).toContain('denied request: failed expression');
    expect((await server.post(SHIRTS, shirt('d', { size: 8 }))).code).toBe(201);
  });

  it("are changed by a MutatingAdmissionPolicy, as Kubernetes' own kinds are", async () => {
    const at = '/apis/admissionregistration.k8s.io/v1';
    const rules = ['stable.example.com', ''].map((group) => ({
      operations: ['CREATE'],
      apiGroups: [group],
      apiVersions: ['v1'],
      resources: ['shirts', 'configmaps'],
    }));
    const labelled = 'Object{metadata: Object.metadata{labels: {"by": "policy"}}}';
    const policy = (expression: string): object => ({
      metadata: { name: 'marked' },
      spec: {
        matchConstraints: { resourceRules: rules, objectSelector: { matchLabels: { mark: 'me' } } },
        reinvocationPolicy: 'Never',
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
      },
    });
    const wrong = await server.post(`${at}/mutatingadmissionpolicies`, policy('1'));
    expect([wrong.code, wrong.body.details.causes[0].message]).toEqual([
      422,
      'Invalid value: "1": must evaluate to Object but got int',
    ]);
    expect((await server.post(`${at}/mutatingadmissionpolicies`, policy(labelled))).code).toBe(201);
    const binding = { metadata: { name: 'marked' }, spec: { policyName: 'marked' } };
    expect((await server.post(`${at}/mutatingadmissionpolicybindings`, binding)).code).toBe(201);
    const metadata = { name: 'marked', labels: { mark: 'me' } };
    const made = [
      await server.post(SHIRTS, { ...shirt('marked', { size: 1 }), metadata }),
      await server.post('/api/v1/namespaces/default/configmaps', { metadata }),
    ];
    expect(made.map(({ body }) => body.metadata.labels)).toEqual(made.map(() => ({ mark: 'me', by: 'policy' })));
    const other = await server.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'other' } });
    expect(other.body.metadata.labels).toBeUndefined();
  });
});
