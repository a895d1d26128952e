import { Agent, createServer, request, type Server } from 'node:https';
import { type AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeCertificates } from '../../src/server/http/certificates.ts';
import { startServer, type TestAnswer, type TestServer } from './start-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const FOOS = '/apis/typed.example.com/v1/namespaces/default/foos';
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

const spec = { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } };
const status = { type: 'object', properties: { conditions: { type: 'array', items: { type: 'string' } } } };
const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status } } };
/** A definition as the typed client of envtest sends it. */
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'foos.typed.example.com', creationTimestamp: null },
  spec: {
    group: 'typed.example.com',
    names: { plural: 'foos', kind: 'Foo' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }],
  },
  status: { acceptedNames: { plural: '', kind: '' }, conditions: null, storedVersions: null },
};
const foo = (name: string, fields: object): object => ({
  apiVersion: 'typed.example.com/v1',
  kind: 'Foo',
  metadata: { name, creationTimestamp: null },
  ...fields,
});

let server: TestServer;
/** The response to the definition. */
let defined: TestAnswer;
let hook: Server;
/** The certificate of the webhook, without a CA, as envtest makes it the caBundle. */
let caBundle: string;
/** The paths of the calls of the webhook. */
let calls: string[];

beforeAll(async () => {
  server = await startServer();
  defined = await server.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  const { server: pair } = await makeCertificates({ names: ['localhost'], addresses: ['127.0.0.1'] }, Date.now());
  caBundle = Buffer.from(pair.certificate).toString('base64');
  hook = createServer({ cert: pair.certificate, key: pair.key }, (incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    incoming.on('end', () => {
      const { request: asked } = JSON.parse(text) as { readonly request: { readonly uid: string } };
      calls.push(incoming.url ?? '');
      response.end(
        JSON.stringify({ response: { uid: asked.uid, allowed: false, status: { code: 403, message: 'no' } } }),
      );
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
});

beforeEach(() => {
  calls = [];
});

afterAll(async () => {
  await server.close();
  hook.close();
  hook.closeAllConnections();
});

describe('an object from a typed client in Go', () => {
  it('may be a definition with nulls in its status', () => {
    expect(defined.code).toBe(201);
  });

  it('may have null for a list, which is dropped', async () => {
    const { code, body } = await server.post(FOOS, foo('nulls', { spec: { list: null } }));
    expect([code, body.spec]).toEqual([201, {}]);
  });

  it('may have a status that its schema forbids: a new object gets none', async () => {
    const { code, body } = await server.post(FOOS, foo('status', { spec: {}, status: { conditions: 'no' } }));
    expect([code, body.status]).toEqual([201, undefined]);
  });
});

describe('a webhook of envtest', () => {
  const hookFor = (operation: string, group: string, resource: string): object => {
    const { port } = hook.address() as AddressInfo;
    const rules = [{ operations: [operation], apiGroups: [group], apiVersions: ['v1'], resources: [resource] }];
    const clientConfig = { url: `https://127.0.0.1:${port}//validate-typed`, caBundle };
    const webhook = {
      name: 'a.example.com',
      rules,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig,
    };
    return { metadata: { name: 'typed' }, webhooks: [webhook] };
  };

  it('is trusted by its own certificate, and called at a path with one slash', async () => {
    expect((await server.post(HOOKS, hookFor('CREATE', '', 'configmaps'))).code).toBe(201);
    try {
      const { code, body } = await server.post(MAPS, { metadata: { name: 'hooked' } });
      expect([code, body.message]).toEqual([403, 'admission webhook "a.example.com" denied the request: no']);
      expect(calls).toEqual(['/validate-typed?timeout=10s']);
    } finally {
      await server.request('DELETE', `${HOOKS}/typed`);
    }
  });

  it.each([
    {
      what: 'a custom object',
      path: FOOS,
      group: 'typed.example.com',
      resource: 'foos',
      change: { spec: { list: 'text' } },
      message: 'spec.list in body must be',
    },
    {
      what: 'an object of Kubernetes',
      path: MAPS,
      group: '',
      resource: 'configmaps',
      change: { data: { 'a b': '' } },
      message: 'a valid config key must consist',
    },
  ])('does not see an update that makes $what invalid', async ({ path, group, resource, change, message }) => {
    const created = await server.post(path, {
      ...foo('update', {}),
      ...(group === '' && { apiVersion: 'v1', kind: 'ConfigMap' }),
    });
    expect(created.code).toBe(201);
    expect((await server.post(HOOKS, hookFor('UPDATE', group, resource))).code).toBe(201);
    try {
      const refused = await server.request('PUT', `${path}/update`, { ...created.body, ...change });
      expect([refused.code, refused.body.message]).toEqual([422, expect.stringContaining(message)]);
      expect(calls).toEqual([]);
      const labels = { changed: 'yes' };
      const denied = await server.request('PUT', `${path}/update`, {
        ...created.body,
        metadata: { ...created.body.metadata, labels },
      });
      expect([denied.code, calls.length]).toEqual([403, 1]);
    } finally {
      await server.request('DELETE', `${HOOKS}/typed`);
    }
  });
});

/**
 * Records what is written into the sockets of this process, in order: the types of events, and the codes of responses.
 * What has been written arrives in that order at a client that reads both.
 */
function recordWrites(): string[] {
  const written: string[] = [];
  const note = (chunk: unknown): void => {
    for (const [, type, code] of String(chunk).matchAll(/\{"type":"([A-Z]+)"|^HTTP\/1\.1 (\d+)/g))
      written.push(type ?? code ?? '');
  };
  // oxlint-disable-next-line typescript/unbound-method -- called with the socket below
  const { _write: write, _writev: writeAll } = Socket.prototype;
  vi.spyOn(Socket.prototype, '_write').mockImplementation(function (this: Socket, chunk: unknown, ...rest) {
    note(chunk);
    write.call(this, chunk, ...rest);
  });
  vi.spyOn(Socket.prototype, '_writev').mockImplementation(function (this: Socket, chunks, ...rest) {
    for (const { chunk } of chunks) note(chunk);
    writeAll?.call(this, chunks, ...rest);
  });
  return written;
}

describe('a watch', () => {
  it('has the event of each write in its socket before the response is in the socket of the writer', async () => {
    const agent = new Agent({ ca: server.ca, keepAlive: true });
    const headers = { authorization: `Bearer ${server.token}` };
    const from = (await server.get(MAPS)).body.metadata.resourceVersion as string;
    const url = `${server.url}${MAPS}?watch=1&resourceVersion=${from}`;
    const watch = request(url, { agent, headers, servername: 'localhost' }, (response) => response.resume());
    const opened = new Promise((resolve) => watch.once('response', resolve));
    watch.end();
    await opened;
    const merge = { 'content-type': 'application/merge-patch+json' };
    const map = { metadata: { name: 'early' }, data: { key: 'value' } };
    const written = recordWrites();
    // A watch that wrote a moment ago holds its next events back for a moment, but not beyond a write.
    const rounds = 5;
    try {
      for (let round = 0; round < rounds; round++) {
        await server.post(MAPS, map);
        await server.request('PUT', `${MAPS}/early`, { ...map, data: { key: 'other' } });
        await server.request('PATCH', `${MAPS}/early`, { data: { key: 'third' } }, merge);
        await server.request('DELETE', `${MAPS}/early`);
      }
    } finally {
      vi.restoreAllMocks();
      watch.destroy();
      agent.destroy();
    }
    const once = ['ADDED', '201', 'MODIFIED', '200', 'MODIFIED', '200', 'DELETED', '200'];
    expect(written).toEqual(Array.from({ length: rounds }, () => once).flat());
  });
});
