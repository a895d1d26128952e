import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { convertedObjects } from '../../../src/apiserver/custom/conversion-review.ts';
import { startServer, type TestServer } from '../../server/start-server.ts';

const GROUP = 'stable.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const at = (version: string): string => `/apis/${GROUP}/${version}/namespaces/default/shirts`;
const merge = { 'content-type': 'application/merge-patch+json' };

interface Shirt {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
  readonly spec: {
    readonly size?: string;
    readonly width?: number;
    readonly height?: number;
    readonly replicas?: number;
  };
}
interface Review {
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Shirt[] };
}

/** Version v1 has `size: 30x40`, version v2 `width` and `height`. */
function converted({ spec, ...shirt }: Shirt, apiVersion: string): Shirt {
  const { size = '', width, height, ...rest } = spec;
  if (apiVersion.endsWith('/v1')) return { ...shirt, apiVersion, spec: { ...rest, size: `${width}x${height}` } };
  const [newWidth = 0, newHeight = 0] = size.split('x').map(Number);
  return { ...shirt, apiVersion, spec: { ...rest, width: newWidth, height: newHeight } };
}

let server: TestServer;
/** The number of objects in each review. */
let asked: number[];
let answer: (review: Review) => object;

const hook = createServer((incoming, response) => {
  let text = '';
  incoming.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  incoming.on('end', () => {
    const review = JSON.parse(text) as Review;
    asked.push(review.request.objects.length);
    const head = { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1' };
    response.end(JSON.stringify({ ...head, response: { uid: review.request.uid, ...answer(review) } }));
  });
});

const succeeds = ({ request: { objects, desiredAPIVersion } }: Review): object => ({
  result: { status: 'Success' },
  convertedObjects: objects.map((object) => converted(object, desiredAPIVersion)),
});

function version(name: string, storage: boolean, fields: object): object {
  const spec = { type: 'object', properties: { ...fields, replicas: { type: 'integer', default: 1 } } };
  const subresources = { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.n' } };
  const status = { type: 'object', properties: { n: { type: 'integer' } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status } } };
  const selectableFields = Object.keys(fields).map((field) => ({ jsonPath: `.spec.${field}` }));
  return { name, served: true, storage, subresources, schema, selectableFields };
}

function definition(stored: 'v1' | 'v2'): object {
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/convert`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `shirts.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'shirts', kind: 'Shirt' },
      conversion: { strategy: 'Webhook', webhook: { clientConfig: { url }, conversionReviewVersions: ['v1'] } },
      versions: [
        version('v1', stored === 'v1', { size: { type: 'string' } }),
        version('v2', stored === 'v2', { width: { type: 'integer' }, height: { type: 'integer', maximum: 99 } }),
      ],
    },
  };
}

const shirt = (name: string, spec: object, versionName: string): object => ({
  apiVersion: `${GROUP}/${versionName}`,
  kind: 'Shirt',
  metadata: { name },
  spec,
});

beforeAll(async () => {
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  server = await startServer();
  await server.post(DEFINITIONS, definition('v1'));
  while ((await server.get(at('v2'))).code !== 200);
  await server.post(at('v1'), shirt('a', { size: '30x40' }, 'v1'));
});

beforeEach(() => {
  asked = [];
  answer = succeeds;
});

afterAll(async () => {
  await server.close();
  hook.close();
  hook.closeAllConnections();
});

