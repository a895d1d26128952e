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
    const own = { key: 'gpu', operator: 'Exists' };
    const put = await server.request('PUT', `${PODS}/new`, { ...body, spec: { ...body.spec, tolerations: [own] } });
    expect(put.body.spec.tolerations).toEqual([own, ...tolerations]);
  } finally {
    await server.close();
  }
});
