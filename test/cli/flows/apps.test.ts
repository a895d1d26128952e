import { hostname } from 'node:os';
import { it } from 'vitest';
import { type ApiObject, serveForFile, SLEEPER, SLEEPING, SOON } from './api.ts';

// Flows of Kubernetes' Conformance tests of workloads, as its clients make them.

const { send, get, patch, newNamespace } = serveForFile('--network', 'host', '--runtime', 'process');

const labels = { app: 'flow' };
const template = { metadata: { labels }, spec: SLEEPING };
const selected = { selector: { matchLabels: labels }, template };

const itemsOf = async (path: string): Promise<ApiObject[]> => (await get(path))['items'];
const firstOf = async (path: string): Promise<ApiObject | undefined> => (await itemsOf(path))[0];
const readyOf = ({ status }: ApiObject): number => status?.readyReplicas ?? status?.numberReady ?? status?.ready ?? 0;

/** Writes an object, as clients do that read it first: again after a conflict. */
async function update(path: string, change: (object: ApiObject) => object, subresource = ''): Promise<void> {
  for (;;) {
    const { httpCode: _, ...object } = await get(path);
    const { httpCode, message } = await send('PUT', `${path}${subresource}`, change(object));
    if (httpCode === 200) return;
    if (httpCode !== 409) throw new Error(`${path}: ${message}`);
  }
}

it.concurrent('a Deployment adopts a ReplicaSet, replaces its Pods, and forgets it', async ({ expect }) => {
  const core = await newNamespace('clean-up');
  const apps = '/apis/apps/v1/namespaces/clean-up';
  const all = { ...labels, pod: 'old' };
  const spec = {
    replicas: 1,
    selector: { matchLabels: all },
    template: { metadata: { labels: all }, spec: SLEEPING },
  };
  await send('POST', `${apps}/replicasets`, { metadata: { name: 'old', labels: all }, spec });
  await expect.poll(async () => readyOf(await get(`${apps}/replicasets/old`)), SOON).toBe(1);
  const rollout = { replicas: 1, revisionHistoryLimit: 0, ...selected };
  await send('POST', `${apps}/deployments`, { metadata: { name: 'new' }, spec: rollout });
  const oldSets = async (): Promise<string[]> =>
    (await itemsOf(`${apps}/replicasets`)).map(({ metadata }) => metadata.name).filter((name) => name === 'old');
  await expect
    .poll(async () => [readyOf(await get(`${apps}/deployments/new`)), await oldSets()], SOON)
    .toEqual([1, []]);
  await expect.poll(async () => (await itemsOf(`${core}/pods`)).length, SOON).toBe(1);
});

it.concurrent.for<[string, string, object]>([
  ['deployments', '/apis/apps/v1', { replicas: 1, ...selected }],
  ['replicationcontrollers', '/api/v1', { replicas: 1, selector: labels, template }],
])(
  '%s: the controller puts right a status that somebody else has written',
  async ([plural, group, spec], { expect }) => {
    await newNamespace(`status-${plural}`);
    const path = `${group}/namespaces/status-${plural}/${plural}`;
    await send('POST', path, { metadata: { name: 'w' }, spec });
    await expect.poll(async () => readyOf(await get(`${path}/w`)), SOON).toBe(1);
    const patched = await patch(`${path}/w/status`, { status: { readyReplicas: 0, availableReplicas: 0 } });
    expect(readyOf(patched)).toBe(0);
    await expect.poll(async () => (await get(`${path}/w`))['status'].availableReplicas, SOON).toBe(1);
  },
);

it.concurrent('a DaemonSet follows the labels of the node, and replaces a failed Pod', async ({ expect }) => {
  const core = await newNamespace('daemon');
  const sets = '/apis/apps/v1/namespaces/daemon/daemonsets';
  const node = `/api/v1/nodes/${hostname().toLowerCase()}`;
  const paint = (color: string | null): Promise<ApiObject> =>
    patch(node, { metadata: { labels: { 'flow/color': color } } });
  const painted = { metadata: { labels }, spec: { ...SLEEPING, nodeSelector: { 'flow/color': 'blue' } } };
  await send('POST', sets, { metadata: { name: 'd' }, spec: { ...selected, template: painted } });
  await expect.poll(async () => (await get(`${sets}/d`))['status'].observedGeneration, SOON).toBe(1);
  expect(await itemsOf(`${core}/pods`)).toEqual([]);
  await paint('blue');
  await expect.poll(async () => readyOf(await get(`${sets}/d`)), SOON).toBe(1);
  const before = (await firstOf(`${core}/pods`)) as ApiObject;
  const pod = `${core}/pods/${before.metadata.name}`;
  await update(pod, (object) => ({ ...object, status: { ...object['status'], phase: 'Failed' } }), '/status');
  const runs = async (): Promise<boolean> => {
    const [only, ...others] = await itemsOf(`${core}/pods`);
    return others.length === 0 && only?.['status'].phase === 'Running' && only.metadata.uid !== before.metadata.uid;
  };
  await expect.poll(runs, SOON).toBe(true);
  await paint(null);
  await expect.poll(async () => itemsOf(`${core}/pods`), SOON).toEqual([]);
});