/** The events of a watch, as long as it takes until there are so many. */
function watched(path: string, count: number): Promise<readonly { type: string; object: Shirt }[]> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.token}` };
    const sent = request(`${server.url}${path}`, { ca: server.ca, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        const lines = text.split('\n').slice(0, -1);
        if (lines.length < count) return;
        sent.destroy();
        resolve(lines.map((line) => JSON.parse(line) as { type: string; object: Shirt }));
      });
    });
    sent.once('error', reject).end();
  });
}

describe('a conversion webhook', () => {
  it('is asked only for objects of another version', async () => {
    expect((await server.get(`${at('v1')}/a`)).body.spec).toEqual({ size: '30x40', replicas: 1 });
    expect(asked).toEqual([]);
    const { body } = await server.get(`${at('v2')}/a`);
    expect(body).toMatchObject({ apiVersion: `${GROUP}/v2`, spec: { width: 30, height: 40, replicas: 1 } });
    expect(asked).toEqual([1]);
  });

  it('converts what is created in another version, and back for the answer', async () => {
    const created = await server.post(at('v2'), shirt('b', { width: 1, height: 2 }, 'v2'));
    expect(created).toMatchObject({ code: 201, body: { apiVersion: `${GROUP}/v2`, spec: { width: 1, height: 2 } } });
    expect(server.store.get('shirts.stable.example.com', 'default', 'b')).toMatchObject({
      apiVersion: `${GROUP}/v1`,
      spec: { size: '1x2' },
    });
    expect(asked).toEqual([1, 1]);
  });

  it('is asked once about a list, whose selectors know the fields of its version', async () => {
    const { body } = await server.get(`${at('v2')}?fieldSelector=spec.width%3D30`);
    expect(body.items.map(({ spec }: Shirt) => spec)).toEqual([{ width: 30, height: 40, replicas: 1 }]);
    expect(asked).toEqual([2]);
  });

  it('converts before and after a change: the rules belong to the version of the request', async () => {
    const patched = await server.request('PATCH', `${at('v2')}/a`, '{"spec":{"width":31}}', merge);
    expect(patched.body).toMatchObject({ metadata: { generation: 2 }, spec: { width: 31, height: 40 } });
    expect((await server.get(`${at('v1')}/a`)).body.spec.size).toBe('31x40');
    const refused = await server.request('PATCH', `${at('v2')}/a`, '{"spec":{"height":100}}', merge);
    expect(refused.code).toBe(422);
    const status = await server.request('PATCH', `${at('v2')}/a/status`, '{"status":{"n":3}}', merge);
    expect(status.body).toMatchObject({ apiVersion: `${GROUP}/v2`, status: { n: 3 }, spec: { width: 31 } });
    const scaled = await server.request('PATCH', `${at('v2')}/a/scale`, '{"spec":{"replicas":4}}', merge);
    expect(scaled.body).toMatchObject({ kind: 'Scale', spec: { replicas: 4 }, status: { replicas: 3 } });
    const { body } = await server.get(`${at('v2')}/a`);
    const outdated = { ...body, metadata: { ...body.metadata, resourceVersion: '1' } };
    expect((await server.request('PUT', `${at('v2')}/a`, outdated)).code).toBe(409);
  });

  it('converts the events of a watch, in their order', async () => {
    const { body } = await server.get(at('v2'));
    const events = watched(`${at('v2')}?watch=true&resourceVersion=${body.metadata.resourceVersion}`, 3);
    await server.request('PATCH', `${at('v1')}/b`, '{"spec":{"size":"5x6"}}', merge);
    await server.request('PATCH', `${at('v1')}/b`, '{"spec":{"size":"7x8"}}', merge);
    expect((await server.request('DELETE', `${at('v2')}/b`)).code).toBe(200);
    expect((await events).map(({ type, object: { spec } }) => [type, spec.width])).toEqual([
      ['MODIFIED', 5],
      ['MODIFIED', 7],
      ['DELETED', 7],
    ]);
  });

  it('that fails fails the request, and the watch', async () => {
    answer = () => ({ result: { status: 'Failed', message: 'no such size' } });
    const message = `conversion webhook for ${GROUP}/v1, Kind=Shirt failed: no such size`;
    expect((await server.get(`${at('v2')}/a`)).body).toMatchObject({ code: 500, message });
    expect((await server.get(at('v2'))).body).toMatchObject({ code: 500, message });
    const created = await server.post(at('v2'), shirt('c', { width: 1, height: 2 }, 'v2'));
    expect(created.body.message).toBe(`conversion webhook for ${GROUP}/v2, Kind=Shirt failed: no such size`);
    const [event] = await watched(`${at('v2')}?watch=true`, 1);
    expect(event).toMatchObject({ type: 'ERROR', object: { code: 500, message } });
    expect((await server.get(`${at('v1')}/a`)).code).toBe(200);
  });

  it('serves objects that were stored in another version before', async () => {
    const path = `${DEFINITIONS}/shirts.${GROUP}`;
    const { body } = await server.get(path);
    const { spec } = definition('v2') as { spec: object };
    expect((await server.request('PUT', path, { ...body, spec })).code).toBe(200);
    await server.post(at('v2'), shirt('new', { width: 1, height: 2 }, 'v2'));
    asked = [];
    expect((await server.get(at('v1'))).body.items.map(({ spec: { size } }: Shirt) => size)).toEqual(['31x40', '1x2']);
    expect((await server.get(at('v2'))).body.items.map(({ spec: { width } }: Shirt) => width)).toEqual([31, 1]);
    expect(asked).toEqual([1, 1]);
  });
});

describe('the answer of a conversion webhook', () => {
  const before = { apiVersion: 'g/v1', kind: 'K', metadata: { name: 'a', uid: 'u', labels: { a: 'b' } } };
  const question = { uid: 'q', reviewVersion: 'v1', apiVersion: 'g/v2', objects: [before] };
  const answerOf = (response: object): object => ({
    kind: 'ConversionReview',
    apiVersion: 'apiextensions.k8s.io/v1',
    response: { uid: 'q', result: { status: 'Success' }, ...response },
  });
  const after = { ...before, apiVersion: 'g/v2' };

  it.each<[string, unknown]>([
    [
      'failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got , Kind=',
      { response: {} },
    ],
    ['failed: no response provided', { ...answerOf({}), response: undefined }],
    ['failed: expected response.uid="q", got "other"', answerOf({ uid: 'other' })],
    ["failed: response.result.status was '', not 'Success'", answerOf({ result: {} })],
    ['returned 0 objects, expected 1', answerOf({})],
    [
      'returned invalid object at index 0: invalid groupVersion (expected g/v2, received g/v1)',
      answerOf({ convertedObjects: [before] }),
    ],
    [
      'returned invalid object: must have the same name: a != b',
      answerOf({ convertedObjects: [{ ...after, metadata: { name: 'b', uid: 'u' } }] }),
    ],
    [
      'returned invalid metadata: invalid metadata.labels in converted object',
      answerOf({ convertedObjects: [{ ...after, metadata: { ...after.metadata, labels: { a: 1 } } }] }),
    ],
  ])('%s', (message, given) => {
    expect(() => convertedObjects(given, question)).toThrow(new TypeError(message));
  });

  it('changes labels and annotations, and no other metadata', () => {
    const metadata = { name: 'a', uid: 'u', annotations: { c: 'd' }, finalizers: ['x'] };
    const [object] = convertedObjects(answerOf({ convertedObjects: [{ ...after, metadata }] }), question);
    expect(object?.metadata).toEqual({ name: 'a', uid: 'u', annotations: { c: 'd' } });
  });
});
