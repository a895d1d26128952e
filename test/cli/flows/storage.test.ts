import { describe, expect, it, onTestFinished } from 'vitest';
import type { Container, Pod, PodSpec, Volume } from '../../../src/api/generated/types.ts';
import { type ApiObject, serveForFile, SOON } from './api.ts';
import { has, needs } from '../../needs.ts';

// Flows of Conformance tests of sig-storage: volumes at their paths, which only namespaces and root give.

const tier = has('namespaces') ? 'namespace' : 'process';
const { send, get, patch, newNamespace } = serveForFile('--network', 'host', '--runtime', tier);
const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** A container that runs a script, and whose termination message is the output. */
function script(name: string, text: string, mounts: Record<string, string>, more: Partial<Container> = {}): Container {
  const volumeMounts = Object.entries(mounts).map(([volume, mountPath]) => ({ name: volume, mountPath }));
  return {
    name,
    image: 'busybox',
    command: ['sh', '-c', `(${text}) >/dev/termination-log 2>&1`],
    volumeMounts,
    ...more,
  };
}

async function begin(core: string, spec: PodSpec, metadata: Pod['metadata'] = {}): Promise<string> {
  const answer = await send('POST', `${core}/pods`, {
    metadata: { name: 'p', ...metadata },
    spec: { restartPolicy: 'Never', ...spec },
  });
  expect(answer['httpCode']).toBe(201);
  const pod = `${core}/pods/p`;
  onTestFinished(() => void send('DELETE', `${pod}?gracePeriodSeconds=0`));
  return pod;
}

/** The termination messages of the containers of a Pod, when all have ended. */
async function told(pod: string): Promise<Record<string, string>> {
  const isOver = async (): Promise<boolean> => /Succeeded|Failed/.test((await get(pod))['status'].phase);
  await expect.poll(isOver, SOON).toBe(true);
  const statuses: ApiObject['any'][] = (await get(pod))['status'].containerStatuses;
  return Object.fromEntries(statuses.map(({ name, state }) => [name, state.terminated.message ?? '']));
}

