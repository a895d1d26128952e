import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

const merge = { 'content-type': 'application/merge-patch+json' };
const patch = (path: string, body: unknown): ReturnType<TestServer['request']> =>
  server.request('PATCH', path, JSON.stringify(body), merge);

describe('Events of events.k8s.io', () => {
  const events = '/apis/events.k8s.io/v1/namespaces/default/events';
  const event = {
    metadata: { name: 'told' },
    eventTime: '2026-01-15T12:00:00.000000Z',
    reportingController: 'example.com/teller',
    reportingInstance: 'teller-1',
    action: 'Tell',
    reason: 'Told',
    type: 'Normal',
    note: 'a story',
    regarding: { kind: 'Pod', namespace: 'default', name: 'web' },
  };

  it('are the Events of the core group, with other names of their fields', async () => {
    const { code, body } = await server.post(events, event);
    expect([code, body]).toMatchObject([201, { apiVersion: 'events.k8s.io/v1', note: 'a story' }]);
    const core = await server.get('/api/v1/namespaces/default/events/told');
    expect(core.body).toMatchObject({ apiVersion: 'v1', message: 'a story', involvedObject: { name: 'web' } });
    const found = await server.get(
      `${events}?fieldSelector=reportingController%3Dexample.com/teller,regarding.name%3Dweb`,
    );
    expect(found.body.items).toMatchObject([{ note: 'a story', regarding: { name: 'web' } }]);
  });

  it('are patched and deleted by these names', async () => {
    expect((await patch(`${events}/told`, { note: 'another' })).body).toMatchObject({ note: 'another' });
    expect(server.store.get('events', 'default', 'told')).toMatchObject({ message: 'another' });
    expect((await server.request('DELETE', `${events}/told`)).code).toBe(200);
    expect((await server.get(`${events}/told`)).code).toBe(404);
  });
});

