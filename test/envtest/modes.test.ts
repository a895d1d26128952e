import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ControlPlane } from './control-plane.ts';

const NAMESPACE = '/api/v1/namespaces/default';

let plane: ControlPlane;
let send: ReturnType<ControlPlane['as']>;

beforeAll(async () => {
  plane = new ControlPlane({ PODRUN_ENVTEST: 'run', PODRUN_RUNTIME: 'process' });
  await plane.start();
  send = plane.as(plane.admin);
});

/** The flags of envtest that the mode does not follow. */
const WARNING =
  'Warning: these flags have no effect in podrun with PODRUN_ENVTEST=run: ' +
  '--disable-admission-plugins=ServiceAccount, --service-cluster-ip-range\n';

afterAll(() => plane.stop(WARNING));

describe('a suite with PODRUN_ENVTEST=run', () => {
  it('has a node, which runs Pods', async () => {
    expect((await send('GET', '/api/v1/nodes')).body.items).toHaveLength(1);
    const containers = [{ name: 'c', image: 'i', command: ['true'] }];
    const pod = { metadata: { name: 'brief' }, spec: { restartPolicy: 'Never', containers } };
    expect((await send('POST', `${NAMESPACE}/pods`, pod)).code).toBe(201);
    const phase = async (): Promise<string> => (await send('GET', `${NAMESPACE}/pods/brief`)).body.status.phase;
    await expect.poll(phase).toBe('Succeeded');
  });

  it('has controllers: ServiceAccounts in namespaces, and a deleted namespace goes with its contents', async () => {
    const at = '/api/v1/namespaces/brief';
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'brief' } });
    await expect.poll(async () => (await send('GET', `${at}/serviceaccounts/default`)).code).toBe(200);
    await send('DELETE', at);
    await expect.poll(async () => (await send('GET', at)).code).toBe(404);
  });

  it('ends a Pod that still runs with the suite', async () => {
    const containers = [{ name: 'c', image: 'i', command: ['sleep', '3600'] }];
    await send('POST', `${NAMESPACE}/pods`, { metadata: { name: 'long' }, spec: { containers } });
    const phase = async (): Promise<string> => (await send('GET', `${NAMESPACE}/pods/long`)).body.status.phase;
    await expect.poll(phase).toBe('Running');
  });
});
