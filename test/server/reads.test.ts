import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { startServer, type TestServer } from './start-server.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

const configMap = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels },
  data: { key: name },
});

let server: TestServer;

beforeAll(async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  server = await startServer({ objects: names.map((name) => configMap(name, { half: name < 'c' ? 'one' : 'two' })) });
});

afterAll(() => server.close());

const MAPS = '/api/v1/namespaces/default/configmaps';

const namesOf = (body: { items: { metadata: { name: string } }[] }): string[] =>
  body.items.map(({ metadata }) => metadata.name);

describe('a long response', () => {
  const value = 'é'.repeat(100_000);
  const large = ['v', 'w', 'x'].map((name) => ({ ...configMap(name, { size: 'large' }), data: { key: value } }));

  beforeAll(() => {
    for (const map of large)
      server.store.create('configmaps', { ...map, metadata: { ...map.metadata, namespace: 'l' } });
  });

  it.each([
    ['a list', '?labelSelector=size'],
    ['an object', '/v'],
    ['a list with indents', '?labelSelector=size&pretty=true'],
  ])('%s is sent in parts, and packed for a client that asks for it', async (_, at) => {
    const target = `/api/v1/namespaces/l/configmaps${at}`;
    const plain = await server.get(target);
    expect(plain.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
    expect(plain.body.items?.length).toBe(at === '/v' ? undefined : large.length);
    expect((plain.body.items?.[2] ?? plain.body).data.key).toBe(value);
    const packed = await server.get(target, { 'accept-encoding': 'gzip' });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(packed.text).toBe(plain.text);
  });

  it('a deleted collection is sent in parts as well', async () => {
    const { body, headers } = await server.request('DELETE', '/api/v1/namespaces/l/configmaps?labelSelector=size');
    expect(headers).toMatchObject({ 'transfer-encoding': 'chunked' });
    expect(namesOf(body)).toEqual(['v', 'w', 'x']);
    expect((await server.get('/api/v1/namespaces/l/configmaps?labelSelector=size')).body.items).toEqual([]);
  });
});

describe('reads', () => {
  it('answer an object, and a Status for one that is missing', async () => {
    expect((await server.get(`${MAPS}/a`)).body).toMatchObject({ kind: 'ConfigMap', data: { key: 'a' } });
    const missing = await server.get(`${MAPS}/zz`);
    expect(missing.code).toBe(404);
    expect(missing.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "zz" not found',
      reason: 'NotFound',
      details: { name: 'zz', kind: 'configmaps' },
      code: 404,
    });
  });

  it.each([
    ['', ['a', 'b', 'c', 'd', 'e', 'kube-root-ca.crt']],
    ['?labelSelector=half%3Done', ['a', 'b']],
    ['?labelSelector=half%20in%20(two)', ['c', 'd', 'e']],
    ['?fieldSelector=metadata.name%3Dd', ['d']],
    ['?fieldSelector=metadata.name!%3Dd&labelSelector=half%3Dtwo', ['c', 'e']],
  ])('list what %j selects', async (query, expected) => {
    const { body } = await server.get(MAPS + query);
    expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(namesOf(body)).toEqual(expected);
  });

  it.each([
    ['', 'application/json'],
    ['?pretty=true', 'application/json'],
    ['', 'application/yaml'],
  ])('name the kind of a list once: %j, %s', async (query, accept) => {
    const { text } = await server.get(MAPS + query, { accept });
    expect(text.match(/\bkind\b/g)).toHaveLength(1);
    expect(text.match(/\bapiVersion\b/g)).toHaveLength(1);
  });

  it('list in parts, each of the same moment', async () => {
    const first = await server.get(`${MAPS}?limit=2`);
    expect(namesOf(first.body)).toEqual(['a', 'b']);
    expect(first.body.metadata.remainingItemCount).toBe(4);
    server.store.create('configmaps', configMap('bb'));
    server.store.delete('configmaps', 'default', 'd');
    const second = await server.get(`${MAPS}?limit=2&continue=${first.body.metadata.continue}`);
    expect(namesOf(second.body)).toEqual(['c', 'd']);
    const third = await server.get(`${MAPS}?limit=2&continue=${second.body.metadata.continue}`);
    expect(namesOf(third.body)).toEqual(['e', 'kube-root-ca.crt']);
    expect(third.body.metadata.continue).toBeUndefined();
    server.store.delete('configmaps', 'default', 'bb');
    server.store.create('configmaps', configMap('d', { half: 'two' }));
  });

  it.each([
    [
      '?fieldSelector=foo%3Dbar',
      400,
      '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    ['?labelSelector=a%20b%20c', 400, "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    [
      '?continue=zzz',
      400,
      "invalid continue token: continue key is not valid: invalid character '�' looking for beginning of value",
    ],
    [
      '?resourceVersion=abc',
      400,
      'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": ' +
        'invalid syntax',
    ],
    ['?resourceVersion=1&resourceVersionMatch=Exact', 410, 'The resourceVersion for the provided list is too old.'],
    [
      '?resourceVersionMatch=Exact',
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden ' +
        'unless resourceVersion is provided',
    ],
    [
      '?sendInitialEvents=true',
      422,
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ],
  ])('refuse %s', async (query, code, message) => {
    const answer = await server.get(MAPS + query);
    expect([answer.code, answer.body.message]).toEqual([code, message]);
  });

  it('answer the rows of kubectl get', async () => {
    const { body } = await server.get(MAPS, { accept: TABLE });
    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Data', 'Age']);
    expect(body.columnDefinitions[1].description).toMatch(/^Data contains the configuration data\. /);
    expect(body.rows[0].cells.slice(0, 2)).toEqual(['a', 1]);
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/cluster-admin';
    const bindings = await server.get(roles, { accept: TABLE });
    expect(bindings.body.rows[0].cells.slice(0, 2)).toEqual(['cluster-admin', 'ClusterRole/cluster-admin']);
    expect(body.rows[0].object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } });
  });

  it('answer metadata alone, YAML, indented JSON, or 406', async () => {
    const only = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const { body } = await server.get(MAPS, { accept: only });
    expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(body.items[0]).not.toHaveProperty('data');
    expect((await server.get(`${MAPS}/a`, { accept: 'application/yaml' })).text).toMatch(/^apiVersion: v1\ndata:\n/);
    expect((await server.get(`${MAPS}/a`, { 'user-agent': 'curl/8.5.0' })).text).toMatch(/^\{\n  "apiVersion"/);
    expect((await server.get(MAPS, { accept: 'text/html' })).code).toBe(406);
    const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const review = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };
    const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    expect((await server.request('POST', reviews, review, table)).body).toMatchObject({ code: 406 });
  });
});

