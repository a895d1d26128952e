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

  it('are in conflict with a stale one, whatever it says', async () => {
    const stale = { ...event, metadata: { name: 'told', resourceVersion: '1' }, note: 'another' };
    expect((await server.request('PUT', `${events}/told`, JSON.stringify(stale))).body).toMatchObject({ code: 409 });
  });

  it('are patched and deleted by these names', async () => {
    const refused = await patch(`${events}/told`, { note: 'another' });
    expect(refused.body.message).toContain('message: Invalid value: "another": field is immutable');
    const series = { count: 2, lastObservedTime: '2026-01-15T12:00:01.000000Z' };
    expect((await patch(`${events}/told`, { series })).body).toMatchObject({ note: 'a story', series });
    const core = '/api/v1/namespaces/default/events/told';
    expect((await patch(core, { message: 'another' })).body).toMatchObject({ message: 'another', series });
    expect((await server.post(events, { ...event, eventTime: null })).body).toMatchObject({ code: 422 });
    expect((await server.request('DELETE', `${events}/told`)).code).toBe(200);
    expect((await server.get(`${events}/told`)).code).toBe(404);
  });
});

describe('kinds without controllers', () => {
  it('HorizontalPodAutoscalers have a metric from the start, and no warning: their controller runs', async () => {
    const spec = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 3 };
    const { code, headers, body } = await server.post(
      '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
      { metadata: { name: 'web' }, spec },
    );
    const target = { type: 'Utilization', averageUtilization: 80 };
    const metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
    expect([code, body.spec]).toEqual([201, { minReplicas: 1, metrics, ...spec }]);
    expect(headers['warning']).toBeUndefined();
  });

  it('HorizontalPodAutoscalers of both versions are the same objects', async () => {
    const [old, fresh] = ['v1', 'v2'].map((v) => `/apis/autoscaling/${v}/namespaces/default/horizontalpodautoscalers`);
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'both' };
    const metric = (name: string, averageUtilization: number): object => ({
      type: 'Resource',
      resource: { name, target: { type: 'Utilization', averageUtilization } },
    });
    const spec = { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 80 };
    await server.post(`${old}`, { metadata: { name: 'both' }, spec });
    const metrics = [metric('cpu', 80), metric('memory', 50)];
    const { body } = await server.get(`${fresh}/both`);
    expect(body).toMatchObject({ apiVersion: 'autoscaling/v2', spec: { metrics: [metric('cpu', 80)] } });
    await server.request('PUT', `${fresh}/both`, { ...body, spec: { ...body.spec, metrics } });
    const { body: shown } = await server.get(`${old}/both`);
    expect(shown).toMatchObject({ apiVersion: 'autoscaling/v1', spec });
    const changed = { ...shown, spec: { ...shown.spec, targetCPUUtilizationPercentage: 70 } };
    expect((await server.request('PUT', `${old}/both`, changed)).body.spec.targetCPUUtilizationPercentage).toBe(70);
    const { body: last } = await server.get(`${fresh}/both`);
    // The conversion of Kubernetes takes the metrics of the annotation first, then the percentage.
    expect(last).toMatchObject({ spec: { metrics: [metric('memory', 50), metric('cpu', 70)] } });
    expect(last.metadata.annotations).toBeUndefined();
  });

  it.each([
    ['flowcontrol.apiserver.k8s.io/v1/flowschemas', { spec: { priorityLevelConfiguration: { name: 'global' } } }],
    [
      'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
      { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } },
    ],
    [
      'apiregistration.k8s.io/v1/apiservices',
      { spec: { group: 'x.io', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 } },
    ],
  ])('%s have a status of their own', async (resource, object) => {
    const name = resource.endsWith('apiservices') ? 'v1.x.io' : 'x';
    const path = `/apis/${resource}`;
    const conditions = [{ type: 'Patched', status: 'True', reason: 'Test', message: 'by a test' }];
    const made = await server.post(`${path}?fieldValidation=Strict`, { metadata: { name }, ...object });
    // Other API servers are asked, other kinds have no effect.
    const isWarned = !resource.endsWith('apiservices');
    expect([made.code, made.headers['warning']?.includes('podrun ') ?? false]).toEqual([201, isWarned]);
    const merge = { 'content-type': 'application/merge-patch+json' };
    const { body } = await server.request('PATCH', `${path}/${name}/status`, { status: { conditions } }, merge);
    expect(body).toMatchObject({ ...object, status: { conditions } });
    const wrong = await server.post(`${path}?fieldValidation=Strict`, { metadata: { name: 'y' }, spec: { x: 1 } });
    expect(wrong.body.message).toContain('unknown field "spec.x"');
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
      { roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'ServiceAccount' }] },
      /subjects\[0\].name: Required value$/,
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

  it.each([
    ['device.driver == "x" && device.attributes["x"].cores.isGreaterThan(quantity("1"))', 201, undefined],
    ['semver("1.0.0").isLessThan(device.attributes["x"].version)', 201, undefined],
    ['device.driver', 422, 'must evaluate to bool or the unknown type, not string'],
    ['1 +', 422, 'compilation failed: ERROR: <input>:1:4: Syntax error'],
  ])('select devices with %s', async (expression, code, why = '') => {
    const spec = { selectors: [{ cel: { expression } }] };
    const made = await server.post('/apis/resource.k8s.io/v1/deviceclasses?dryRun=All', {
      metadata: { name: 'd' },
      spec,
    });
    expect([made.code, made.body.message ?? '']).toEqual([code, expect.stringContaining(why)]);
    const devices = { requests: [{ name: 'r', exactly: { deviceClassName: 'd', ...spec } }] };
    const claims = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims?dryRun=All';
    expect((await server.post(claims, { metadata: { name: 'c' }, spec: { devices } })).code).toBe(code);
  });

  it('approve a CertificateSigningRequest, which no signer signs', async () => {
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const request = Buffer.from('-----BEGIN CERTIFICATE REQUEST-----').toString('base64');
    const spec = { request, signerName: 'example.com/x', usages: ['client auth'] };
    const { body } = await server.post(path, { metadata: { name: 'me' }, spec: { ...spec, username: 'other' } });
    const user = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
    expect(body.spec).toEqual({ ...spec, ...user });
    const status = { conditions: [{ type: 'Approved', status: 'True', reason: 'Asked', message: 'by me' }] };
    const approved = await server.request('PUT', `${path}/me/approval`, { ...body, status });
    expect([approved.code, approved.body.status]).toMatchObject([200, status]);
    const times = { lastUpdateTime: expect.any(String), lastTransitionTime: expect.any(String) };
    expect(approved.body.status.conditions).toEqual([{ ...status.conditions[0], ...times }]);
    const changed = { ...approved.body, spec: { ...spec, signerName: 'example.com/y' } };
    expect((await server.request('PUT', `${path}/me`, changed)).body.spec).toEqual({ ...spec, ...user });
    const found = await server.get(`${path}?fieldSelector=spec.signerName%3Dexample.com/x`);
    expect(found.body.items).toHaveLength(1);
  });
});

