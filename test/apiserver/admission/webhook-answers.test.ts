import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../../server/start-server.ts';

const NAMESPACE = '/api/v1/namespaces/default';

let server: TestServer;
let seen: string[];
let answer: () => object;
let url: string;

/** A webhook of this machine, which is asked about everything. */
const hook = createServer((incoming, response) => {
  let text = '';
  incoming.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  incoming.on('end', () => {
    const { uid } = (JSON.parse(text) as { readonly request: { readonly uid: string } }).request;
    seen.push(uid);
    response.end(JSON.stringify({ response: { uid, allowed: true, ...answer() } }));
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  server = await startServer();
  const everything = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };
  url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
  const webhook = {
    name: 'all.example.com',
    clientConfig: { url },
    rules: [everything],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  for (const kind of ['Mutating', 'Validating']) {
    const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`;
    await server.post(path, { metadata: { name: 'all' }, webhooks: [webhook] });
  }
});

beforeEach(() => {
  seen = [];
  answer = () => ({});
});

afterAll(async () => {
  await server.close();
  hook.close();
  hook.closeAllConnections();
});

const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const config = (name: string): object => ({ metadata: { name }, data: { a: 'b' } });

describe('a webhook without', () => {
  const full = {
    name: 'odd.example.com',
    clientConfig: { service: { name: 'none', namespace: 'default' } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    failurePolicy: 'Fail',
  };
  const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

  it.each([
    ['rules', {}],
    ['rules but a null', { rules: null }],
    ['any rule', { rules: [] }],
    ['values', { rules: [], namespaceSelector: null, objectSelector: null, matchConditions: null }],
  ])('%s is asked about nothing', async (_, more) => {
    for (const kind of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']) {
      const made = await server.post(`${ADMISSION}/${kind}`, {
        metadata: { name: 'odd' },
        webhooks: [{ ...full, ...more }],
      });
      expect(made.code).toBe(201);
    }
    expect((await server.post(`${NAMESPACE}/configmaps?dryRun=All`, config('odd'))).code).toBe(201);
    for (const kind of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'])
      expect((await server.request('DELETE', `${ADMISSION}/${kind}/odd`)).code).toBe(200);
  });

  it.each([
    [
      'clientConfig',
      { clientConfig: undefined },
      'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
    ],
    [
      'operations',
      { rules: [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }] },
      'webhooks[0].rules[0].operations: Required value',
    ],
    ['a name', { name: undefined }, 'webhooks[0].name: Required value'],
    [
      'sideEffects',
      { sideEffects: null },
      'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
    ],
  ])('%s is invalid', async (_, change, why) => {
    const webhooks = [{ ...full, ...change }];
    const { code, body } = await server.post(`${ADMISSION}/validatingwebhookconfigurations`, {
      metadata: { name: 'bad' },
      webhooks,
    });
    expect([code, body.message]).toEqual([
      422,
      `ValidatingWebhookConfiguration.admissionregistration.k8s.io "bad" is invalid: ${why}`,
    ]);
  });

  it('so is a policy without constraints', async () => {
    const answers = [];
    for (const more of [{}, { matchConstraints: {} }]) {
      const spec = { validations: [{ expression: 'true' }], failurePolicy: 'Ignore', ...more };
      answers.push(
        (await server.post(`${ADMISSION}/validatingadmissionpolicies`, { metadata: { name: 'p' }, spec })).body.message,
      );
    }
    const head = 'ValidatingAdmissionPolicy.admissionregistration.k8s.io "p" is invalid: spec.matchConstraints';
    expect(answers).toEqual([`${head}: Required value`, `${head}.resourceRules: Required value`]);
  });
});

describe('a patch of a webhook that makes something else of an object', () => {
  const labels = 'ObjectMeta.metadata.labels of type map[string]string';
  const replace = (path: string, value: unknown): object => ({ op: 'add', path, value });
  const went = 'json: cannot unmarshal';

  it.each<[string, unknown, string]>([
    ['labels that are a text', [replace('/metadata/labels', 'x')], `${went} string into Go struct field ${labels}`],
    [
      'finalizers that are a text',
      [replace('/metadata/finalizers', 'x')],
      `${went} string into Go struct field ObjectMeta.metadata.finalizers of type []string`,
    ],
    [
      'a name that is a number',
      [replace('/metadata/name', 5)],
      `${went} number into Go struct field ObjectMeta.metadata.name of type string`,
    ],
    [
      'data that is a list',
      [replace('/data', [])],
      `${went} array into Go struct field ConfigMap.data of type map[string]string`,
    ],
    [
      'metadata that is a list',
      [replace('/metadata', [])],
      `${went} array into Go struct field ConfigMap.metadata of type v1.ObjectMeta`,
    ],
    [
      'a null',
      [{ op: 'replace', path: '', value: null }],
      `${went} null into Go value of type map[string]interface {}`,
    ],
    ['a list', [{ op: 'replace', path: '', value: [] }], `${went} array into Go value of type map[string]interface {}`],
    [
      'what is not there',
      [{ op: 'replace', path: '/a/b', value: 1 }],
      'replace operation does not apply: doc is missing path: /a/b: missing value',
    ],
    ['no patch', { op: 'add' }, `${went} object into Go value of type jsonpatch.Patch`],
  ])('is an internal error: %s', async (_, patch, why) => {
    answer = () => (seen.length === 1 ? { patchType: 'JSONPatch', patch: json(patch) } : {});
    const { code, body } = await server.post(`${NAMESPACE}/configmaps`, config('typed'));
    expect([code, body.reason, body.message]).toEqual([500, 'InternalError', `Internal error occurred: ${why}`]);
  });

  it('keeps the namespace, and may change the name', async () => {
    answer = () =>
      seen.length === 1 ? { patchType: 'JSONPatch', patch: json([replace('/metadata/namespace', '../x')]) } : {};
    expect((await server.post(`${NAMESPACE}/configmaps`, config('placed'))).code).toBe(400);
    for (const [name, code] of [
      ['../../x', 422],
      ['other', 201],
    ] as const) {
      seen = [];
      answer = () =>
        seen.length === 1 ? { patchType: 'JSONPatch', patch: json([replace('/metadata/name', name)]) } : {};
      expect((await server.post(`${NAMESPACE}/configmaps`, config('named'))).code).toBe(code);
    }
    expect((await server.get(`${NAMESPACE}/configmaps/other`)).code).toBe(200);
    expect((await server.get(`${NAMESPACE}/configmaps/named`)).code).toBe(404);
  });

  it('pollutes nothing', async () => {
    const patch = [
      replace('/data/__proto__', 'x'),
      replace('/data/constructor', 'y'),
      replace('/__proto__', { polluted: 1 }),
    ];
    answer = () => (seen.length === 1 ? { patchType: 'JSONPatch', patch: json(patch) } : {});
    const { code, text } = await server.post(`${NAMESPACE}/configmaps?dryRun=All`, config('proto'));
    expect([code, text.includes('"__proto__":"x"'), text.includes('"constructor":"y"')]).toEqual([201, true, true]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('the refusal of a webhook', () => {
  it.each<[unknown, number]>([
    [999_999, 500],
    [1000, 500],
    [999, 999],
    [0, 400],
    [50, 400],
    [403, 403],
    [undefined, 400],
  ])('with the code %j is a %i', async (code, want) => {
    const status = { code, message: '\u001b[31m\r\nx', reason: '\u0000', details: { retryAfterSeconds: 3 } };
    answer = () => ({ allowed: false, status });
    const refused = await server.post(`${NAMESPACE}/configmaps`, config('a'));
    const { body, headers } = refused;
    expect([refused.code, body.code, headers['retry-after']]).toEqual([want, want, '3']);
    expect(body.message).toBe('admission webhook "all.example.com" denied the request: \u001b[31m\r\nx');
  });

  it.each<[object, string]>([
    [{ status: { code: 200.5 } }, 'number 200.5 into Go struct field Status.response.status.code of type int32'],
    [{ status: { code: 'abc' } }, 'string into Go struct field Status.response.status.code of type int32'],
    [{ status: { message: { a: 1 } } }, 'object into Go struct field Status.response.status.message of type string'],
    [
      { status: { details: 'x' } },
      'string into Go struct field Status.response.status.details of type v1.StatusDetails',
    ],
    [
      { status: { details: { retryAfterSeconds: '1\r\nX: y' } } },
      'string into Go struct field StatusDetails.response.status.details.retryAfterSeconds of type int32',
    ],
    [{ warnings: 'x' }, 'string into Go struct field AdmissionResponse.response.warnings of type []string'],
    [{ allowed: 'yes' }, 'string into Go struct field AdmissionResponse.response.allowed of type bool'],
  ])('that is none is a failure of the webhook: %j', async (response, why) => {
    answer = () => ({ allowed: false, ...response });
    const { code, body } = await server.post(`${NAMESPACE}/configmaps`, config('a'));
    const head = 'Internal error occurred: failed calling webhook "all.example.com": failed to call webhook';
    expect([code, body.message]).toEqual([500, `${head}: json: cannot unmarshal ${why}`]);
  });

  it('of a websocket has no header of its own', async () => {
    answer = () => ({ allowed: false, status: { code: 999_999, reason: 'a\r\nX-Evil: 1', message: 'no' } });
    const headers = { authorization: `Bearer ${server.token}`, connection: 'Upgrade', upgrade: 'websocket' };
    const sent = request(`${server.url}${NAMESPACE}/pods/web/exec?command=sh`, { ca: server.ca, headers }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect([response.resume().statusCode, response.headers['x-evil']]).toEqual([500, undefined]);
  });
});

it('warnings of a webhook are one header each, whatever is in them', async () => {
  answer = () =>
    seen.length === 1 ? { warnings: ['a"\r\nX-Evil: 1', '\u001b]0;own\u0007', '😀 €', '\ud800', '', 'plain'] } : {};
  const { code, headers } = await server.post(`${NAMESPACE}/configmaps?dryRun=All`, config('warned'));
  expect([code, headers['x-evil']]).toEqual([201, undefined]);
  const warnings = Buffer.from(String(headers['warning']), 'latin1').toString();
  const [bell, lone] = ['299 - " ]0;own "', '299 - "\ufffd"'];
  expect(warnings).toBe(`299 - "a\\"  X-Evil: 1", ${bell}, 299 - "😀 €", ${lone}, 299 - "plain"`);
  answer = () =>
    seen.length === 1 ? { warnings: Array.from({ length: 400 }, (_, i) => `${i}${'w'.repeat(5000)}`) } : {};
  seen = [];
  const many = await server.post(`${NAMESPACE}/configmaps?dryRun=All`, config('warned'));
  expect(String(many.headers['warning']).length).toBeLessThan(5000);
});
