import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ControlPlane } from './control-plane.ts';
import { TinyCa } from './tiny-ca.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

let plane: ControlPlane;
let send: ReturnType<ControlPlane['as']>;

beforeAll(async () => {
  plane = new ControlPlane();
  await plane.start();
  send = plane.as(plane.admin);
});

afterAll(() => plane.stop());

const named = (name: string, more: object = {}): object => ({ metadata: { name }, ...more });
const pod = (name: string, spec: object = {}): object =>
  named(name, { spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });

describe('a user of a suite', () => {
  it('is in a certificate, also one that is made after the start', async () => {
    const jane = plane.as(await plane.clients.client('jane', ['devs', 'ops']));
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { body } = await jane('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', review);
    expect(body.status.userInfo).toEqual({ username: 'jane', groups: ['devs', 'ops', 'system:authenticated'] });
    const { code, body: refusal } = await jane('GET', '/api/v1/nodes');
    expect([code, refusal.message]).toEqual([403, expect.stringContaining('User "jane" cannot list resource "nodes"')]);
  });

  it('is refused with a certificate of another CA', async () => {
    const other = await (await TinyCa.create('other')).client('admin', ['system:masters']);
    expect((await plane.as(other)('GET', '/api/v1/nodes')).code).toBe(401);
  });

  it('is anonymous without one, and sees whether the server is well', async () => {
    const anonymous = plane.as(undefined);
    const codes = ['/healthz', '/livez', '/readyz', '/version', '/api/v1/pods'].map((path) => anonymous('GET', path));
    expect((await Promise.all(codes)).map(({ code }) => code)).toEqual([200, 200, 200, 200, 403]);
  });

  it('may be a ServiceAccount with a token of the issuer in the flags, unless it has a certificate', async () => {
    await send('POST', `${NAMESPACE}/serviceaccounts`, named('robot'));
    const { code, body } = await send('POST', `${NAMESPACE}/serviceaccounts/robot/token`, { spec: {} });
    expect([code, body.spec.audiences]).toEqual([201, [`https://127.0.0.1:${plane.port}/`]]);
    const anonymous = plane.as(undefined);
    const { body: refusal } = await anonymous('GET', '/api/v1/nodes', undefined, body.status.token);
    expect(refusal.message).toContain('User "system:serviceaccount:default:robot" cannot list');
    expect((await send('GET', '/api/v1/nodes', undefined, body.status.token)).code).toBe(200);
    expect((await anonymous('GET', '/api/v1/nodes', undefined, 'wrong')).code).toBe(401);
  });
});

describe('the API server of a suite', () => {
  it('has no Node and no ServiceAccount, but the Service kubernetes', async () => {
    const names = async (path: string): Promise<string[]> =>
      (await send('GET', path)).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    expect(await names('/api/v1/nodes')).toEqual([]);
    expect(await names('/api/v1/namespaces/kube-system/serviceaccounts')).toEqual([]);
    expect(await names('/api/v1/namespaces/kube-public/configmaps')).toEqual([]);
    const { body } = await send('GET', `${NAMESPACE}/services/kubernetes`);
    expect(body.spec.clusterIP).toBe('10.0.0.1');
    const { body: service } = await send(
      'POST',
      `${NAMESPACE}/services`,
      named('web', { spec: { ports: [{ port: 80 }] } }),
    );
    expect(service.spec.clusterIP).toMatch(/^10\.0\.0\.\d+$/);
  });

  it('keeps a deleted namespace until its finalizer is taken away, whatever is in it', async () => {
    const at = '/api/v1/namespaces/lasting';
    await send('POST', '/api/v1/namespaces', named('lasting'));
    await send('POST', `${at}/configmaps`, named('left'));
    await send('DELETE', at);
    const { body } = await send('GET', at);
    expect([body.status.phase, body.spec.finalizers]).toEqual(['Terminating', ['kubernetes']]);
    expect((await send('GET', `${at}/configmaps/left`)).code).toBe(200);
    expect((await send('POST', `${at}/configmaps`, named('late'))).code).toBe(403);
    const finalized = await send('PUT', `${at}/finalize`, { ...body, spec: { finalizers: [] } });
    expect(finalized.code).toBe(200);
    expect((await send('GET', at)).code).toBe(404);
  });

  it('leaves Pods unchanged: a deleted one of a node waits for a kubelet', async () => {
    const pods = `${NAMESPACE}/pods`;
    const { body } = await send('POST', pods, pod('free'));
    expect([body.status.phase, body.spec.nodeName, body.spec.serviceAccountName]).toEqual([
      'Pending',
      undefined,
      undefined,
    ]);
    await send('DELETE', `${pods}/free`);
    expect((await send('GET', `${pods}/free`)).code).toBe(404);
    await send('POST', pods, pod('bound'));
    const target = { apiVersion: 'v1', kind: 'Node', name: 'n1' };
    expect((await send('POST', `${pods}/bound/binding`, named('bound', { target }))).code).toBe(201);
    await send('DELETE', `${pods}/bound`);
    const { body: ending } = await send('GET', `${pods}/bound`);
    expect([ending.spec.nodeName, ending.metadata.deletionGracePeriodSeconds]).toEqual(['n1', 30]);
    await send('DELETE', `${pods}/bound`, { gracePeriodSeconds: 0 });
    expect((await send('GET', `${pods}/bound`)).code).toBe(404);
  });

  it('collects nothing: objects of an invented owner stay, and so does what waits for its dependents', async () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: 'invented' }];
    const maps = `${NAMESPACE}/configmaps`;
    await send('POST', maps, { metadata: { name: 'owned', ownerReferences } });
    await send('POST', maps, named('owner'));
    await send('DELETE', `${maps}/owner`, { propagationPolicy: 'Foreground' });
    const { body } = await send('GET', `${maps}/owner`);
    expect(body.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect((await send('GET', `${maps}/owned`)).code).toBe(200);
  });

  it('runs no controllers: a Deployment has no ReplicaSet, and a claim gets no volume', async () => {
    const labels = { app: 'a' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await send(
      'POST',
      '/apis/apps/v1/namespaces/default/deployments',
      named('d', { spec: { selector: { matchLabels: labels }, template } }),
    );
    const resources = { requests: { storage: '1Gi' } };
    const claims = `${NAMESPACE}/persistentvolumeclaims`;
    await send('POST', claims, named('c', { spec: { accessModes: ['ReadWriteOnce'], resources } }));
    expect((await send('GET', `${claims}/c`)).body.status.phase).toBe('Pending');
    expect((await send('GET', '/apis/apps/v1/replicasets')).body.items).toEqual([]);
  });

  it('serves the kind of a definition, as envtest installs it', async () => {
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
    const { code } = await send('POST', DEFINITIONS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'bars.example.com', creationTimestamp: null },
      spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'bars', kind: 'Bar' }, versions: [version] },
      status: { acceptedNames: { plural: '', kind: '' }, conditions: null, storedVersions: null },
    });
    expect(code).toBe(201);
    await expect.poll(async () => (await send('GET', '/apis/example.com/v1')).code).toBe(200);
  });
});
