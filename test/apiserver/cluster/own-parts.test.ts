import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../../server/start-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const FLOWCONTROL = '/apis/flowcontrol.apiserver.k8s.io/v1';
const NAMESPACE = '/api/v1/namespaces/default';

/** The first condition of an object, and who owns it. */
async function conditionOf(path: string): Promise<unknown> {
  const { body } = await server.get(path);
  const { status, reason, message } = body.status?.conditions?.[0] ?? {};
  const managers: { manager: string; operation: string; subresource?: string }[] = body.metadata.managedFields;
  const owners = managers.filter(({ subresource }) => subresource === 'status');
  return [status, reason, message, ...owners.map(({ manager, operation }) => `${manager} ${operation}`)];
}

describe('parts of objects that controllers keep', () => {
  it('are whether the priority level of a FlowSchema exists', async () => {
    const path = `${FLOWCONTROL}/flowschemas/f`;
    const spec = { priorityLevelConfiguration: { name: 'l' } };
    await server.post(`${FLOWCONTROL}/flowschemas`, { metadata: { name: 'f' }, spec });
    const manager = 'api-priority-and-fairness-config-consumer-v1 Apply';
    const subject = 'This FlowSchema references the PriorityLevelConfiguration object named "l"';
    const without = ['True', 'NotFound', `${subject} but there is no such object`, manager];
    await expect.poll(() => conditionOf(path)).toEqual(without);
    const level = {
      metadata: { name: 'l' },
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
    };
    await server.post(`${FLOWCONTROL}/prioritylevelconfigurations`, level);
    await expect.poll(() => conditionOf(path)).toEqual(['False', 'Found', `${subject} and it exists`, manager]);
  });

  it('are the mistakes in the types of a ValidatingAdmissionPolicy, anew after each change', async () => {
    const group = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
    const resourceRules = [
      { operations: ['CREATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] },
    ];
    const spec = { matchConstraints: { resourceRules }, validations: [{ expression: 'object.replicas > 1' }] };
    await server.post(group, { metadata: { name: 'p' }, spec });
    const read = async (): Promise<unknown> => {
      const { status, metadata } = (await server.get(`${group}/p`)).body;
      const entries: { subresource?: string }[] = metadata.managedFields;
      return [status, entries.find(({ subresource }) => subresource === 'status')];
    };
    const warning =
      "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n";
    const managed = (typeChecking: object): unknown =>
      expect.objectContaining({
        manager: 'validatingadmissionpolicy-status',
        operation: 'Apply',
        fieldsV1: { 'f:status': { 'f:observedGeneration': {}, 'f:typeChecking': typeChecking } },
      });
    const expressionWarnings = [{ fieldRef: 'spec.validations[0].expression', warning }];
    await expect
      .poll(read)
      .toEqual([
        { observedGeneration: 1, typeChecking: { expressionWarnings } },
        managed({ 'f:expressionWarnings': {} }),
      ]);
    const right = [{ op: 'replace', path: '/spec/validations/0/expression', value: 'object.spec.replicas > 1' }];
    await server.request('PATCH', `${group}/p`, right, { 'content-type': 'application/json-patch+json' });
    // An apply removes an object that it leaves empty, as in Kubernetes.
    await expect.poll(read).toEqual([{ observedGeneration: 2 }, managed({})]);
  });

  it('are the finalizers of volumes, which a client has taken away', async () => {
    const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp/x' } };
    const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v' }, spec };
    await server.post('/api/v1/persistentvolumes', volume);
    const put = await server.request('PUT', '/api/v1/persistentvolumes/v', volume);
    expect([put.code, put.body.metadata.finalizers]).toEqual([200, undefined]);
    const read = async (): Promise<unknown> => (await server.get('/api/v1/persistentvolumes/v')).body.metadata;
    const manager = { manager: 'kube-controller-manager', operation: 'Update' };
    await expect.poll(read).toMatchObject({
      finalizers: ['kubernetes.io/pv-protection'],
      managedFields: expect.arrayContaining([expect.objectContaining(manager)]),
    });
  });

  it('are the counts of a quota', async () => {
    await server.post(`${NAMESPACE}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { pods: '1' } } });
    const fields = { 'f:hard': { '.': {}, 'f:pods': {} }, 'f:used': { '.': {}, 'f:pods': {} } };
    const read = async (): Promise<unknown> =>
      (await server.get(`${NAMESPACE}/resourcequotas/q`)).body.metadata.managedFields;
    await expect.poll(read).toContainEqual(
      expect.objectContaining({
        manager: 'kube-controller-manager',
        subresource: 'status',
        fieldsV1: { 'f:status': fields },
      }),
    );
  });
});