describe('writes', () => {
  it('create what an update names, for some kinds', async () => {
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/held';
    const body = { metadata: { name: 'held' }, spec: { holderIdentity: 'me' } };
    const created = await server.request('PUT', lease, body);
    expect(created.code).toBe(201);
    expect((await server.request('PUT', lease, created.body)).code).toBe(200);
    const { code, body: refusal } = await server.request('PUT', lease, body);
    expect([code, refusal.message]).toEqual([
      422,
      'leases.coordination.k8s.io "held" is invalid: metadata.resourceVersion: Invalid value: 0: ' +
        'must be specified for an update',
    ]);
    const map = '/api/v1/namespaces/default/configmaps/none';
    expect((await server.request('PUT', map, { metadata: { name: 'none' } })).code).toBe(404);
  });

  it('of a status change labels, have a manager, and leave the spec', async () => {
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    await server.post(budgets, { metadata: { name: 'b' }, spec: { minAvailable: 1, selector: {} } });
    const path = `${budgets}/b/status?fieldManager=watcher`;
    const change = { metadata: { labels: { seen: 'yes' } }, spec: { minAvailable: 5 }, status: { currentHealthy: 7 } };
    const { body } = await patch(path, change);
    expect(body).toMatchObject({ metadata: { labels: { seen: 'yes' } }, spec: { minAvailable: 1 } });
    // A moment later, the server counts again.
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

  it('keep a Namespace with finalizers until they are gone', async () => {
    const namespace = '/api/v1/namespaces/final';
    await server.request('DELETE', namespace);
    const { body } = await server.get(namespace);
    expect(body.status.phase).toBe('Terminating');
    // The conditions of the deletion may come meanwhile: an update with a version would be a conflict then.
    const { resourceVersion: _, ...metadata } = body.metadata;
    const finalized = { ...body, metadata, spec: { finalizers: ['kubernetes'] } };
    expect((await server.request('PUT', `${namespace}/finalize`, finalized)).code).toBe(200);
    await expect.poll(async () => (await server.get(namespace)).code).toBe(404);
  });
});

it('quotas and PodDisruptionBudgets tell what is used, and what may be evicted', async () => {
  await server.post('/api/v1/namespaces', { metadata: { name: 'counted' } });
  const inside = '/api/v1/namespaces/counted';
  const pod = { metadata: { name: 'a', labels: { app: 'a' } }, spec: { containers: [{ name: 'main', image: 'b' }] } };
  await server.post(`${inside}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { pods: '2' } } });
  const budgets = '/apis/policy/v1/namespaces/counted/poddisruptionbudgets';
  const spec = { minAvailable: 0, selector: { matchLabels: { app: 'a' } } };
  await server.post(budgets, { metadata: { name: 'b' }, spec });
  await server.post(`${inside}/pods`, pod);
  await expect
    .poll(async () => (await server.get(`${inside}/resourcequotas/q`)).body.status)
    .toEqual({ hard: { pods: '2' }, used: { pods: '1' } });
  await expect.poll(async () => (await server.get(`${budgets}/b`)).body.status?.expectedPods).toBe(1);
  const ready = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
  await patch(`${inside}/pods/a/status`, ready);
  await expect
    .poll(async () => (await server.get(`${budgets}/b`)).body.status)
    .toMatchObject({ currentHealthy: 1, disruptionsAllowed: 1, observedGeneration: 1 });
});

it('a TokenReview returns the user of a token', async () => {
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

  it('keep their namespace until then', async () => {
    await server.post('/api/v1/namespaces', { metadata: { name: 'wardrobe' } });
    const inside = shirts.replace('/default/', '/wardrobe/');
    const metadata = { name: 'last', finalizers: ['example.com/hold'] };
    await server.post(inside, { apiVersion: 'example.com/v1', kind: 'Shirt', metadata });
    await server.request('DELETE', '/api/v1/namespaces/wardrobe');
    await expect
      .poll(async () => (await server.get(`${inside}/last`)).body.metadata.deletionTimestamp)
      .toBeTypeOf('string');
    const { conditions } = (await server.get('/api/v1/namespaces/wardrobe')).body.status;
    expect(conditions).toContainEqual(
      expect.objectContaining({ message: 'Some resources are remaining: shirts.example.com has 1 resource instances' }),
    );
    await patch(`${inside}/last`, { metadata: { finalizers: null } });
    await expect.poll(async () => (await server.get('/api/v1/namespaces/wardrobe')).code).toBe(404);
  });
});