describe('kinds without controllers', () => {
  it('are stored, and the one who creates them is told', async () => {
    const spec = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 3 };
    const { code, headers, body } = await server.post(
      '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
      { metadata: { name: 'web' }, spec },
    );
    expect([code, body.spec]).toEqual([201, spec]);
    expect(headers['warning']).toContain('podrun has no autoscaler');
  });

  it('have checked fields', async () => {
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases?fieldValidation=Strict';
    const { code, body } = await server.post(leases, { metadata: { name: 'l' }, spec: { holder: 'me' } });
    expect([code, body.message]).toEqual([400, expect.stringContaining('unknown field "spec.holder"')]);
    const wrong = await server.post(leases, { metadata: { name: 'l' }, spec: { leaseDurationSeconds: 'x' } });
    expect(wrong.code).toBe(400);
  });

  it.each([
    ['roles', { rules: [{ verbs: [], resources: ['pods'] }] }, /rules\[0\].verbs: Required value: verbs must contain/],
    ['rolebindings', { roleRef: { kind: 'X', name: 'r' } }, /roleRef.kind: Unsupported value: "X": supported values/],
    [
      'rolebindings',
      { roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'ServiceAccount', name: 'a' }] },
      /subjects\[0\].namespace: Required value$/,
    ],
  ])('of RBAC are valid: %s %j', async (plural, object, message) => {
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/default/${plural}`;
    const { code, body } = await server.post(path, { metadata: { name: 'r' }, ...object });
    expect([code, body.message]).toEqual([422, expect.stringMatching(message)]);
  });

  it('of no namespace are replaced', async () => {
    const path = '/apis/storage.k8s.io/v1/storageclasses';
    expect((await server.post(path, { metadata: { name: 'fast' } })).code).toBe(422);
    const { body } = await server.post(path, { metadata: { name: 'fast' }, provisioner: 'example.com/disk' });
    expect(body).toMatchObject({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
    expect(body.metadata.namespace).toBeUndefined();
    const changed = await server.request('PUT', `${path}/fast`, { ...body, allowVolumeExpansion: true });
    expect([changed.code, changed.body]).toMatchObject([200, { allowVolumeExpansion: true }]);
  });

  it('approve a CertificateSigningRequest, which nobody signs', async () => {
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const spec = { request: 'YQ==', signerName: 'example.com/x', usages: ['client auth'] };
    const { body } = await server.post(path, { metadata: { name: 'me' }, spec });
    const status = { conditions: [{ type: 'Approved', status: 'True', reason: 'Asked', message: 'by me' }] };
    const approved = await server.request('PUT', `${path}/me/approval`, { ...body, status });
    expect([approved.code, approved.body.status]).toMatchObject([200, status]);
    const found = await server.get(`${path}?fieldSelector=spec.signerName%3Dexample.com/x`);
    expect(found.body.items).toHaveLength(1);
  });
});

describe('writes', () => {
  it('create what an update names, for some kinds', async () => {
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/held';
    const body = { metadata: { name: 'held' }, spec: { holderIdentity: 'me' } };
    expect((await server.request('PUT', lease, body)).code).toBe(201);
    expect((await server.request('PUT', lease, body)).code).toBe(200);
    const map = '/api/v1/namespaces/default/configmaps/none';
    expect((await server.request('PUT', map, { metadata: { name: 'none' } })).code).toBe(404);
  });

  it('of a status change labels, have a manager, and leave the spec', async () => {
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    await server.post(budgets, { metadata: { name: 'b' }, spec: { minAvailable: 1, selector: {} } });
    const path = `${budgets}/b/status?fieldManager=watcher`;
    const change = { metadata: { labels: { seen: 'yes' } }, spec: { minAvailable: 5 }, status: { currentHealthy: 7 } };
    expect((await patch(path, change)).code).toBe(200);
    const { body } = await server.get(`${budgets}/b`);
    expect(body).toMatchObject({ metadata: { labels: { seen: 'yes' } }, spec: { minAvailable: 1 } });
    expect(body.status.currentHealthy).toBe(7);
    expect(body.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'watcher', operation: 'Update', subresource: 'status' }),
    );
  });

  it('finalize a Namespace', async () => {
    const { body } = await server.post('/api/v1/namespaces', { metadata: { name: 'final' } });
    const spec = { finalizers: ['kubernetes', 'example.com/hold'] };
    const { code } = await server.request('PUT', '/api/v1/namespaces/final/finalize', { ...body, spec });
    expect([code, (await server.get('/api/v1/namespaces/final')).body.spec]).toEqual([200, spec]);
  });
});

it('a TokenReview answers the user of a token', async () => {
  const asked = await server.post('/api/v1/namespaces/default/serviceaccounts/default/token', { spec: {} });
  const { token } = asked.body.status as { token: string };
  const reviews = '/apis/authentication.k8s.io/v1/tokenreviews';
  const known = await server.post(reviews, { spec: { token } });
  expect(known.body.status).toMatchObject({
    authenticated: true,
    user: { username: 'system:serviceaccount:default:default' },
  });
  const unknown = await server.post(reviews, { spec: { token: 'x' } });
  expect(unknown.body.status).toMatchObject({ error: 'invalid bearer token' });
});

describe('custom resources', () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const shirts = '/apis/example.com/v1/namespaces/default/shirts';

  beforeAll(async () => {
    const color = { type: 'object', properties: { color: { type: 'string' } } };
    const version = {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: color } } },
      selectableFields: [{ jsonPath: '.spec.color' }],
    };
    await server.post(definitions, {
      metadata: { name: 'shirts.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'shirts', kind: 'Shirt' },
        versions: [version],
      },
    });
    const of = (name: string, text: string): object => ({
      apiVersion: 'example.com/v1',
      kind: 'Shirt',
      metadata: { name, finalizers: ['example.com/hold'] },
      spec: { color: text },
    });
    await server.post(shirts, of('one', 'blue'));
    await server.post(shirts, of('other', 'red'));
  });

  it('are selected by the fields that the definition names', async () => {
    const { body } = await server.get(`${shirts}?fieldSelector=spec.color%3Dblue`);
    expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['one']);
    expect((await server.get(`${shirts}?fieldSelector=spec.size%3Dxl`)).body.message).toMatch(/not supported/);
    const { text } = await server.get('/openapi/v3/apis/example.com/v1');
    expect(text).toContain('"x-kubernetes-selectable-fields":[{"fieldPath":"spec.color"}]');
  });

  it('go with their last finalizer', async () => {
    await server.request('DELETE', `${shirts}/one`);
    expect((await server.get(`${shirts}/one`)).body.metadata.deletionTimestamp).toBeTypeOf('string');
    expect((await patch(`${shirts}/one`, { metadata: { finalizers: null } })).code).toBe(200);
    expect((await server.get(`${shirts}/one`)).code).toBe(404);
  });
});
