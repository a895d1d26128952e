import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { debugCopy, nodeDebugger } from '../../src/cli/debug/debug-pods.ts';
import { customized, readCustomProfile } from '../../src/cli/debug/custom-profile.ts';
import { type DebugProfile, keptParts, securityOf } from '../../src/cli/debug/profiles.ts';
import { goldenPods } from '../print/golden.ts';
import { runHere } from './in-process.ts';
import { putStates, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

// The Pods that kubectl 1.36 makes, with --profile=general unless another one is named.
const workshop = workshopForEach();

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' }, annotations: { note: 'x' } },
  spec: {
    nodeName: 'vm',
    restartPolicy: 'Always',
    initContainers: [{ name: 'init', image: 'busybox' }],
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
const INIT = { initContainers: [{ name: 'init', image: 'busybox' }] };
const NOTHING = { labels: false, annotations: false, liveness: false, readiness: false, startup: false };
const KEPT = { ...NOTHING, initContainers: true };

const copy = (container: object | undefined, images: Record<string, string> = {}, more: object = {}) =>
  debugCopy(POD, {
    name: 'c',
    container,
    images: new Map(Object.entries(images)),
    sharesProcesses: true,
    isOnSameNode: false,
    keeps: KEPT,
    custom: undefined,
    ...more,
  });

describe('a copy of a Pod', () => {
  it('has a new container, and no probes, labels, annotations, node or ephemeral containers of the Pod', () => {
    const debug = { name: 'dbg', image: 'busybox', command: ['sleep', '1'] };
    expect(copy(debug)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'c', namespace: 'default' },
      spec: { restartPolicy: 'Always', ...INIT, containers: [APP, SIDE, debug], shareProcessNamespace: true },
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
    expect(metadata).toMatchObject({ annotations: { note: 'x' }, labels: { app: 'web' } });
    expect(spec).toMatchObject(INIT);
    expect(spec.containers.map(({ image }) => image)).toEqual(['alpine', 'alpine']);
    expect(spec.containers[0]?.readinessProbe).toBeDefined();
    expect(spec.shareProcessNamespace).toBeUndefined();
  });

  it('may be on the same node, and share no processes', () => {
    const more = { sharesProcesses: false, isOnSameNode: true };
    expect(copy({ name: 'app', command: ['sh'] }, {}, more)['spec']).toEqual({
      nodeName: 'vm',
      restartPolicy: 'Always',
      ...INIT,
      containers: [{ ...APP, command: ['sh'] }, SIDE],
    });
  });

  it('keeps what the flags name', () => {
    const debug = { name: 'dbg', image: 'busybox' };
    const part = (keeps: object): unknown => {
      const { metadata, spec } = copy(debug, {}, { keeps: { ...KEPT, ...keeps } }) as unknown as StoredPod;
      const { labels, annotations } = metadata;
      return { labels, annotations, spec };
    };
    const probe = { exec: { command: ['true'] } };
    expect(part({ labels: true })).toMatchObject({ labels: { app: 'web' }, annotations: undefined });
    expect(part({ annotations: true })).toMatchObject({ annotations: { note: 'x' }, labels: undefined });
    expect(part({ readiness: true })).toMatchObject({ spec: { containers: [{ readinessProbe: probe }, SIDE, debug] } });
    expect(part({ liveness: true })).toMatchObject({ spec: { containers: [APP, { livenessProbe: probe }, debug] } });
    expect(part({ initContainers: false })).not.toHaveProperty('spec.initContainers');
    expect(keptParts('legacy', KEPT)).toMatchObject({ labels: false, annotations: true, readiness: true });
    expect(keptParts('baseline', KEPT)).toEqual(KEPT);
  });

  it('has the fields of a custom profile in its container for debugging alone', () => {
    const custom = {
      env: [
        { name: 'A', value: '2' },
        { name: 'Z', value: '3' },
      ],
      resources: { limits: { cpu: '1' } },
    };
    const { containers } = copy({ name: 'app', command: ['sh'] }, {}, { custom })['spec'] as StoredPod['spec'];
    expect(containers).toEqual([{ ...APP, command: ['sh'], ...custom }, SIDE]);
    const security = securityOf('general');
    const wanted = { securityContext: { capabilities: { add: ['NET_RAW'] } } };
    expect(customized({ name: 'e', image: 'x', securityContext: security }, wanted)).toEqual({
      name: 'e',
      image: 'x',
      ...wanted,
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
    expect(pod.metadata.labels).toEqual({ 'app.kubernetes.io/managed-by': 'kubectl-debug' });
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
  [
    'web --copy-to=c --set-image=*=x -- sh',
    2,
    'you must specify an existing container or a new image when specifying args.',
  ],
  ['web --set-image=app=x', 2, '--set-image may only be used with --copy-to.'],
  ['web --same-node', 2, '--same-node may only be used with --copy-to.'],
  ['web --replace', 2, '--replace may only be used with --copy-to.'],
  [
    'web --custom=none.json',
    2,
    'must pass a container spec json file for custom profile: open none.json: no such file or directory',
  ],
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

it.each([
  ['{"name":"x"}', 'name, command, image, lifecycle and volume devices are not modifiable via custom profile'],
  ['image: x', 'name, command, image, lifecycle and volume devices are not modifiable via custom profile'],
  ['[1]', /does not contain a valid container spec: json: cannot unmarshal array into Go value of type v1\.Container/],
  ['a: [', /custom\.json does not contain a valid container spec: /],
])('the custom profile %s is refused', (text, message) => {
  const file = workshop.file('custom.json', text);
  expect(() => readCustomProfile(file, file)).toThrow(message);
});

it('the old profile is deprecated', async () => {
  const { stderr } = await runHere(workshop, ['debug', 'nosuch', '--profile=legacy']);
  expect(stderr).toMatch(/^--profile=legacy is deprecated and planned to be removed in v1\.39\. .*\nError from server/);
});

it('a copy takes the place of its Pod with --replace', async () => {
  const store = storeOf(workshop);
  const [web] = goldenPods('running-ready') as [StoredPod];
  const { readinessProbe: _, ...main } = web.spec.containers[0]!;
  store.create('pods', { ...web, spec: { containers: [{ ...main, command: ['sleep', '600'] }] } });
  const custom = workshop.file('custom.yaml', 'env: [{name: LEVEL, value: debug}]\n');
  const flags = ['--copy-to=twin', '--replace', '--keep-labels', '--custom', custom, '-c', main.name];
  expect(await runHere(workshop, ['debug', 'web', ...flags, '--', 'sleep', '601'])).toMatchObject({ exitCode: 0 });
  expect(store.get('pods', 'default', 'web')).toBeUndefined();
  const twin = store.get<StoredPod>('pods', 'default', 'twin');
  expect(twin?.metadata.labels).toEqual(web.metadata.labels);
  expect(twin?.spec.containers[0]?.env).toContainEqual({ name: 'LEVEL', value: 'debug' });
  await runHere(workshop, ['delete', 'pod', 'twin', '--force']);
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