describe('discovery', () => {
  const asked = 'application/json;g=apidiscovery.k8s.io;v=VERSION;as=APIGroupDiscoveryList';
  const [v2, beta, v7] = ['v2', 'v2beta1', 'v7'].map((version) => asked.replace('VERSION', version));

  it.each([
    [`${v2},${beta},application/json`, v2, 'apidiscovery.k8s.io/v2'],
    [`${beta},${v2}`, beta, 'apidiscovery.k8s.io/v2beta1'],
    ['application/json; as=APIGroupDiscoveryList; v=v2; g=apidiscovery.k8s.io', v2, 'apidiscovery.k8s.io/v2'],
    [`application/json,${v2}`, 'application/json', 'v1'],
    [`${v7},application/json`, 'application/json', 'v1'],
  ])('takes %s', async (accept, type, apiVersion) => {
    const { headers, body } = await server.get('/apis', { accept });
    expect([headers['content-type'], body['apiVersion']]).toEqual([type, apiVersion]);
  });
});

describe('the door', () => {
  it.each([
    ['/api/', 'APIVersions'],
    ['/apis/', 'APIGroupList'],
    ['/apis/apps/v1/', 'APIResourceList'],
    [`${MAPS}/`, 'ConfigMapList'],
    [`${MAPS}/a/`, 'ConfigMap'],
  ])('takes %s as the path without the slash', async (path, kind) => {
    expect((await server.get(path)).body.kind).toBe(kind);
  });

  it.each([
    [{ authorization: '' }, 403],
    [{ authorization: 'Bearer wrong' }, 401],
    [{ host: 'evil.example:80' }, 403],
    [{ origin: 'https://evil.example', authorization: '' }, 403],
    [{ origin: 'https://evil.example', authorization: 'Basic YTpi' }, 403],
    [{ origin: 'https://evil.example', authorization: 'Bearer wrong' }, 401],
  ])('refuses %j', async (headers, code) => {
    expect((await server.get(MAPS, headers)).code).toBe(code);
  });

  it('takes the Origin of a program that has a token', async () => {
    expect((await server.get(MAPS, { origin: 'http://localhost' })).code).toBe(200);
  });

  it('lets the world see only whether it is ready', async () => {
    expect((await server.get('/readyz', { authorization: '' })).text).toBe('ok');
  });

  it.each([
    ['GET', '/nothing', 404],
    ['GET', '/api/v1/unknowns', 404],
    ['GET', '/apis/apps/v2/deployments', 404],
    ['OPTIONS', MAPS, 405],
    ['HEAD', `${MAPS}/a`, 405],
  ])('responds to %s %s with %d', async (method, path, code) => {
    expect((await server.request(method, path)).code).toBe(code);
  });
});
