import { createPublicKey, verify } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('the pages about health', () => {
  it.each([
    ['GET', '/healthz', 200, 'ok'],
    ['POST', '/healthz', 200, 'ok'],
    ['HEAD', '/livez', 200, ''],
    ['HEAD', '/readyz', 200, ''],
    ['GET', '/livez/ping', 200, 'ok'],
    ['GET', '/readyz/poststarthook/rbac/bootstrap-roles', 200, 'ok'],
    ['GET', '/livez/nosuch', 404, '404 page not found\n'],
    ['GET', '/readyz/etcd', 404, '404 page not found\n'],
  ])('%s %s is %d', async (method, path, code, text) => {
    const answer = await server.request(method, path);
    expect([answer.code, answer.text, answer.headers['content-type']]).toEqual([
      code,
      text,
      'text/plain; charset=utf-8',
    ]);
  });

  it('names each check, and leaves out excluded ones', async () => {
    const { text } = await server.get('/readyz?verbose&exclude=ping&exclude=nosuch');
    expect(text).toMatch(/^\[\+\]ping excluded: ok\n\[\+\]log ok\n\[\+\]informer-sync ok\n/);
    const warning = 'warn: some health checks cannot be excluded: no matches for "nosuch"';
    expect(text.endsWith(`\n[+]shutdown ok\n${warning}\nreadyz check passed\n`)).toBe(true);
  });

  it('says that the store is gone when its folder was removed', async () => {
    const removed = await startServer();
    rmSync(removed.store.root, { recursive: true });
    expect(await removed.get('/healthz')).toMatchObject({
      code: 500,
      text: expect.stringContaining('\n[-]etcd failed'),
    });
    expect((await removed.get('/livez/etcd')).code).toBe(500);
    await removed.close();
  });

  it('says nothing more to people without a token', async () => {
    expect((await server.get('/livez/ping', { authorization: '' })).code).toBe(403);
    expect((await server.request('POST', '/healthz', undefined, { authorization: '' })).code).toBe(403);
  });
});

describe('what there is', () => {
  it('is listed at the root', async () => {
    const { paths } = (await server.get('/')).body as { paths: string[] };
    expect(paths).toEqual(paths.toSorted());
    expect(paths).toEqual(
      expect.arrayContaining(['/api/v1', '/apis/apps', '/apis/apps/v1', '/livez/ping', '/metrics', '/openid/v1/jwks']),
    );
  });

  it.each([
    ['/apis/nosuch.example.com', 'text/plain; charset=utf-8'],
    ['/apis/nosuch.example.com/v1/things', 'text/plain; charset=utf-8'],
    ['/logs/', 'text/plain; charset=utf-8'],
    ['/apis/apps/v7', 'application/json'],
    ['/api/v2', 'application/json'],
  ])('%s is missing as %s', async (path, type) => {
    const { code, headers } = await server.get(path);
    expect([code, headers['content-type']]).toEqual([404, type]);
  });

  it.each([
    ['/apis/apps/v1', 'deployments', '8aSe+NMegvE='],
    ['/apis/autoscaling/v1', 'horizontalpodautoscalers', 'qwQve8ut294='],
    ['/apis/apiextensions.k8s.io/v1', 'customresourcedefinitions', 'jfWCUB31mvA='],
  ])('%s has the hash of the stored version of %s', async (path, name, hash) => {
    const { resources } = (await server.get(path)).body as { resources: { name: string }[] };
    expect(resources.map((one) => one.name)).toEqual(resources.map((one) => one.name).toSorted());
    expect(resources.find((one) => one.name === name)).toMatchObject({ storageVersionHash: hash });
  });

  it('begins with the groups of the highest priority', async () => {
    const { groups } = (await server.request('DELETE', '/apis')).body as { groups: { name: string }[] };
    const names = groups.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(['apiregistration.k8s.io', 'apps', 'events.k8s.io']);
    expect(names.at(-1)).toBe('metrics.k8s.io');
  });

  it('comes as YAML, and not as a table of commas', async () => {
    expect((await server.get('/apis', { accept: 'application/yaml' })).text).toMatch(/^apiVersion: v1\ngroups:\n- /);
    const { code, body } = await server.get('/apis', { accept: 'text/csv' });
    expect([code, body.message]).toEqual([
      406,
      'only the following media types are accepted: application/json, application/yaml, ' +
        'application/vnd.kubernetes.protobuf',
    ]);
  });
});

describe('tokens of ServiceAccounts', () => {
  it('verify against the published key', async () => {
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { token } = (await server.post(path, request)).body.status as { token: string };
    const [header = '', payload = '', signature = ''] = token.split('.');
    const { headers, body } = await server.get('/openid/v1/jwks', { accept: 'application/jwk-set+json' });
    expect(headers['content-type']).toBe('application/jwk-set+json');
    const [jwk] = body.keys;
    const { kid, alg } = JSON.parse(Buffer.from(header, 'base64url').toString());
    expect([jwk.kid, jwk.alg, jwk.use]).toEqual([kid, alg, 'sig']);
    const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
    const bytes = Buffer.from(`${header}.${payload}`);
    expect(verify('sha256', bytes, key, Buffer.from(signature, 'base64url'))).toBe(true);
    const { body: about } = await server.get('/.well-known/openid-configuration');
    const { iss } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect(about).toMatchObject({ issuer: iss, jwks_uri: `${server.url}/openid/v1/jwks` });
  });

  it('are refused to a client that takes JSON only', async () => {
    expect((await server.get('/openid/v1/jwks', { accept: 'application/json' })).code).toBe(406);
  });
});

