import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ControlPlane } from './control-plane.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const APPS = '/apis/apps/v1/namespaces/default';

let plane: ControlPlane;
let send: ReturnType<ControlPlane['as']>;

beforeAll(async () => {
  plane = new ControlPlane({ PODRUN_ENVTEST: 'controllers', PODRUN_RUNTIME: 'process' });
  await plane.start();
  send = plane.as(plane.admin);
});

/** The flags of envtest that the mode does not follow. */
const WARNING =
  'Warning: these flags have no effect in podrun with PODRUN_ENVTEST=controllers: ' +
  '--disable-admission-plugins=ServiceAccount, --service-cluster-ip-range\n';

afterAll(() => plane.stop(WARNING));

const labels = { app: 'a' };
const containers = [{ name: 'c', image: 'i', command: ['true'] }];
const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };

async function podsOf(namespace: string): Promise<string[]> {
  const { body } = await send('GET', `/api/v1/namespaces/${namespace}/pods`);
  return body.items.map(({ status }: { status: { phase: string } }) => status.phase);
}

describe('a suite with PODRUN_ENVTEST=controllers', () => {
  it('has Pods of a Deployment, which stay Pending, and no Node', async () => {
    const deployment = { metadata: { name: 'web' }, spec: { ...spec, replicas: 2 } };
    expect((await send('POST', `${APPS}/deployments`, deployment)).code).toBe(201);
    await expect.poll(() => podsOf('default')).toEqual(['Pending', 'Pending']);
    expect((await send('GET', '/api/v1/nodes')).body.items).toEqual([]);
    await send('DELETE', `${APPS}/deployments/web`);
    await expect.poll(() => podsOf('default')).toEqual([]);
  });

  it('wants no Pod of a DaemonSet', async () => {
    await send('POST', `${APPS}/daemonsets`, { metadata: { name: 'each' }, spec });
    const status = async (): Promise<unknown> => {
      const { body } = await send('GET', `${APPS}/daemonsets/each`);
      return [body.status.observedGeneration, body.status.desiredNumberScheduled];
    };
    await expect.poll(status).toEqual([1, 0]);
  });

  it('collects objects of an owner that is gone', async () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: 'invented' }];
    await send('POST', `${NAMESPACE}/configmaps`, { metadata: { name: 'owned', ownerReferences } });
    await expect.poll(async () => (await send('GET', `${NAMESPACE}/configmaps/owned`)).code).toBe(404);
  });

  it('empties a deleted namespace, Pods too', async () => {
    const at = '/api/v1/namespaces/brief';
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'brief' } });
    expect((await send('POST', `${at}/pods`, { metadata: { name: 'p' }, spec: { containers } })).code).toBe(201);
    expect(await podsOf('brief')).toEqual(['Pending']);
    await send('DELETE', at);
    await expect.poll(async () => (await send('GET', at)).code).toBe(404);
  });
});
