import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/x.io/v1/namespaces/default/widgets';
const CONFIGS = '/api/v1/namespaces/default/configmaps';

// Each object of JavaScript has a field of this name.
const INHERITED = 'constructor';

it('a format that the server does not know has no effect, whatever its name is', async () => {
  const properties = { n: { type: 'integer', format: INHERITED }, s: { type: 'string', format: INHERITED } };
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  await server.post(DEFINITIONS, {
    metadata: { name: 'widgets.x.io' },
    spec: {
      group: 'x.io',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  expect((await server.post(WIDGETS, { metadata: { name: 'a' }, n: 1, s: 'x' })).code).toBe(201);
});

it('a media type that the server does not know is refused, whatever its name is', async () => {
  await server.post(CONFIGS, { metadata: { name: 'a' } });
  const headers = { 'content-type': INHERITED };
  expect((await server.request('PATCH', `${CONFIGS}/a`, { data: {} }, headers)).code).toBe(415);
  expect((await server.get(CONFIGS, { accept: INHERITED })).code).toBe(406);
});
