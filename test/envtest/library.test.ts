import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type Envtest, envtest, type EnvtestOptions } from '../../src/library/index.ts';
import { removeTree } from '../../src/remove-tree.ts';
import { callerOf } from './suite-caller.ts';

const CRDS = path.join(import.meta.dirname, 'config/crd');
const GREETINGS = '/apis/example.com/v1/namespaces/default/greetings';
const MAPS = '/api/v1/namespaces/default/configmaps';
const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

const opened: Envtest[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((api) => api.close()));
});

async function open(options: EnvtestOptions = {}): Promise<Envtest> {
  const api = await envtest(options);
  opened.push(api);
  return api;
}

const greeting = (to: unknown): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Greeting',
  metadata: { name: 'hello' },
  spec: { to },
});

/** The user and the groups that a server sees. */
async function seenAs(api: Envtest, name: string): Promise<unknown> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const { body } = await callerOf(api, api.user(name))('POST', REVIEWS, review);
  return body.status.userInfo;
}

describe('envtest of the library', () => {
  it('serves the kinds of its definitions when it resolves, and runs no controllers', async () => {
    const warnings: string[] = [];
    const api = await open({ crds: CRDS, onWarning: (line) => warnings.push(line) });
    const send = callerOf(api, api.user('admin'));
    const { body } = await send('GET', '/apis/example.com/v1');
    expect(body.resources.map(({ name }: { name: string }) => name)).toEqual(['greetings', 'greetings/status']);
    expect((await send('POST', GREETINGS, greeting('you'))).code).toBe(201);
    const refused = await send('POST', GREETINGS, greeting(1));
    expect([refused.code, refused.body.message]).toEqual([422, expect.stringContaining('spec.to: Invalid value')]);
    expect((await send('GET', '/api/v1/nodes')).body.items).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('stands for the version that is named', async () => {
    const [old, current] = await Promise.all([open({ version: '1.34' }), open()]);
    const minors = await Promise.all([old, current].map((api) => callerOf(api, {})('GET', '/version')));
    expect(minors.map(({ body }) => body.minor)).toEqual(['34', '36']);
    await expect(envtest({ version: '1.2' })).rejects.toThrow('1.2');
  });

  it('takes several definitions: files, texts and objects', async () => {
    const yaml = readFileSync(path.join(CRDS, 'bases/greetings.yaml'), 'utf8');
    const names = { plural: 'waves', kind: 'Wave' };
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
    const spec = { group: 'example.com', scope: 'Cluster', names, versions: [version] };
    const metadata = { name: 'waves.example.com' };
    const wave = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec };
    const api = await open({ crds: [{ yaml }, wave] });
    const { body } = await callerOf(api, api)('GET', '/apis/example.com/v1');
    expect(body.resources.map(({ name }: { name: string }) => name)).toContain('waves');
  });

  it('knows users by their certificates, also such that are added later', async () => {
    const api = await open({ users: [{ name: 'jane', groups: ['devs'] }] });
    expect(await seenAs(api, 'jane')).toEqual({ username: 'jane', groups: ['devs', 'system:authenticated'] });
    expect(await seenAs(api, 'admin')).toMatchObject({
      username: 'admin',
      groups: ['system:masters', expect.anything()],
    });
    const added = await api.addUser('mallory, O=system:masters', ['a', 'b']);
    expect(await seenAs(api, added.name)).toEqual({
      username: 'mallory, O=system:masters',
      groups: ['a', 'b', 'system:authenticated'],
    });
    expect((await callerOf(api, api.user('jane'))('GET', MAPS)).code).toBe(403);
    expect(readFileSync(api.user('jane').kubeconfig, 'utf8')).toContain(
      Buffer.from(api.user('jane').key).toString('base64'),
    );
    expect(() => api.user('joan')).toThrow('envtest() has no user "joan", but admin, jane, mallory');
    await expect(api.addUser('')).rejects.toThrow('the name of a user must be a non-empty string');
  });

  it('opens several at once, each with its own objects and users', async () => {
    const all = await Promise.all([open({ crds: CRDS }), open({ mode: 'controllers' }), open()]);
    expect(new Set(all.map(({ url }) => url)).size).toBe(3);
    const [first, second, third] = all;
    await callerOf(first, first)('POST', MAPS, { metadata: { name: 'own' } });
    const codes = await Promise.all(all.map(async (api) => (await callerOf(api, api)('GET', `${MAPS}/own`)).code));
    expect(codes).toEqual([200, 404, 404]);
    const kinds = await Promise.all(all.map(async (api) => (await callerOf(api, api)('GET', GREETINGS)).code));
    expect(kinds).toEqual([200, 404, 404]);
    expect((await callerOf(third, first.user('admin'))('GET', MAPS)).code).toBe(401);
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    await expect.poll(async () => (await callerOf(second, second)('GET', account)).code).toBe(200);
    expect((await callerOf(third, third)('GET', account)).code).toBe(404);
  });

  it('leaves nothing when it is closed', async () => {
    const api = await open();
    const folder = path.dirname(api.kubeconfig);
    expect(existsSync(folder)).toBe(true);
    await api.close();
    expect(existsSync(folder)).toBe(false);
    await expect(callerOf(api, api)('GET', MAPS)).rejects.toThrow('ECONNREFUSED');
    await api.close();
  });

  it('runs Pods in mode run, and ends them with it', async () => {
    const api = await open({ mode: 'run' });
    const send = callerOf(api, api);
    const containers = [{ name: 'c', image: 'i', command: ['sleep', '600'] }];
    expect(
      (await send('POST', '/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec: { containers } })).code,
    ).toBe(201);
    const phase = async (): Promise<string> =>
      (await send('GET', '/api/v1/namespaces/default/pods/p')).body.status.phase;
    await expect.poll(phase).toBe('Running');
  });
});

describe('a mistake', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-definitions-'));
  const good = readFileSync(path.join(CRDS, 'bases/greetings.yaml'), 'utf8');
  afterEach(() => readdirSync(folder).forEach((name) => removeTree(path.join(folder, name))));
  afterAll(() => removeTree(folder));

  const written = (definition: string): string => {
    writeFileSync(path.join(folder, 'a.yaml'), definition);
    return folder;
  };

  it('in a definition is an error with its place', async () => {
    const crds = written(good.replace('scope: Namespaced', 'scope: Everywhere'));
    await expect(envtest({ crds })).rejects.toMatchObject({
      name: 'ManifestError',
      message: expect.stringMatching(
        /^The CustomResourceDefinition "greetings.example.com" is invalid: spec.scope: .*a.yaml:7:10\)$/,
      ),
      problems: [{ field: 'spec.scope', line: 7, column: 10 }],
    });
  });

  it('in the text of a definition is an error with its place', async () => {
    await expect(envtest({ crds: written('kind: [') })).rejects.toThrow(/a.yaml:1/);
  });

  it('of a path is an error, and so is a folder without definitions', async () => {
    await expect(envtest({ crds: 'no/such/folder' })).rejects.toThrow('the path "no/such/folder" does not exist');
    await expect(
      envtest({ crds: written('apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n') }),
    ).rejects.toThrow('there is no CustomResourceDefinition in these manifests');
  });

  it('of two definitions for one kind is an error with the place of the second', async () => {
    writeFileSync(path.join(folder, 'b.yaml'), good);
    await expect(envtest({ crds: written(good) })).rejects.toThrow(
      /customresourcedefinitions.apiextensions.k8s.io "greetings.example.com" already exists \(.*b.yaml:1:1\)/,
    );
  });

  it('of a field that nothing knows is a warning', async () => {
    const warnings: string[] = [];
    // A document without a kind is no definition.
    writeFileSync(path.join(folder, 'kustomizeconfig.yaml'), 'nameReference: [{ kind: Service, version: v1 }]\n');
    await open({
      crds: written(good.replace('scope:', 'scopes: [a]\n  scope:')),
      onWarning: (line) => warnings.push(line),
    });
    expect(warnings).toEqual([expect.stringMatching(/^unknown field "spec.scopes" \(.*a.yaml:7:\d+\)$/)]);
  });

  it('in a webhook is an error, in the words of the server', async () => {
    const config = 'apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n';
    const webhooks = { yaml: `${config}metadata: { name: a }\nwebhooks: [{ name: b }]\n`, name: 'hooks.yaml' };
    await expect(envtest({ webhooks })).rejects.toThrow(
      /^ValidatingWebhookConfiguration.* "a" is invalid: [^]*webhooks\[0\]\.[^]* \(hooks.yaml:1:1\)$/,
    );
    await expect(envtest({ webhooks: path.join(CRDS, 'bases') })).rejects.toThrow(
      'there is no MutatingWebhookConfiguration or ValidatingWebhookConfiguration in these manifests',
    );
  });

  it('of an option is an error', async () => {
    await expect(envtest({ crd: CRDS } as object)).rejects.toThrow('envtest() has no option crd, did you mean crds?');
    await expect(envtest({ mode: 'all' } as object)).rejects.toThrow("option mode of envtest() must be 'api' or");
    await expect(envtest({ users: ['jane'] } as object)).rejects.toThrow(
      'option users of envtest() must be like [{ name:',
    );
    await expect(envtest({ crds: 7 as unknown as object })).rejects.toThrow('envtest() needs manifests');
  });
});

it('webhooks lead to a server of the test', async () => {
  const service = { namespace: 'system', name: 'webhooks', path: '/check' };
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  const webhook = {
    name: 'check.example.com',
    clientConfig: { service },
    rules,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
  };
  const api = await open({
    webhooks: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'checks' },
      webhooks: [webhook],
    },
  });
  const { host, port, cert, key } = api.webhookServer;
  const server = createServer({ cert, key }, (request, response) => {
    void text(request).then((review) => {
      const { uid, object } = JSON.parse(review).request;
      const allowed = object.metadata.name !== 'bad';
      const status = { message: `no ${new URL(request.url ?? '', 'https://a').pathname}` };
      response.setHeader('content-type', 'application/json');
      const answer = { uid, allowed, ...(!allowed && { status }) };
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
    });
  });
  await once(server.listen(port, host), 'listening');
  try {
    const send = callerOf(api, api);
    expect((await send('POST', MAPS, { metadata: { name: 'good' } })).code).toBe(201);
    const { code, body } = await send('POST', MAPS, { metadata: { name: 'bad' } });
    expect([code, body.message]).toEqual([400, 'admission webhook "check.example.com" denied the request: no /check']);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
