import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shirtDefinition } from '../../apiserver/custom/definition-of.ts';
import { startServer, type TestServer } from '../start-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

describe('OpenAPI v3', () => {
  it('has an index of documents with their hashes, and 304 for those who have it', async () => {
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
    expect(body.components.schemas['com.example.stable.v1.Shirt'].properties.spec.properties).toEqual({
      size: { type: 'integer' },
    });
    const discovery = await server.get('/apis/stable.example.com/v1');
    expect(discovery.body.resources[0]).toMatchObject({ name: 'shirts', kind: 'Shirt', shortNames: ['sh'] });
    server.store.delete('customresourcedefinitions', 'default', 'shirts.stable.example.com');
    await expect.poll(async () => (await server.get('/apis/stable.example.com/v1')).code).toBe(404);
  });
});