describe('metrics', () => {
  it('count what a client asks', async () => {
    await server.get(`${MAPS}/nosuch`);
    await server.get(`${MAPS}/nosuch`);
    await server.get(MAPS);
    await server.get('/readyz');
    const { text, headers } = await server.get('/metrics');
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    const maps = 'group="",version="v1",resource="configmaps",subresource=""';
    const get = `verb="GET",dry_run="",${maps},scope="resource",component="apiserver"`;
    const list = `verb="LIST",dry_run="",${maps},scope="namespace",component="apiserver"`;
    expect(text).toContain(`\napiserver_request_total{${get},code="404"} 2\n`);
    expect(text).toContain(`\napiserver_request_total{${list},code="200"} 1\n`);
    expect(text).toContain(`\napiserver_request_duration_seconds_bucket{${get},le="+Inf"} 2\n`);
    expect(text).toContain(`\napiserver_request_duration_seconds_count{${get}} 2\n`);
    expect(text).toMatch(/\napiserver_request_total\{verb="GET",.*subresource="\/readyz",.*code="200"\} \d+\n/);
    expect(text).toMatch(/\nprocess_cpu_seconds_total \d/);
    expect((await server.get('/metrics', { authorization: '' })).code).toBe(403);
  });

  it('say the same start of the process each time', async () => {
    const started = async (): Promise<string | undefined> =>
      /\nprocess_start_time_seconds (\S+)/.exec((await server.get('/metrics')).text)?.[1];
    const all = new Set<string | undefined>();
    for (let scrape = 0; scrape < 10; scrape++) all.add(await started());
    expect([...all]).toEqual([expect.stringMatching(/^\d{10}(\.\d+)?$/)]);
  });
});

describe('the door', () => {
  it('names each request, as its client does or by itself', async () => {
    const { headers } = await server.get(MAPS, { 'audit-id': 'mine' });
    expect(headers['audit-id']).toBe('mine');
    expect((await server.get(MAPS)).headers['audit-id']).toMatch(/^[\da-f-]{36}$/);
  });

  it.each([
    ['PUT', MAPS, 405],
    ['PATCH', MAPS, 405],
    ['POST', `${MAPS}/a`, 405],
    ['GET', '/api/v1/namespaces/default/bindings', 405],
    ['GET', `${MAPS}?limit=x`, 400],
    ['GET', `${MAPS}?timeout=foo`, 400],
    ['GET', `${MAPS}?timeout=5s`, 200],
    ['DELETE', `${MAPS}/kube-root-ca.crt?gracePeriodSeconds=x&dryRun=All`, 400],
    ['DELETE', `${MAPS}/kube-root-ca.crt?orphanDependents=true&propagationPolicy=Orphan&dryRun=All`, 422],
  ])('responds to %s %s with %d', async (method, path, code) => {
    expect((await server.request(method, path)).code).toBe(code);
  });

  it('takes the watches of old clients', async () => {
    const path = '/api/v1/watch/namespaces/default/configmaps/kube-root-ca.crt?timeoutSeconds=1';
    const lines = (await server.get(path)).text.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(['ADDED']);
  });

  it('lists the parts of the control plane', async () => {
    const { body, headers } = await server.get('/api/v1/componentstatuses');
    expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual([
      'controller-manager',
      'etcd-0',
      'scheduler',
    ]);
    expect(headers['warning']).toBe('299 - "v1 ComponentStatus is deprecated in v1.19+"');
  });
});

describe('objects that every cluster has', () => {
  it('are the APIServices of the own groups, which come back', async () => {
    const path = '/apis/apiregistration.k8s.io/v1/apiservices';
    const { body } = await server.get(path);
    const names = body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    expect(names).toEqual(expect.arrayContaining(['v1.', 'v1.apps', 'v2.autoscaling', 'v1.storage.k8s.io']));
    expect((await server.get(`${path}/v1.apps`)).body).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
      spec: { group: 'apps', version: 'v1', groupPriorityMinimum: 17_800, versionPriority: 15 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
    await server.request('DELETE', `${path}/v1.apps`);
    await expect.poll(async () => (await server.get(`${path}/v1.apps`)).code).toBe(200);
  });

  it.each([
    ['flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/exempt', { spec: { type: 'Exempt' } }],
    [
      'flowcontrol.apiserver.k8s.io/v1/flowschemas/catch-all',
      {
        spec: { matchingPrecedence: 10_000, priorityLevelConfiguration: { name: 'catch-all' } },
        status: { conditions: [{ type: 'Dangling', status: 'False', reason: 'Found' }] },
      },
    ],
    [
      'scheduling.k8s.io/v1/priorityclasses/system-node-critical',
      { metadata: { generation: 1, managedFields: [{ manager: 'kube-apiserver', operation: 'Update' }] } },
    ],
    [
      'rbac.authorization.k8s.io/v1/clusterroles/system:discovery',
      { metadata: { managedFields: [{ manager: 'kube-apiserver' }] } },
    ],
  ])('have the fields of the API server: %s', async (path, object) => {
    expect((await server.get(`/apis/${path}`)).body).toMatchObject(object);
  });
});
