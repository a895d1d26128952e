import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.ts';

const CORE = '/api/v1/namespaces/default';
const STORAGE = '/apis/storage.k8s.io/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const MERGE = { 'content-type': 'application/merge-patch+json' };

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const named = (name: string, fields: object = {}): object => ({ metadata: { name }, ...fields });

describe('what Go does not write when it is empty', () => {
  it('has no manager when a patch names it, nor is it in conflict with an apply', async () => {
    const claims = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
    const requests = [{ name: 'r', exactly: { deviceClassName: 'c' } }];
    await server.post(claims, named('c', { spec: { devices: { requests } } }));
    const status = { reservedFor: [] };
    const patched = await server.request('PATCH', `${claims}/c/status`, { status }, MERGE);
    expect(patched.body.metadata.managedFields).toHaveLength(1);
    expect(patched.body.status).toEqual({});
    const applied = await server.request(
      'PATCH',
      `${claims}/c/status?fieldManager=st`,
      JSON.stringify({ apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name: 'c' }, status }),
      { 'content-type': 'application/apply-patch+yaml' },
    );
    expect([applied.code, applied.body.metadata.managedFields.length]).toEqual([200, 1]);
  });

  it('takes the finalizers from their manager', async () => {
    await server.post(`${CORE}/configmaps`, { metadata: { name: 'f', finalizers: ['example.com/f'] } });
    const { body } = await server.request('PATCH', `${CORE}/configmaps/f`, { metadata: { finalizers: [] } }, MERGE);
    expect(body.metadata).not.toHaveProperty('managedFields');
  });

  it('is the name of a reference; the item has its key all the same', async () => {
    const spec = { containers: [{ name: 'm', image: 'i' }], imagePullSecrets: [{ name: '' }] };
    const { body, headers } = await server.post(`${CORE}/pods?dryRun=All`, named('p', { spec }));
    expect(body.spec.imagePullSecrets).toEqual([{}]);
    expect(headers['warning']).toContain('spec.imagePullSecrets[0].name: invalid empty name');
    expect(body.metadata.managedFields[0].fieldsV1['f:spec']['f:imagePullSecrets']).toEqual({
      '.': {},
      'k:{"name":""}': {},
    });
  });

  it('leaves an object reference without a key, and its object without managers', async () => {
    const { body } = await server.post(`${CORE}/serviceaccounts?dryRun=All`, named('s', { secrets: [{ name: '' }] }));
    expect(body.secrets).toEqual([{}]);
    expect(body.metadata).not.toHaveProperty('managedFields');
  });
});

describe('what Go writes always', () => {
  it.each([`${RBAC}/namespaces/default/roles`, `${RBAC}/clusterroles`])(
    'is null for absent rules, which have no manager: %s',
    async (roles) => {
      const { body } = await server.post(roles, { metadata: { name: 'none', labels: { a: 'b' } } });
      expect(body.rules).toBeNull();
      expect(Object.keys(body.metadata.managedFields[0].fieldsV1)).toEqual(['f:metadata']);
    },
  );

  it('is the spec of a CSIDriver, with defaults that its creator owns', async () => {
    const { body } = await server.post(`${STORAGE}/csidrivers?dryRun=All`, named('d.example.com'));
    expect(body.spec).toMatchObject({ attachRequired: true, fsGroupPolicy: 'ReadWriteOnceWithFSType' });
    expect(body.metadata.managedFields[0].fieldsV1['f:spec']).toHaveProperty('f:attachRequired');
  });
});

describe('a CSIDriver', () => {
  it('has a generation from the first change of a field that may change', async () => {
    const made = await server.post(`${STORAGE}/csidrivers`, named('g.example.com', { spec: {} }));
    expect(made.body.metadata).not.toHaveProperty('generation');
    const patch = (spec: object) => server.request('PATCH', `${STORAGE}/csidrivers/g.example.com`, { spec }, MERGE);
    expect((await patch({ requiresRepublish: true })).body.metadata.generation).toBe(1);
    expect((await patch({ seLinuxMount: true })).body.metadata.generation).toBe(2);
  });
});

describe('a Lease', () => {
  it('loses the fields of coordinated elections, which are off', async () => {
    const spec = { holderIdentity: 'a', strategy: 'foo', preferredHolder: 'b' };
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const { body } = await server.post(`${leases}?dryRun=All`, named('l', { spec }));
    expect(body.spec).toEqual({ holderIdentity: 'a' });
  });
});

describe('a generated name', () => {
  it('comes after the managers: the label of a Namespace with it has none', async () => {
    const { body } = await server.post('/api/v1/namespaces', { metadata: { generateName: 'ns-', labels: { a: 'b' } } });
    expect(body.metadata.labels).toEqual({ a: 'b', 'kubernetes.io/metadata.name': body.metadata.name });
    expect(body.metadata.managedFields[0].fieldsV1['f:metadata']['f:labels']).toEqual({ '.': {}, 'f:a': {} });
  });
});

describe('a ResourceQuota', () => {
  it('is counted anew before the next request when it changes', async () => {
    const quotas = `${CORE}/resourcequotas`;
    await server.post(quotas, named('q', { spec: { hard: { pods: '10' } } }));
    expect((await server.get(`${quotas}/q`)).body.status.hard).toEqual({ pods: '10' });
    await server.request('PATCH', `${quotas}/q`, { spec: { hard: { pods: '20' } } }, MERGE);
    expect((await server.get(`${quotas}/q`)).body.status.hard).toEqual({ pods: '20' });
  });
});
