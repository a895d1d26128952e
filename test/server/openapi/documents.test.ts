import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shirtDefinition } from '../../apiserver/custom/definition-of.ts';
import { startServer, type TestServer } from '../start-server.ts';

let server: TestServer;

const BOOT = {
  type: 'object',
  required: ['a', 'b'],
  properties: {
    a: { type: 'string', anyOf: [{ minLength: 1 }, { maxLength: 5 }] },
    b: { type: 'integer', format: 'int32', nullable: true },
    spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { c: { type: 'string' } } },
  },
};

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

describe('OpenAPI v3', () => {
  it('has an index of documents with their hashes, and 304 for clients that have it', async () => {
    const { body, text, headers } = await server.get('/openapi/v3');
    const { paths } = (body ?? JSON.parse(text)) as { paths: Record<string, { serverRelativeURL: string }> };
    expect(Object.keys(paths)).toContain('apis/apps/v1');
    const url = paths['api/v1']?.serverRelativeURL ?? '';
    expect(url).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{64}$/);
    const document = await server.get(url);
    expect(document.headers['cache-control']).toBe('public, immutable');
    const again = await server.get('/openapi/v3', { 'if-none-match': headers.etag ?? '' });
    expect(again.code).toBe(304);
  });

  it('says what kubectl needs to validate, patch and explain', async () => {
    const { body } = await server.get('/openapi/v3/api/v1');
    const { patch } = body.paths['/api/v1/namespaces/{namespace}/pods/{name}'];
    expect(patch['x-kubernetes-group-version-kind']).toEqual({ group: '', version: 'v1', kind: 'Pod' });
    expect(patch.parameters.map(({ name }: { name: string }) => name)).toContain('fieldValidation');
    expect(Object.keys(patch.requestBody.content)).toContain('application/strategic-merge-patch+json');
    const { schemas } = body.components;
    expect(schemas['io.k8s.api.core.v1.Pod']['x-kubernetes-group-version-kind']).toEqual([
      { group: '', version: 'v1', kind: 'Pod' },
    ]);
    expect(schemas['io.k8s.api.core.v1.PodSpec'].properties.containers).toMatchObject({
      type: 'array',
      items: { allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.Container' }] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
    expect(schemas['io.k8s.api.core.v1.ContainerPort'].required).toEqual(['containerPort']);
  });

  it.each([
    ['apis/apps/v1', '/apis/apps/v1/', 'get', 'getAppsV1APIResources', 'meta.v1.APIResourceList'],
    ['apis/apps/v1', '/apis/apps/v1/deployments', 'get', 'listAppsV1DeploymentForAllNamespaces', 'v1.DeploymentList'],
    [
      'apis/apps/v1',
      '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale',
      'patch',
      'patchAppsV1NamespacedDeploymentScale',
      'autoscaling.v1.Scale',
    ],
    [
      'apis/apps/v1',
      '/apis/apps/v1/namespaces/{namespace}/deployments',
      'delete',
      'deleteAppsV1CollectionNamespacedDeployment',
      'meta.v1.Status',
    ],
    [
      'apis/apps/v1',
      '/apis/apps/v1/watch/namespaces/{namespace}/deployments',
      'get',
      'watchAppsV1NamespacedDeploymentList',
      'meta.v1.WatchEvent',
    ],
    [
      'apis/rbac.authorization.k8s.io/v1',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/{name}',
      'get',
      'readRbacAuthorizationV1ClusterRole',
      'rbac.v1.ClusterRole',
    ],
    ['api/v1', '/api/v1/namespaces/{namespace}/pods/{name}/eviction', 'post', undefined, 'policy.v1.Eviction'],
    ['version', '/version/', 'get', 'getCodeVersion', 'version.Info'],
    ['apis/apps', '/apis/apps/', 'get', 'getAppsAPIGroup', 'meta.v1.APIGroup'],
  ])('%s has %s for generators of clients: %s is %s', async (at, path, method, id, schema) => {
    const { body } = await server.get(`/openapi/v3/${at}`);
    const operation = body.paths[path][method];
    expect(operation.operationId).toBe(id ?? 'createCoreV1NamespacedPodEviction');
    const { $ref } = operation.responses[200].content['application/json'].schema;
    expect($ref).toMatch(new RegExp(`\\.${schema}$`));
    expect(body.components.schemas[$ref.replace('#/components/schemas/', '')]).toMatchObject({ type: 'object' });
  });

  it('describes definitions by the types of Kubernetes', async () => {
    const { schemas } = (await server.get('/openapi/v3/apis/apiextensions.k8s.io/v1')).body.components;
    const prefix = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';
    expect(schemas[`${prefix}.CustomResourceDefinition`]).toMatchObject({
      'x-kubernetes-group-version-kind': [{ kind: 'CustomResourceDefinition' }],
    });
    expect(schemas[`${prefix}.JSON`].type).toBeUndefined();
  });

  it('refers to no schema that is missing', async () => {
    const { body } = await server.get('/openapi/v3');
    for (const at of Object.keys(body?.paths ?? { 'apis/apps/v1': 1, 'apis/batch/v1': 1, 'api/v1': 1 })) {
      const { text, body: document } = await server.get(`/openapi/v3/${at}`);
      const names = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? '');
      expect(names.filter((name) => document.components.schemas[name] === undefined)).toEqual([]);
    }
  });

  it('has the kinds of CustomResourceDefinitions as soon as they are served', async () => {
    expect((await server.get('/openapi/v3/apis/stable.example.com/v1')).code).toBe(404);
    server.store.create(
      'customresourcedefinitions',
      shirtDefinition({ type: 'object', properties: { size: { type: 'integer' } } }),
    );
    await expect.poll(async () => (await server.get('/openapi/v3/apis/stable.example.com/v1')).code).toBe(200);
    const { body } = await server.get('/openapi/v3/apis/stable.example.com/v1');
    const { schemas } = body.components;
    const { spec, ...common } = schemas['com.example.stable.v1.Shirt'].properties;
    expect(spec.properties).toEqual({ size: { type: 'integer' } });
    const core = (await server.get('/openapi/v3/api/v1')).body;
    const { apiVersion, kind, metadata } = core.components.schemas['io.k8s.api.core.v1.ConfigMap'].properties;
    expect(apiVersion.description).toBeTruthy();
    expect(common).toEqual({ apiVersion, kind, metadata });
    expect(schemas['com.example.stable.v1.ShirtList'].properties).toMatchObject({ apiVersion, kind });
    const discovery = await server.get('/apis/stable.example.com/v1');
    expect(discovery.body.resources[0]).toMatchObject({ name: 'shirts', kind: 'Shirt', shortNames: ['sh'] });
    server.store.delete('customresourcedefinitions', 'default', 'shirts.stable.example.com');
    await expect.poll(async () => (await server.get('/apis/stable.example.com/v1')).code).toBe(404);
  });
});

describe('OpenAPI v2', () => {
  it('has the kinds of the whole server, also custom ones, in one document', async () => {
    await server.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'boots.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'boots', kind: 'Boot' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: BOOT } }],
      },
    });
    await expect
      .poll(async () => (await server.get('/openapi/v2')).body.definitions['com.example.v1.Boot']?.properties)
      .toMatchObject({ a: { type: 'string' }, b: { format: 'int32' }, spec: { type: 'object' } });
    const { definitions, paths, swagger } = (await server.get('/openapi/v2')).body;
    const boot = definitions['com.example.v1.Boot'];
    expect([boot.required, boot.properties.a.anyOf, boot.properties.spec.properties]).toEqual([
      ['a'],
      undefined,
      undefined,
    ]);
    expect(swagger).toBe('2.0');
    expect(definitions['io.k8s.api.core.v1.Pod'].properties.spec).toMatchObject({
      $ref: '#/definitions/io.k8s.api.core.v1.PodSpec',
    });
    expect(paths['/api/v1/namespaces/{namespace}/pods/{name}'].patch).toMatchObject({
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'Pod' },
    });
  });

  it('is protobuf for Go clients, 304 for clients that have it, and 406 in other forms', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const answer = await server.get('/openapi/v2', { accept });
    expect(answer.headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    expect(answer.text.slice(0, 5)).toBe('\n\u00032.0');
    expect((await server.get('/openapi/v2', { accept, 'if-none-match': answer.headers.etag ?? '' })).code).toBe(304);
    expect((await server.get('/openapi/v2', { accept: 'text/html' })).code).toBe(406);
  });
});
