import { describe, expect, it } from 'vitest';
import { environmentStep } from '../../../src/kubelet/steps/environment.ts';
import { hostEnvironmentStep } from '../../../src/kubelet/steps/host-environment.ts';
import { programStep } from '../../../src/kubelet/steps/program.ts';
import { terminalStep } from '../../../src/kubelet/steps/terminal.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../../src/simulation/memory-store.ts';
import type { StoredService } from '../../../src/api/index.ts';
import { node } from '../../lifecycle/base-objects.ts';
import { changesOf, outcomeOf } from './one-start.ts';

describe('the environment of the host', () => {
  const hostEnv = { PATH: '/bin', LC_ALL: 'C', SHELL: '/bin/sh', SSH_AUTH_SOCK: '/tmp/s', PS1: '$', LANG: undefined };
  const step = hostEnvironmentStep(hostEnv, '/home/me');

  it('offers few variables of podrun, its folder, and the name of the Pod', async () => {
    expect(await changesOf(step)).toEqual({
      cwd: '/home/me',
      defaults: { PATH: '/bin', LC_ALL: 'C', SHELL: '/bin/sh', HOSTNAME: 'web' },
    });
  });

  it('offers the address of a Pod that has one', async () => {
    const { defaults } = await changesOf(step, { sandbox: { podIP: '127.1.2.3' } });
    expect(defaults).toMatchObject({ POD_IP: '127.1.2.3' });
  });
});

describe('the terminal', () => {
  it('has a type, whatever the type of podrun is', async () => {
    const draft = { defaults: { TERM: 'dumb' } };
    expect(await changesOf(terminalStep, { container: { stdin: true, tty: true } }, draft)).toEqual({
      stdin: true,
      tty: true,
      defaults: { TERM: 'xterm' },
    });
    expect(await changesOf(terminalStep, {}, draft)).toEqual({ stdin: false, tty: false });
  });
});

const foreignAt = () => Promise.resolve([]);
const nodeOf = () => node;
const isOnMachine = () => false;

describe('the environment of the manifest', () => {
  const step = environmentStep({
    store: new MemoryStore(new ManualClock()),
    nodeOf,
    network: 'host',
    isOnMachine,
    foreignAt,
  });

  it('has the variables of env, in which fields of the Pod appear', async () => {
    const env = [
      { name: 'WHERE', value: 'at $(IP)' },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'WHAT', value: 'at $(IP)' },
    ];
    const { variables } = await changesOf(step, { container: { env }, sandbox: { podIP: '127.1.2.3' } });
    expect([...(variables ?? [])].filter(([name]) => !name.startsWith('KUBERNETES_'))).toEqual([
      ['WHERE', 'at $(IP)'],
      ['IP', '127.1.2.3'],
      ['WHAT', 'at 127.1.2.3'],
    ]);
  });

  it.each([
    ['host', '127.96.0.1'],
    ['cluster', '10.96.0.1'],
  ] as const)('tells programs in the network %s that they are in a cluster', async (network, address) => {
    const store = new MemoryStore(new ManualClock());
    const { variables } = await changesOf(environmentStep({ store, nodeOf, network, isOnMachine, foreignAt }));
    expect(Object.fromEntries(variables ?? [])).toEqual({
      KUBERNETES_SERVICE_HOST: address,
      KUBERNETES_SERVICE_PORT: '443',
      KUBERNETES_SERVICE_PORT_HTTPS: '443',
      KUBERNETES_PORT: `tcp://${address}:443`,
      KUBERNETES_PORT_443_TCP: `tcp://${address}:443`,
      KUBERNETES_PORT_443_TCP_PROTO: 'tcp',
      KUBERNETES_PORT_443_TCP_PORT: '443',
      KUBERNETES_PORT_443_TCP_ADDR: address,
    });
  });

  it('leaves out a Service at whose address another program responds', async () => {
    const store = new MemoryStore(new ManualClock());
    for (const [name, clusterIP] of [
      ['db', '127.96.0.11'],
      ['web', '127.96.0.12'],
    ] as const) {
      const metadata = { name, namespace: 'shop', uid: name, creationTimestamp: '', resourceVersion: '1' };
      store.create<StoredService>('services', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata,
        spec: { clusterIP, ports: [{ port: 5432 }] },
      });
    }
    const asked: unknown[] = [];
    const step = environmentStep({
      store,
      nodeOf,
      network: 'host',
      isOnMachine,
      foreignAt: (places) => {
        asked.push(...places.map(({ address, port }) => `${address}:${port}`));
        return Promise.resolve(places.filter(({ address }) => address === '127.96.0.11'));
      },
    });
    const { variables } = await changesOf(step);
    expect(asked).toEqual(['127.96.0.11:5432', '127.96.0.12:5432']);
    expect(['DB_SERVICE_HOST', 'WEB_SERVICE_HOST'].map((name) => variables?.get(name))).toEqual([
      undefined,
      '127.96.0.12',
    ]);
  });

  it('cannot be without a ConfigMap that it names', async () => {
    const envFrom = [{ configMapRef: { name: 'settings' } }];
    expect(await outcomeOf(step, { container: { envFrom } })).toEqual({
      ok: false,
      stage: 'config',
      message: 'configmap "settings" not found',
    });
  });
});

