import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verbOf } from '../../src/server/http/route-request.ts';
import { startServer, type TestServer } from './start-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

interface Line {
  readonly type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into objects of any kind
  readonly object: any;
}

/** The lines of a watch that ends after a second. */
async function watched(query: string, during: () => Promise<void> = async () => undefined): Promise<Line[]> {
  const [{ text }] = await Promise.all([server.get(`${MAPS}?watch=true&timeoutSeconds=1&${query}`), during()]);
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Line);
}

const told = (lines: readonly Line[]): string[] =>
  lines.map(({ type, object }) => `${type} ${object.metadata?.name ?? object.reason ?? ''}`.trim());

async function make(name: string, labels: Record<string, string> = {}): Promise<void> {
  await server.post(MAPS, { metadata: { name, labels } });
}

async function label(name: string, value: string | null): Promise<void> {
  const type = { 'content-type': 'application/merge-patch+json' };
  await server.request('PATCH', `${MAPS}/${name}`, { metadata: { labels: { seen: value } } }, type);
}

it.each([
  ['watch=True', 'watch'],
  ['watch=1', 'watch'],
  ['watch=False', 'list'],
  ['', 'list'],
])('a request with %j is a %s', (query, verb) => {
  const path = { name: undefined, subresource: undefined, isWatch: false };
  expect(verbOf({ method: 'GET' }, path, new URLSearchParams(query))).toBe(verb);
});

describe('a watch', () => {
  it('from the version of a list tells all changes since, in order', async () => {
    const { body } = await server.get(MAPS);
    await make('one');
    await label('one', 'yes');
    await server.request('DELETE', `${MAPS}/one`);
    const lines = await watched(`resourceVersion=${body.metadata.resourceVersion}`);
    expect(told(lines)).toEqual(['ADDED one', 'MODIFIED one', 'DELETED one']);
    const versions = lines.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
  });

  it('with a selector tells what begins and what stops to match', async () => {
    const { body } = await server.get(MAPS);
    await make('two');
    await label('two', 'yes');
    await label('two', null);
    const lines = await watched(`labelSelector=seen%3Dyes&resourceVersion=${body.metadata.resourceVersion}`);
    expect(told(lines)).toEqual(['ADDED two', 'DELETED two']);
    expect(lines[1]?.object.metadata.labels).toEqual({ seen: 'yes' });
  });

  it('without a version begins with what there is', async () => {
    const lines = await watched('fieldSelector=metadata.name%3Dkube-root-ca.crt');
    expect(told(lines)).toEqual(['ADDED kube-root-ca.crt']);
  });

  it('that streams a list marks its end', async () => {
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const lines = await watched(`${query}&fieldSelector=metadata.name%3Dkube-root-ca.crt`, () => make('other'));
    expect(told(lines)).toEqual(['ADDED kube-root-ca.crt', 'BOOKMARK']);
    expect(lines[1]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });

  it.each([
    [
      'apps/v1/deployments',
      { replicas: 0, selector: null, template: { metadata: {}, spec: { containers: null } }, strategy: {} },
    ],
    ['coordination.k8s.io/v1/leases', {}],
  ])('of %s marks its end with an object of Go that is empty', async (path, spec) => {
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const url = `/apis/${path}?${query}&labelSelector=no%3Dsuch&timeoutSeconds=1`;
    const { text } = await server.get(url);
    expect(JSON.parse(text)).toMatchObject({ type: 'BOOKMARK', object: { spec } });
    const { code } = await server.get(url, { accept: 'application/vnd.kubernetes.protobuf;stream=watch' });
    expect(code).toBe(200);
  });

  it('from a version that is too old gets an error', async () => {
    const [line] = await watched('resourceVersion=1');
    expect(line).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  });

  it('as a Table has its columns once', async () => {
    const { body } = await server.get(MAPS);
    await make('three');
    await make('four');
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const from = body.metadata.resourceVersion as string;
    const { text } = await server.get(`${MAPS}?watch=true&timeoutSeconds=1&resourceVersion=${from}`, { accept });
    const [first, second] = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
    expect(first?.object.columnDefinitions).toHaveLength(3);
    expect(second?.object.columnDefinitions).toBeNull();
    expect(second?.object.rows[0].cells[0]).toBe('four');
  });
});
