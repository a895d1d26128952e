import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { encodeProtobuf } from '../../src/apiserver/protobuf/index.ts';
import { startServer, type TestServer } from './start-server.ts';

let server: TestServer;

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const schema = { type: 'object', properties: { a: { type: 'string' } } };
/** A definition as a Go program writes it: what is not set is null. */
const definition = (plural: string, kind: string): KubeObject & { spec: object; status: object } => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    names: { plural, kind, shortNames: null },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
  status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null },
});

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

describe('a definition from a program in Go', () => {
  it('has nulls, which are absent', async () => {
    expect((await server.post(DEFINITIONS, definition('foos', 'Foo'))).code).toBe(201);
    const status = {
      conditions: [{ type: 'Mine', status: 'True', lastTransitionTime: null, reason: 'r', message: 'm' }],
    };
    const merge = { 'content-type': 'application/merge-patch+json' };
    const at = `${DEFINITIONS}/foos.example.com`;
    expect((await server.request('PATCH', `${at}/status`, JSON.stringify({ status }), merge)).code).toBe(200);
  });

  it('takes a strategic merge patch', async () => {
    const patch = JSON.stringify({ metadata: { labels: { a: 'b' } } });
    const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
    const answer = await server.request('PATCH', `${DEFINITIONS}/foos.example.com`, patch, strategic);
    expect([answer.code, answer.body.metadata.labels]).toEqual([200, { a: 'b' }]);
  });

  it('may be protobuf', async () => {
    const body = encodeProtobuf(definition('bars', 'Bar'));
    expect((await server.request('POST', DEFINITIONS, body, { 'content-type': PROTOBUF })).code).toBe(201);
    await expect.poll(async () => (await server.get('/apis/example.com/v1/namespaces/default/bars')).code).toBe(200);
  });

  it('may get a default later, which objects of before are read with', async () => {
    const foos = '/apis/example.com/v1/namespaces/default/foos';
    await expect.poll(async () => (await server.get(foos)).code).toBe(200);
    const foo = { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name: 'x' } };
    expect((await server.post(foos, foo)).code).toBe(201);
    const place = '/spec/versions/0/schema/openAPIV3Schema/properties/a/default';
    const patch = JSON.stringify([{ op: 'add', path: place, value: 'A' }]);
    const json = { 'content-type': 'application/json-patch+json' };
    await server.request('PATCH', `${DEFINITIONS}/foos.example.com`, patch, json);
    await expect.poll(async () => (await server.get(`${foos}/x`)).body.a).toBe('A');
    expect((await server.get(foos)).body.items[0].a).toBe('A');
    const large = { ...foo, metadata: { name: 'y', annotations: { a: 'a'.repeat(257 * 1024) } } };
    expect((await server.post(foos, large)).body.message).toContain('metadata.annotations: Too long');
  });
});

describe('responses to a client that takes protobuf', () => {
  const maps = '/api/v1/namespaces/default/configmaps';
  const typeOf = async (path: string, accept: string): Promise<unknown> =>
    (await server.get(path, { accept })).headers['content-type'];

  it.each([
    ['an object', `${maps}/kube-root-ca.crt`, PROTOBUF, PROTOBUF],
    ['a list', maps, `${PROTOBUF},application/json`, PROTOBUF],
    ['a list of definitions', DEFINITIONS, PROTOBUF, PROTOBUF],
    ['an error', `${maps}/missing`, PROTOBUF, PROTOBUF],
    ['a watch', `${maps}?watch=1&timeoutSeconds=1&resourceVersion=1`, PROTOBUF, `${PROTOBUF};stream=watch`],
    ['metadata', maps, `${PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`, PROTOBUF],
    [
      'a Table',
      maps,
      `${PROTOBUF};as=Table;g=meta.k8s.io;v=v1,application/json;as=Table;g=meta.k8s.io;v=v1`,
      'application/json',
    ],
    ['a custom object', '/apis/example.com/v1/foos', `${PROTOBUF},application/json`, 'application/json'],
  ])('are protobuf where the kind has messages: %s', async (_, path, accept, type) => {
    expect(await typeOf(path, accept)).toBe(type);
  });

  it('are refused for a kind without messages', async () => {
    expect((await server.get('/apis/example.com/v1/foos', { accept: PROTOBUF })).code).toBe(406);
  });
});
