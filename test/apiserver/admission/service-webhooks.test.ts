import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeCertificates } from '../../../src/server/http/certificates.ts';
import { startServer, type TestServer } from '../../server/start-server.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

let server: TestServer;
let hook: Server;
let hookPort: number;
let caBundle: string;
/** The path, the host and the name in TLS of each call. */
let calls: string[];

beforeAll(async () => {
  server = await startServer();
  const names = ['hook.default.svc', 'headless.default.svc', 'nobody.default.svc'];
  const { ca, server: pair } = await makeCertificates({ names, addresses: [] }, Date.now());
  caBundle = Buffer.from(ca.certificate).toString('base64');
  hook = createServer({ cert: pair.certificate, key: pair.key }, (incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    incoming.on('end', () => {
      const { request } = JSON.parse(text) as { readonly request: { readonly uid: string } };
      calls.push(`${incoming.headers.host} ${incoming.url}`);
      response.end(JSON.stringify({ response: { uid: request.uid, allowed: false, status: { message: 'no' } } }));
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  hookPort = (hook.address() as AddressInfo).port;
  // The API takes no Endpoints on loopback, but a Pod of the network of this machine has such an address.
  for (const name of ['hook', 'other']) {
    const metadata = { name: `${name}-1`, namespace: 'default', labels: { 'kubernetes.io/service-name': name } };
    const slice = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, addressType: 'IPv4' };
    const endpoints = [{ addresses: ['127.0.0.1'], conditions: { ready: true } }];
    server.store.create('endpointslices', { ...slice, endpoints, ports: [{ port: hookPort }] } as never);
  }
  const ports = [{ port: 443 }];
  for (const name of ['hook', 'nobody', 'other']) {
    await server.post(`${NAMESPACE}/services`, { metadata: { name }, spec: { ports } });
  }
  await server.post(`${NAMESPACE}/services`, { metadata: { name: 'headless' }, spec: { clusterIP: 'None', ports } });
  const elsewhere = { type: 'ExternalName', externalName: 'example.com' };
  await server.post(`${NAMESPACE}/services`, { metadata: { name: 'elsewhere' }, spec: elsewhere });
});

beforeEach(() => {
  calls = [];
});

afterAll(async () => {
  await server.close();
  hook.close();
  hook.closeAllConnections();
});

const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];

async function refusal(service: object, change: object = {}): Promise<string> {
  const clientConfig = { service: { namespace: 'default', ...service }, caBundle };
  const shared = { name: 'a.example.com', rules, sideEffects: 'None', admissionReviewVersions: ['v1'], ...change };
  await server.post(HOOKS, { metadata: { name: 'w' }, webhooks: [{ ...shared, clientConfig }] });
  try {
    const path = `${NAMESPACE}/configmaps?dryRun=All`;
    const { body } = await server.post(path, { metadata: { name: 'a' } });
    return String(body.message ?? body.kind);
  } finally {
    await server.request('DELETE', `${HOOKS}/w`);
  }
}

it('a webhook behind a Service is called at a ready endpoint, as the host in its certificate', async () => {
  expect(await refusal({ name: 'hook', path: '/check' }, { timeoutSeconds: 3 })).toBe(
    'admission webhook "a.example.com" denied the request: no',
  );
  expect(calls).toEqual(['hook.default.svc:443 /check?timeout=3s']);
});

it.each([
  ['nobody', {}, /dial tcp 10\.96\.[\d.]+:443: connect: connection refused$/],
  ['hook', { port: 8443 }, /: no service port 8443 found for service "hook"$/],
  ['headless', {}, /: cannot route to service with ClusterIP "None"$/],
  ['nosuch', {}, /: service "nosuch" not found$/],
  ['other', {}, /does not match certificate/],
])('a webhook behind the Service %s that cannot be called refuses the write', async (name, service, why) => {
  const { port = 443 } = service as { readonly port?: number };
  const message = await refusal({ name, ...service });
  const head = 'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: ';
  expect(message.slice(0, head.length)).toBe(head);
  expect(message.slice(head.length)).toContain(`Post "https://${name}.default.svc:${port}/?timeout=10s": `);
  expect(message).toMatch(why);
  expect(calls).toEqual([]);
});

it('a webhook behind a name of another machine is not called', async () => {
  expect(await refusal({ name: 'elsewhere' })).toBe('ConfigMap');
});
