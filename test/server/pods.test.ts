import { expect, it } from 'vitest';
import { OWN_LABEL } from '../../src/apiserver/services/service-facts.ts';
import { startServer } from './start-server.ts';

const PODS = '/api/v1/namespaces/default/pods';
const spec = { containers: [{ name: 'c', image: 'i' }] };

it('Pods tolerate for five minutes a node that is not ready, as long as the server leads Pods to itself', async () => {
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { [OWN_LABEL]: 'kubernetes' } },
    spec: { clusterIP: '127.0.0.99', ports: [{ name: 'https', port: 443 }] },
  };
  const server = await startServer({ objects: [service] });
  try {
    const tolerations = ['not-ready', 'unreachable'].map((name) => ({
      key: `node.kubernetes.io/${name}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    }));
    const dry = await server.post(`${PODS}?dryRun=All`, { metadata: { name: 'new' }, spec });
    const { body } = await server.post(PODS, { metadata: { name: 'new' }, spec });
    expect([dry.body.spec.tolerations, body.spec.tolerations]).toEqual([tolerations, tolerations]);
    expect(dry.body.status.phase).toBe('Pending');
    expect((await server.post(PODS, { metadata: { name: 'empty' } })).code).toBe(422);
    const nosuch = await server.post(PODS, { metadata: { name: 'empty' }, spec: { serviceAccountName: 'A_' } });
    const why = 'error looking up service account default/A_: serviceaccount "A_" not found';
    expect([nosuch.code, nosuch.body.message]).toEqual([403, `pods "empty" is forbidden: ${why}`]);
    const own = { key: 'gpu', operator: 'Exists' };
    const put = await server.request('PUT', `${PODS}/new`, { ...body, spec: { ...body.spec, tolerations: [own] } });
    expect(put.body.spec.tolerations).toEqual([own, ...tolerations]);
  } finally {
    await server.close();
  }
});

it('a changed Pod keeps its priority without saying it, and takes no different one', async () => {
  const server = await startServer();
  try {
    const { body } = await server.post(PODS, { metadata: { name: 'new' }, spec });
    const { priority, preemptionPolicy, ...unsaid } = body.spec;
    expect([priority, preemptionPolicy]).toEqual([0, 'PreemptLowerPriority']);
    const put = await server.request('PUT', `${PODS}/new`, { ...body, spec: unsaid });
    expect([put.code, put.body.spec]).toEqual([200, body.spec]);
    const headers = { 'content-type': 'application/merge-patch+json' };
    const patch = (value: number | null): ReturnType<typeof server.request> =>
      server.request('PATCH', `${PODS}/new`, { spec: { priority: value } }, headers);
    expect([(await patch(null)).code, (await patch(1)).code]).toEqual([200, 422]);
  } finally {
    await server.close();
  }
});

it('a new Pod is refused for an object that it names before its own mistakes', async () => {
  const server = await startServer();
  try {
    const wrong = { containers: [{ name: 'C_', image: 'i' }], priorityClassName: 'nosuch' };
    const { code, body } = await server.post(PODS, { metadata: { name: 'new' }, spec: wrong });
    expect([code, body.message]).toEqual([403, 'pods "new" is forbidden: no PriorityClass with name nosuch was found']);
    const other = await server.post(PODS, { metadata: { name: 'new' }, spec: { ...wrong, priorityClassName: '' } });
    expect([other.code, other.body.details.causes[0].field]).toEqual([422, 'spec.containers[0].name']);
  } finally {
    await server.close();
  }
});
