import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { debugCopy, nodeDebugger } from '../../src/cli/debug/debug-pods.ts';
import { type DebugProfile, securityOf } from '../../src/cli/debug/profiles.ts';
import { goldenPods } from '../print/golden.ts';
import { runHere } from './in-process.ts';
import { putStates, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

// The Pods that kubectl 1.32 makes, with --profile=general unless another one is named.
const workshop = workshopForEach();

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' }, annotations: { note: 'x' } },
  spec: {
    nodeName: 'vm',
    restartPolicy: 'Always',
    containers: [
      {
        name: 'app',
        image: 'busybox',
        command: ['sleep', '1000'],
        env: [{ name: 'A', value: '1' }],
        readinessProbe: { exec: { command: ['true'] } },
      },
      { name: 'side', image: 'nginx', livenessProbe: { exec: { command: ['true'] } } },
    ],
    ephemeralContainers: [{ name: 'old', image: 'busybox' }],
  },
} as unknown as StoredPod;

const APP = { name: 'app', image: 'busybox', command: ['sleep', '1000'], env: [{ name: 'A', value: '1' }] };
const SIDE = { name: 'side', image: 'nginx' };

const copy = (container: object | undefined, images: Record<string, string> = {}, more: object = {}) =>
  debugCopy(POD, {
    name: 'c',
    container,
    images: new Map(Object.entries(images)),
    sharesProcesses: true,
    isOnSameNode: false,
    ...more,
  });

describe('a copy of a Pod', () => {
  it('has a new container, and no probes, labels, annotations, node or ephemeral containers of the Pod', () => {
    const debug = { name: 'dbg', image: 'busybox', command: ['sleep', '1'] };
    expect(copy(debug)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'c', namespace: 'default' },
      spec: { restartPolicy: 'Always', containers: [APP, SIDE, debug], shareProcessNamespace: true },
    });
  });

  it('changes the container that is named, and images', () => {
    expect(copy({ name: 'app', command: ['sh'] }, { app: 'alpine' })['spec']).toMatchObject({
      containers: [{ ...APP, image: 'alpine', command: ['sh'] }, SIDE],
    });
    expect(copy({ name: 'app', image: 'x', args: ['9'] }, { '*': 'z' })['spec']).toMatchObject({
      containers: [
        { ...APP, image: 'x', args: ['9'] },
        { name: 'side', image: 'z' },
      ],
    });
  });

  it('with other images alone is the Pod otherwise', () => {
    const { metadata, spec } = copy(undefined, { '*': 'alpine' }) as unknown as StoredPod;
    expect(metadata.annotations).toEqual({ note: 'x' });
    expect(spec.containers.map(({ image }) => image)).toEqual(['alpine', 'alpine']);
    expect(spec.containers[0]?.readinessProbe).toBeDefined();
    expect(spec.shareProcessNamespace).toBeUndefined();
  });

  it('may be on the same node, and share no processes', () => {
    const more = { sharesProcesses: false, isOnSameNode: true };
    expect(copy({ name: 'app', command: ['sh'] }, {}, more)['spec']).toEqual({
      nodeName: 'vm',
      restartPolicy: 'Always',
      containers: [{ ...APP, command: ['sh'] }, SIDE],
    });
  });

  it('needs an image for a new container', () => {
    expect(() => copy({ name: 'nope', command: ['sh'] })).toThrow('you must specify image when creating new container');
  });
});

describe('a Pod that debugs a node', () => {
  const host = { hostIPC: true, hostNetwork: true, hostPID: true };
  const files = { volumes: [{ name: 'host-root', hostPath: { path: '/' } }] };
  const mounts = { volumeMounts: [{ name: 'host-root', mountPath: '/host' }] };
  const netadmin = { securityContext: { capabilities: { add: ['NET_ADMIN', 'NET_RAW'] } } };
  const restricted = { securityContext: securityOf('restricted') };
  it.each<[DebugProfile, object, object]>([
    ['legacy', { ...host, ...files }, mounts],
    ['general', { ...host, ...files }, mounts],
    ['baseline', {}, {}],
    ['netadmin', host, netadmin],
    ['restricted', {}, restricted],
    ['sysadmin', { ...host, ...files }, { ...mounts, securityContext: { privileged: true } }],
  ])('with the profile %s', (profile, spec, fields) => {
    const container = { name: 'debugger', image: 'busybox', command: ['sleep', '1'] };
    const pod = nodeDebugger('vm', container, profile);
    expect(pod.metadata.name).toMatch(/^node-debugger-vm-[a-z0-9]{5}$/);
    expect(pod['spec']).toEqual({
      containers: [{ ...container, ...fields }],
      nodeName: 'vm',
      restartPolicy: 'Never',
      tolerations: [{ operator: 'Exists' }],
      ...spec,
    });
  });
});

it.each([
  ['web --copy-to=c', 2, 'you must specify --image, --set-image or command arguments.'],
  ['web --set-image=app=x', 2, '--set-image may only be used with --copy-to.'],
  ['web --same-node', 2, '--same-node may only be used with --copy-to.'],
  [
    'web --copy-to=c --image=b --target=app',
    2,
    '--target is incompatible with --copy-to. Use --share-processes instead.',
  ],
])('debug %s is refused', async (line, exitCode, message) => {
  putStates(storeOf(workshop), ['running-ready']);
  const { stderr, ...ended } = await runHere(workshop, ['debug', ...line.split(' ')]);
  expect(stderr.split('\n')[0]).toBe(`error: ${message}`);
  expect(ended).toEqual({ exitCode, stdout: '' });
});

it('a copy runs in the background, once', async () => {
  const store = storeOf(workshop);
  const [web] = goldenPods('running-ready') as [StoredPod];
  const { readinessProbe: _, ...main } = web.spec.containers[0]!;
  const spec = { restartPolicy: 'Always' as const, containers: [{ ...main, command: ['sleep', '600'] }] };
  store.create('pods', { ...web, spec });
  const line = ['debug', 'web', '--copy-to=twin', '-c', main.name, '--', 'sleep', '601'];
  expect(await runHere(workshop, line)).toMatchObject({ exitCode: 0, stdout: '' });
  expect(store.get<StoredPod>('pods', 'default', 'twin')?.spec).toMatchObject({
    shareProcessNamespace: true,
    containers: [{ name: main.name, command: ['sleep', '601'] }],
  });
  expect((await runHere(workshop, line)).stderr).toBe(
    'Error from server (AlreadyExists): pods "twin" already exists\n',
  );
  await runHere(workshop, ['delete', 'pod', 'twin', '--force']);
});