describe('the program', () => {
  const image = { pattern: 'nginx', command: ['nginx'], args: ['-q'], env: { COLOR: 'blue' }, workingDir: '/www' };
  const step = programStep({ commandLine: [], configFile: [{ ...image, folder: undefined }] });
  const draft = { cwd: '/home/me', defaults: { A: '1' }, variables: new Map([['GREETING', 'hi']]) };

  it('is the command of the manifest, with its variables, in the folder of podrun', async () => {
    const container = { command: ['echo', '$(GREETING)'], args: ['$(OTHER)'] };
    expect(await changesOf(step, { container }, draft)).toEqual({
      argv: ['echo', 'hi', '$(OTHER)'],
      cwd: '/home/me',
      defaults: { A: '1' },
    });
  });

  it('comes from the image, with the variables and the folder of the image', async () => {
    expect(await changesOf(step, { container: { image: 'nginx' } }, draft)).toEqual({
      argv: ['nginx', '-q'],
      cwd: '/www',
      defaults: { A: '1', COLOR: 'blue' },
    });
  });

  it('sees the files of the folder of its own image, unless it runs in the image itself', async () => {
    const files = { ...image, folder: '/files' };
    const covered = programStep({ commandLine: [], configFile: [files] });
    const command = ['nginx', '-t'];
    expect(await changesOf(covered, { container: { image: 'nginx', command } }, draft)).toMatchObject({
      imageFolder: '/files',
    });
    expect(await changesOf(covered, { container: { image: 'other', command } }, draft)).not.toHaveProperty(
      'imageFolder',
    );
    const config = { Entrypoint: ['nginx'] };
    const root = { folder: '/l', layers: 1, owners: 'root' } as const;
    const inImage = { ...draft, image: { config, root } } as unknown as Parameters<typeof changesOf>[2];
    expect(await changesOf(covered, { container: { image: 'nginx' } }, inImage)).not.toHaveProperty('imageFolder');
  });

  it('runs where the volume of its working directory lies', async () => {
    const container = { command: ['pwd'], workingDir: '/data' };
    const { cwd } = await changesOf(
      step,
      { container },
      { ...draft, volumePlaces: [{ mountPath: '/', source: '/volumes' }] },
    );
    expect(cwd).toBe('/volumes/data');
  });

  it('is unknown for an image without an entry', async () => {
    expect(await outcomeOf(step, { container: { image: 'redis' } })).toMatchObject({ ok: false, stage: 'config' });
  });
});
