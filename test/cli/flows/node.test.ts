import { describe, type ExpectStatic, it } from 'vitest';
import { freePort } from '../../free-port.ts';
import { type ApiObject, serveForFile, SLEEPER, SLEEPING, SOON } from './api.ts';

// Flows of sig-node, in the network that a server chooses by itself.

const { send, get, patch, newNamespace } = serveForFile();

const isReady = ({ status }: ApiObject): boolean =>
  status?.conditions?.some(({ type, status }: Record<string, string>) => type === 'Ready' && status === 'True') ===
  true;

/** @param expect that of a test, which may run beside others */
async function untilReady(expect: ExpectStatic, pod: string): Promise<ApiObject> {
  await expect.poll(async () => isReady(await get(pod)), SOON).toBe(true);
  return get(pod);
}

/** Tells at `/seen` what it was asked for. */
const LISTENER = `
  const seen = [];
  require('node:http').createServer((request, response) => {
    if (request.url === '/seen') return response.end(JSON.stringify({ seen }));
    seen.push(request.url);
    response.end();
  }).listen(process.argv[1]);
`;

/** Writes an object anew, as often as others change it meanwhile. */
async function put(path: string, change: (object: ApiObject) => void): Promise<ApiObject> {
  for (;;) {
    const object = await get(path);
    change(object);
    const answer = await send('PUT', path, object);
    if (answer['httpCode'] !== 409) return answer;
  }
}

describe.concurrent('sig-node', () => {
  it('a Service with a name outside of the cluster stands beside a Pod in the network of the host', async ({
    expect,
  }) => {
    const core = await newNamespace('external');
    const service = { spec: { type: 'ExternalName', externalName: 'localhost' } };
    await send('POST', `${core}/services`, { metadata: { name: 'first' }, ...service });
    await send('POST', `${core}/pods`, { metadata: { name: 'p' }, spec: { ...SLEEPING, hostNetwork: true } });
    await untilReady(expect, `${core}/pods/p`);
    await send('POST', `${core}/services`, { metadata: { name: 'second' }, ...service });
    await send('POST', `${core}/pods`, { metadata: { name: 'q' }, spec: { ...SLEEPING, hostNetwork: true } });
    await untilReady(expect, `${core}/pods/q`);
    const events = (await get(`${core}/events`))['items'] as Array<{ reason: string }>;
    expect(events.map(({ reason }) => reason)).not.toContain('FailedCreatePodSandBox');
  });

  it('HTTP hooks of a Pod reach another Pod through its proxy', async ({ expect }) => {
    const core = await newNamespace('hooks');
    // The network may be that of the machine.
    const port = await freePort();
    const called = { ...SLEEPER, command: [process.execPath, '-e', LISTENER, `${port}`] };
    const readinessProbe = { tcpSocket: { port }, periodSeconds: 1 };
    const spec = { ...SLEEPING, containers: [{ ...called, readinessProbe }] };
    await send('POST', `${core}/pods`, { metadata: { name: 'called' }, spec });
    const host = (await untilReady(expect, `${core}/pods/called`))['status'].podIP as string;
    const hook = (path: string): object => ({ httpGet: { host, port, path } });
    const lifecycle = { postStart: hook('/started?x=1'), preStop: hook('/stops') };
    const calling = { terminationGracePeriodSeconds: 30, containers: [{ ...SLEEPER, lifecycle }] };
    await send('POST', `${core}/pods`, { metadata: { name: 'calling' }, spec: calling });
    await untilReady(expect, `${core}/pods/calling`);
    await send('DELETE', `${core}/pods/calling`);
    await expect
      .poll(async () => (await get(`${core}/pods/called:${port}/proxy/seen`))['seen'] as unknown, SOON)
      .toEqual(['/started?x=1', '/stops']);
  });

  it('a Pod counts what changes it, its deletion too, until nothing holds it', async ({ expect }) => {
    const core = await newNamespace('counted');
    const pod = `${core}/pods/p`;
    const metadata = { name: 'p', finalizers: ['example.com/held'] };
    await send('POST', `${core}/pods`, { metadata, spec: SLEEPING });
    await untilReady(expect, pod);
    const labelled = await put(pod, (object) => Object.assign(object.metadata, { labels: { a: 'b' } }));
    expect(labelled.metadata).toMatchObject({ generation: 1 });
    const toleration = { key: 'x', operator: 'Exists', effect: 'NoSchedule' };
    const tolerant = await put(pod, (object) => object['spec'].tolerations.push(toleration));
    expect(tolerant.metadata).toMatchObject({ generation: 2 });
    const deleted = await send('DELETE', pod, { gracePeriodSeconds: 30 });
    expect(deleted.metadata).toMatchObject({ generation: 3, deletionGracePeriodSeconds: 30 });
    await expect.poll(async () => (await get(pod))['status'].observedGeneration as unknown, SOON).toBe(3);
    await patch(pod, [{ op: 'remove', path: '/metadata/finalizers' }], 'json');
    await expect.poll(async () => (await get(pod))['httpCode'] as unknown, SOON).toBe(404);
  });

  it('a Pod whose status a client writes is Ready again once its agent has seen the change', async ({ expect }) => {
    const core = await newNamespace('status');
    const pod = `${core}/pods/p`;
    await send('POST', `${core}/pods`, { metadata: { name: 'p' }, spec: SLEEPING });
    await untilReady(expect, pod);
    const isFalse = (object: ApiObject): boolean => !isReady(object);
    const written = await put(`${pod}/status`, ({ status }) => {
      for (const condition of status.conditions) if (condition.type === 'Ready') condition.status = 'False';
    });
    expect(isFalse(written)).toBe(true);
    const said = { metadata: { annotations: { told: 'yes' } }, status: { reason: 'Told', message: 'by another' } };
    const patched = await patch(`${pod}/status`, said, 'merge');
    expect(patched).toMatchObject(said);
    expect((await untilReady(expect, pod)).metadata).toMatchObject({ annotations: { told: 'yes' } });
  });

  it("a Node of a client gets no Pod, and keeps the client's status", async ({ expect }) => {
    const core = await newNamespace('nodes');
    const labels = { fake: 'yes' };
    const conditions = [{ type: 'Ready', status: 'True', reason: 'Told' }];
    await send('POST', '/api/v1/nodes', { metadata: { name: 'fake', labels }, status: { conditions } });
    const phase = { phase: 'Running' };
    const patched = await patch('/api/v1/nodes/fake/status', { status: phase });
    expect(patched).toMatchObject({ status: { conditions, ...phase } });
    const spec = { ...SLEEPING, tolerations: [{ operator: 'Exists' }] };
    await send('POST', `${core}/pods`, { metadata: { name: 'p' }, spec });
    expect((await untilReady(expect, `${core}/pods/p`))['spec'].nodeName).not.toBe('fake');
    await send('DELETE', '/api/v1/nodes?labelSelector=fake%3Dyes');
    expect((await get('/api/v1/nodes/fake'))['httpCode']).toBe(404);
  });
});