it.concurrent('a Job takes back a Pod without owner, and lets go one without labels', async ({ expect }) => {
  const core = await newNamespace('orphans');
  const jobs = '/apis/batch/v1/namespaces/orphans/jobs';
  const spec = { template: { spec: { ...SLEEPING, restartPolicy: 'Never' } } };
  await send('POST', jobs, { metadata: { name: 'j' }, spec });
  await expect.poll(async () => readyOf(await get(`${jobs}/j`)), SOON).toBe(1);
  const pod = `${core}/pods/${(await firstOf(`${core}/pods`))?.metadata.name}`;
  const owners = async (): Promise<string[]> =>
    ((await get(pod)).metadata as { ownerReferences?: { name: string }[] }).ownerReferences?.map(({ name }) => name) ??
    [];
  await update(pod, ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, ownerReferences: null } }));
  await expect.poll(owners, SOON).toEqual(['j']);
  await update(pod, ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, labels: null } }));
  await expect.poll(owners, SOON).toEqual([]);
});

it.concurrent('an evicted Pod does not count against its Job, whose policy ignores disruptions', async ({ expect }) => {
  const core = await newNamespace('eviction');
  const jobs = '/apis/batch/v1/namespaces/eviction/jobs';
  const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }];
  const pod = { spec: { ...SLEEPING, restartPolicy: 'Never' } };
  const spec = { backoffLimit: 0, podFailurePolicy: { rules }, template: pod };
  await send('POST', jobs, { metadata: { name: 'j' }, spec });
  await expect.poll(async () => readyOf(await get(`${jobs}/j`)), SOON).toBe(1);
  const first = (await firstOf(`${core}/pods`))?.metadata;
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: first?.name } };
  expect(await send('POST', `${core}/pods/${first?.name}/eviction`, eviction)).toMatchObject({ httpCode: 201 });
  const others = async (): Promise<unknown[]> =>
    (await itemsOf(`${core}/pods`)).filter(({ metadata }) => metadata.uid !== first?.uid);
  await expect.poll(async () => (await others()).length, SOON).toBe(1);
  await expect.poll(async () => readyOf(await get(`${jobs}/j`)), SOON).toBe(1);
  expect((await get(`${jobs}/j`))['status'].failed ?? 0).toBe(0);
});

it.concurrent('a StatefulSet makes a Pod again that the node refuses, until its port is free', async ({ expect }) => {
  const core = await newNamespace('ports');
  const sets = '/apis/apps/v1/namespaces/ports/statefulsets';
  const ports = [{ containerPort: 21_017, hostPort: 21_017 }];
  const bound = { ...SLEEPING, nodeName: hostname().toLowerCase(), containers: [{ ...SLEEPER, ports }] };
  await send('POST', `${core}/pods`, { metadata: { name: 'first' }, spec: bound });
  await expect.poll(async () => (await get(`${core}/pods/first`))['status'].phase, SOON).toBe('Running');
  const spec = { serviceName: 'x', ...selected, template: { metadata: { labels }, spec: bound } };
  await send('POST', sets, { metadata: { name: 's' }, spec });
  const uids = new Set<string>();
  await expect
    .poll(async () => {
      const { metadata, status } = await get(`${core}/pods/s-0`);
      if (status?.reason === 'NodePorts') uids.add(metadata.uid);
      return uids.size;
    }, SOON)
    .toBeGreaterThan(0);
  await send('DELETE', `${core}/pods/first`, { gracePeriodSeconds: 0 });
  await expect.poll(async () => readyOf(await get(`${sets}/s`)), SOON).toBe(1);
  expect(uids).not.toContain((await get(`${core}/pods/s-0`)).metadata.uid);
});