describe('volumes', needs('root', 'namespaces'), () => {
  it('are for each user of a Pod what their modes say', async () => {
    const core = await newNamespace('users');
    await send('POST', `${core}/secrets`, { metadata: { name: 's' }, data: { key: encoded('secret') } });
    const mode = { defaultMode: 0o440 };
    const volumes: Volume[] = [
      { name: 'disk', emptyDir: {} },
      { name: 'memory', emptyDir: { medium: 'Memory' } },
      { name: 'secret', secret: { secretName: 's', ...mode } },
      { name: 'projected', projected: { sources: [{ secret: { name: 's' } }], ...mode } },
    ];
    const mounts = { disk: '/disk', memory: '/memory', secret: '/etc/secret', projected: '/etc/projected' };
    const text =
      'umask 0; cd /; for v in disk memory; do echo own >$v/$(id -u); cat $v/$(id -u);' +
      ' stat -c %A:%u $v/$(id -u) $v; done; stat -f -c %T memory; stat -Lc %A:%g etc/*/key; cat etc/*/key';
    const other = { runAsUser: 1001, runAsNonRoot: true, capabilities: { drop: ['ALL'] } };
    const pod = await begin(core, {
      volumes,
      securityContext: { fsGroup: 1002, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [script('root', text, mounts), script('other', text, mounts, { securityContext: other })],
    });
    const seen = (user: number): string => {
      const folder = `own\n-rw-rw-rw-:${user}\ndrwxrwsrwx:0\n`;
      return `${folder}${folder}tmpfs\n${'-r--r-----:1002\n'.repeat(2)}secretsecret`;
    };
    expect(await told(pod)).toEqual({ root: seen(0), other: seen(1001) });
  });

  it('show parts of themselves at paths of files, also of files that podrun mounts', async () => {
    const core = await newNamespace('parts');
    await send('POST', `${core}/configmaps`, { metadata: { name: 'c' }, data: { key: 'config' } });
    const volumes: Volume[] = [
      { name: 'config', configMap: { name: 'c' } },
      { name: 'pod', downwardAPI: { items: [{ path: 'deep/name', fieldRef: { fieldPath: 'metadata.name' } }] } },
      { name: 'all', projected: { sources: [{ configMap: { name: 'c', items: [{ key: 'key', path: 'd/key' }] } }] } },
    ];
    const volumeMounts = [
      { name: 'config', mountPath: '/etc/resolv.conf', subPath: 'key' },
      { name: 'pod', mountPath: '/name', subPath: 'deep/name' },
      { name: 'all', mountPath: '/all', subPath: 'd/key' },
    ];
    const main = { ...script('main', 'cat /etc/resolv.conf /name /all', {}), volumeMounts };
    expect(await told(await begin(core, { volumes, containers: [main] }))).toEqual({ main: 'configpconfig' });
  });

  it('follow what clients write, delete and create while a Pod runs', async () => {
    const core = await newNamespace('followed');
    const config = (name: string, value: string): object => ({ metadata: { name }, data: { key: value } });
    const secret = (name: string, value: string): object => config(name, encoded(value));
    for (const name of ['written', 'deleted']) {
      await send('POST', `${core}/configmaps`, config(name, 'old'));
      await send('POST', `${core}/secrets`, secret(name, 'old'));
    }
    const names = ['written', 'deleted', 'created'];
    const optional = true;
    const volumes: Volume[] = [
      ...names.map((name) => ({ name: `c-${name}`, configMap: { name, optional } })),
      ...names.map((name) => ({ name: `s-${name}`, projected: { sources: [{ secret: { name, optional } }] } })),
      { name: 'pod', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    ];
    const mounts = Object.fromEntries(volumes.map(({ name }) => [name, `/v/${name}`]));
    const has = (file: string, value: string): string => `until grep -qs ${value} /v/${file}; do sleep 0.2; done`;
    const gone = (file: string): string => `while test -e /v/${file}; do sleep 0.2; done`;
    const text = ['c', 's'].flatMap((kind) => [
      has(`${kind}-written/key`, 'new'),
      gone(`${kind}-deleted/key`),
      has(`${kind}-created/key`, 'new'),
    ]);
    const first = `cat /v/?-*/key; touch /v/ready/now; ${[...text, has('pod/labels', 'late')].join('; ')}`;
    const ready = { exec: { command: ['test', '-e', '/v/ready/now'] }, periodSeconds: 1 };
    const main = script('main', first, { ...mounts, ready: '/v/ready' }, { readinessProbe: ready });
    const spec = { volumes: [...volumes, { name: 'ready', emptyDir: {} }], containers: [main] };
    const pod = await begin(core, spec, { labels: { app: 'early' } });
    const isReady = async (): Promise<unknown> => (await get(pod))['status'].containerStatuses?.[0]?.ready;
    await expect.poll(isReady, SOON).toBe(true);
    for (const [plural, of] of [
      ['configmaps', config],
      ['secrets', secret],
    ] as const) {
      await send('PUT', `${core}/${plural}/written`, of('written', 'new'));
      await send('DELETE', `${core}/${plural}/deleted`);
      await send('POST', `${core}/${plural}`, of('created', 'new'));
    }
    await patch(pod, { metadata: { labels: { app: 'late' } } });
    expect(await told(pod)).toEqual({ main: 'oldoldoldold' });
  });

  it('of one kind do not get into the way of each other', async () => {
    const core = await newNamespace('many');
    const names = Array.from({ length: 50 }, (_, index) => `c-${index}`);
    for (const name of names)
      await send('POST', `${core}/configmaps`, { metadata: { name }, data: { key: `${name}\n` } });
    const mounts = Object.fromEntries(names.map((name) => [name, `/etc/many/${name}`]));
    const all = script('main', 'cat /etc/many/*/key | sort | uniq | wc -l', mounts);
    const volumes = names.map((name) => ({ name, configMap: { name } }));
    const template = { metadata: {}, spec: { restartPolicy: 'Never', volumes, containers: [all] } };
    await send('POST', '/apis/batch/v1/namespaces/many/jobs', {
      metadata: { name: 'j' },
      spec: { parallelism: 3, completions: 3, template },
    });
    const pods = async (): Promise<ApiObject[]> => (await get(`${core}/pods`))['items'];
    const messages = async (): Promise<string[]> =>
      (await pods()).map(({ status }) => status.containerStatuses?.[0]?.state.terminated?.message);
    await expect.poll(messages, SOON).toEqual(['50\n', '50\n', '50\n']);
    await send('DELETE', '/apis/batch/v1/namespaces/many/jobs/j', { propagationPolicy: 'Background' });
  });
});

it('the ConfigMap with the CA comes back when a client deletes or changes it', async () => {
  const map = `${await newNamespace('trusting')}/configmaps/kube-root-ca.crt`;
  const first = await get(map);
  const ca = async (): Promise<string | undefined> => (await get(map))['data']?.['ca.crt'];
  await send('DELETE', map);
  await expect.poll(ca, SOON).toBe(first['data']['ca.crt']);
  expect((await get(map)).metadata.uid).not.toBe(first.metadata.uid);
  await send('PUT', map, { metadata: { name: 'kube-root-ca.crt' }, data: { 'ca.crt': '' } });
  await expect.poll(ca, SOON).toBe(first['data']['ca.crt']);
});
