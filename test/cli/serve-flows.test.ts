import { describe, expect, it } from 'vitest';
import { type ApiObject, serveForFile, SLEEPING, SOON } from './flows/api.ts';

// Flows of Kubernetes' Conformance tests, against a server that runs Pods and controllers.

const { send, get, patch, newNamespace } = serveForFile('--network', 'host', '--runtime', 'process');

const labels = { app: 'flow' };
const template = { metadata: { labels }, spec: SLEEPING };
const selected = { selector: { matchLabels: labels }, template };

describe('workloads through the API', () => {
  it.each<[string, string, object]>([
    ['deployments', '/apis/apps/v1', { replicas: 1, ...selected }],
    ['replicasets', '/apis/apps/v1', { replicas: 1, ...selected }],
    ['statefulsets', '/apis/apps/v1', { replicas: 1, serviceName: 'x', ...selected }],
    ['daemonsets', '/apis/apps/v1', selected],
    ['replicationcontrollers', '/api/v1', { replicas: 1, selector: labels, template }],
    ['jobs', '/apis/batch/v1', { template: { spec: { ...SLEEPING, restartPolicy: 'Never' } } }],
  ])('%s: others write conditions, and a collection goes with its Pods', async (plural, group, spec) => {
    const core = await newNamespace(`with-${plural}`);
    const path = `${group}/namespaces/with-${plural}/${plural}`;
    await send('POST', path, { metadata: { name: 'w', labels: { set: 'x' } }, spec });
    const readyOf = ({ status }: ApiObject): unknown => status.readyReplicas ?? status.numberReady ?? status.ready;
    await expect.poll(async () => readyOf(await get(`${path}/w`)), SOON).toBe(1);
    const conditions = [{ type: 'StatusPatched', status: 'True' }];
    const patched = await patch(`${path}/w/status`, { status: { conditions } }, 'merge');
    expect(patched['status'].conditions).toMatchObject(conditions);
    await patch(`${path}/w`, { metadata: { labels: { test: 'patched' } } });
    expect((await get(`${path}/w`)).metadata).toMatchObject({ labels: { test: 'patched', set: 'x' } });
    await send('DELETE', `${path}?labelSelector=set%3Dx`, { propagationPolicy: 'Background' });
    await expect
      .poll(async () => [(await get(path))['items'], (await get(`${core}/pods`))['items']], SOON)
      .toEqual([[], []]);
  });

  it('a DaemonSet numbers its revisions after existing ones', async () => {
    await newNamespace('revisions');
    const apps = '/apis/apps/v1/namespaces/revisions';
    await send('POST', `${apps}/daemonsets`, { metadata: { name: 'd' }, spec: selected });
    const revisions = async (): Promise<ApiObject[]> => (await get(`${apps}/controllerrevisions`))['items'];
    await expect.poll(async () => (await revisions()).length, SOON).toBe(1);
    const [first] = (await revisions()) as [ApiObject];
    const { labels: own, ownerReferences } = first.metadata as unknown as Record<string, unknown>;
    const made = { metadata: { name: 'made', labels: own, ownerReferences }, data: first['data'], revision: 2 };
    await send('POST', `${apps}/controllerrevisions`, made);
    await patch(`${apps}/daemonsets/d`, { spec: { template: { metadata: { labels: { b: 'c' } } } } });
    await expect
      .poll(async () => Math.max(...(await revisions()).map(({ revision }) => Number(revision))), SOON)
      .toBe(3);
  });
});

describe('garbage', () => {
  const owned = (name: string, replicas: number): object => ({
    metadata: { name },
    spec: {
      replicas,
      selector: { rc: name },
      template: { metadata: { labels: { rc: name } }, spec: SLEEPING },
    },
  });

  it('Pods stay that have a valid owner beside one that waits for its dependents', async () => {
    const core = await newNamespace('two-owners');
    const controllers = `${core}/replicationcontrollers`;
    await send('POST', controllers, owned('going', 2));
    const { uid } = (await send('POST', controllers, owned('staying', 0))).metadata;
    const pods = async (): Promise<ApiObject[]> => (await get(`${core}/pods`))['items'];
    await expect.poll(async () => (await pods()).length, SOON).toBe(2);
    const [kept] = (await pods()) as [ApiObject];
    const reference = { uid, apiVersion: 'v1', kind: 'ReplicationController', name: 'staying' };
    await patch(`${core}/pods/${kept.metadata.name}`, { metadata: { ownerReferences: [reference] } });
    await send('DELETE', `${controllers}/going`, { propagationPolicy: 'Foreground' });
    await expect.poll(async () => (await get(`${controllers}/going`))['httpCode'], SOON).toBe(404);
    expect(await pods()).toMatchObject([
      { metadata: { name: kept.metadata.name, ownerReferences: [{ name: 'staying' }] } },
    ]);
  });

  it('a circle of owners does not hold up a deletion', async () => {
    const core = await newNamespace('circle');
    const names = ['a', 'b', 'c'];
    const uids: string[] = [];
    for (const name of names)
      uids.push((await send('POST', `${core}/pods`, { metadata: { name }, spec: SLEEPING })).metadata.uid);
    for (const [index, name] of names.entries()) {
      const owner = (index + 2) % 3;
      const about = { apiVersion: 'v1', kind: 'Pod', name: names[owner], uid: uids[owner], blockOwnerDeletion: true };
      await patch(`${core}/pods/${name}`, { metadata: { ownerReferences: [{ ...about, controller: true }] } });
    }
    await send('DELETE', `${core}/pods/a`, { propagationPolicy: 'Foreground' });
    await expect.poll(async () => (await get(`${core}/pods`))['items'], SOON).toEqual([]);
  });
});

it('a Pod counts changes of its spec, and gets ephemeral containers', async () => {
  const core = await newNamespace('generations');
  const pod = `${core}/pods/p`;
  const created = await send('POST', `${core}/pods`, { metadata: { name: 'p', generation: 100 }, spec: SLEEPING });
  expect(created.metadata).toMatchObject({ generation: 1 });
  expect((await patch(pod, { spec: { activeDeadlineSeconds: 300 } })).metadata).toMatchObject({ generation: 2 });
  const debug = { name: 'debug', image: 'busybox', command: ['sleep', '1000'] };
  await patch(`${pod}/ephemeralcontainers`, { spec: { ephemeralContainers: [debug] } });
  await expect
    .poll(async () => (await get(pod))['status'].ephemeralContainerStatuses?.[0]?.state, SOON)
    .toHaveProperty('running');
  const present = await get(pod);
  const second = {
    ...present,
    spec: { ...present['spec'], ephemeralContainers: [debug, { ...debug, name: 'other' }] },
  };
  await expect
    .poll(async () => {
      const answer = await send('PUT', `${pod}/ephemeralcontainers`, {
        ...second,
        metadata: { ...second.metadata, resourceVersion: (await get(pod)).metadata.resourceVersion },
      });
      return answer['spec']?.ephemeralContainers?.length as number;
    }, SOON)
    .toBe(2);
  await expect.poll(async () => (await get(pod))['status'].observedGeneration, SOON).toBe(4);
});
