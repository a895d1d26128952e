import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestAnswer, type TestServer } from './start-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.post(DEFINITIONS, definition('ws.x.io', { 'x-kubernetes-preserve-unknown-fields': true }));
  await server.post(CUSTOM, { metadata: { name: 'ok' } });
});

// The server has written no stack: `close` throws otherwise.
afterAll(() => server.close());

const CONFIGS = '/api/v1/namespaces/default/configmaps';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CUSTOM = '/apis/x.io/v1/namespaces/default/ws';
const ACCOUNT = '/api/v1/namespaces/default/serviceaccounts/default/token';

/** Values in the place of others. */
const ODD = ['x', 5, [], {}, null, [5], [null], true, { a: 5 }, 1.5];

function definition(name: string, schema: object, version: object = {}, spec: object = {}): object {
  const [plural = '', ...group] = name.split('.');
  const v1 = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', ...schema } } };
  const names = { plural, kind: 'W' };
  const whole = { group: group.join('.'), scope: 'Namespaced', names, versions: [{ ...v1, ...version }], ...spec };
  return { metadata: { name }, spec: whole };
}

/** Bodies with an odd value in the place of each of these fields. */
const withOdd = (names: readonly string[], body: (field: object) => unknown): unknown[] =>
  names.flatMap((name) => ODD.map((value) => body({ [name]: value })));

const METADATA = `
  labels annotations finalizers ownerReferences managedFields generateName namespace name uid
  resourceVersion creationTimestamp deletionTimestamp generation deletionGracePeriodSeconds`
  .trim()
  .split(/\s+/);
const SCHEMA = `
  type properties items required enum default additionalProperties pattern minimum not maxLength
  format allOf anyOf oneOf x-kubernetes-validations x-kubernetes-list-map-keys`
  .trim()
  .split(/\s+/);

const POSTS: readonly [path: string, bodies: readonly unknown[]][] = [
  [CONFIGS, ODD.map((value) => JSON.stringify(value))],
  [
    CONFIGS,
    withOdd(['apiVersion', 'kind', 'metadata', 'data', 'immutable'], (field) => ({
      metadata: { name: 'a' },
      ...field,
    })),
  ],
  [CONFIGS, withOdd(METADATA, (field) => ({ metadata: { name: 'a', ...field } }))],
  [CUSTOM, withOdd(['apiVersion', 'kind', 'metadata', 'status'], (field) => ({ metadata: { name: 'a' }, ...field }))],
  [CUSTOM, withOdd(METADATA, (field) => ({ metadata: { name: 'a', ...field } }))],
  [
    DEFINITIONS,
    withOdd(['group', 'names', 'scope', 'versions', 'conversion'], (field) => definition('a.b.c', {}, {}, field)),
  ],
  [
    DEFINITIONS,
    withOdd(['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields', 'name', 'served'], (field) =>
      definition('a.b.c', {}, field),
    ),
  ],
  [DEFINITIONS, withOdd(SCHEMA, (field) => definition('a.b.c', field))],
  [DEFINITIONS, withOdd(SCHEMA, (field) => definition('a.b.c', { properties: { p: { type: 'string', ...field } } }))],
  [
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    [
      ...withOdd(['spec'], (field) => field),
      ...withOdd(['user', 'groups', 'resourceAttributes', 'nonResourceAttributes'], (spec) => ({ spec })),
      ...withOdd(['verb', 'namespace', 'resource'], (resourceAttributes) => ({
        spec: { user: 'a', resourceAttributes },
      })),
    ],
  ],
  ['/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', withOdd(['spec'], (field) => field)],
  ['/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', withOdd(['namespace'], (spec) => ({ spec }))],
  ['/apis/authentication.k8s.io/v1/tokenreviews', withOdd(['token', 'audiences'], (spec) => ({ spec }))],
  [ACCOUNT, withOdd(['audiences', 'expirationSeconds', 'boundObjectRef'], (spec) => ({ spec }))],
];

const isOurs = ({ code, body }: TestAnswer): boolean =>
  // An apply of wrong types is a 500 on a real server, too.
  code < 500 || String(body?.message).startsWith('failed to create typed patch object');

it.each(POSTS)('a POST to %s with a value of another type is refused or taken', async (path, bodies) => {
  for (const body of bodies) {
    const answer = await server.post(`${path}?dryRun=All`, body);
    expect([body, answer.body?.message, isOurs(answer)]).toEqual([body, answer.body?.message, true]);
  }
});

it('so is a change', async () => {
  const bodies = [
    ...withOdd(['metadata', 'status', 'kind'], (field) => field),
    ...withOdd(METADATA, (metadata) => ({ metadata })),
  ];
  const types = ['merge-patch+json', 'apply-patch+yaml'];
  for (const body of bodies)
    for (const type of types) {
      const whole = type.startsWith('apply') ? { apiVersion: 'x.io/v1', kind: 'W', ...(body as object) } : body;
      const headers = { 'content-type': `application/${type}` };
      const path = `${CUSTOM}/ok?dryRun=All&fieldManager=a`;
      const answer = await server.request('PATCH', path, JSON.stringify(whole), headers);
      expect([body, answer.body?.message, isOurs(answer)]).toEqual([body, answer.body?.message, true]);
    }
});

it('so are the options of a deletion', async () => {
  const fields = ['gracePeriodSeconds', 'preconditions', 'propagationPolicy', 'dryRun', 'orphanDependents'];
  for (const body of withOdd(fields, (field) => field)) {
    await server.post(CONFIGS, { metadata: { name: 'gone' } });
    const answer = await server.request('DELETE', `${CONFIGS}/gone`, body);
    expect([body, answer.body?.message, answer.code < 500]).toEqual([body, answer.body?.message, true]);
  }
});

it('a patch says which field is wrong', async () => {
  const headers = { 'content-type': 'application/merge-patch+json' };
  const { code, body } = await server.request('PATCH', `${CUSTOM}/ok`, '{"metadata":{"labels":"x"}}', headers);
  const why = 'json: cannot unmarshal string into Go struct field ObjectMeta.labels of type map[string]string';
  // As an API server does, which knows neither kind nor name there and prints what it has decoded.
  expect([code, body.message]).toEqual([422, expect.stringMatching(/^ "" is invalid: patch: Invalid value: "\{/)]);
  expect(body.message).toContain(why);
});

it.each([
  [CUSTOM, { metadata: { name: 'a', ownerReferences: 5 } }, 'ObjectMeta.ownerReferences of type []v1.OwnerReference'],
  [CUSTOM, { metadata: 'x' }, 'json: cannot unmarshal string into Go value of type v1.ObjectMeta'],
  [CONFIGS, { apiVersion: 5, metadata: { name: 'a' } }, 'Go struct field .apiVersion of type string'],
  [
    DEFINITIONS,
    definition('a.b.c', { properties: { p: { type: 'string', allOf: 'x' } } }),
    'string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.allOf ' +
      'of type []v1.JSONSchemaProps',
  ],
  [ACCOUNT, { spec: { expirationSeconds: 'x' } }, 'TokenRequestSpec.spec.expirationSeconds of type int64'],
])('%s says which field is wrong', async (path, body, why) => {
  const answer = await server.post(path, body);
  expect(answer.code).toBe(400);
  expect(answer.body.message).toContain(why);
});
