import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { PATIENT } from '../patience.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach({ leavesPods: true });

const CONTAINERS = [{ name: 'main', image: 'busybox', command: ['sleep', '1000'] }];

async function nodesOfPods(): Promise<string[]> {
  const { stdout } = await workshop.run(['get', 'pods', '-o', 'jsonpath={.items[*].spec.nodeName}']);
  return stdout.trim().split(' ').toSorted();
}

it('a node that asks for one has a disk of its own', async () => {
  const nodes = [{ name: 'own', count: 2, hostPath: 'own' }, { name: 'plain' }];
  workshop.file('podrun.yaml', stringify({ nodes }));
  const place = `${workshop.folder}/data`;
  const writer = (node: string, type: string): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: node },
    spec: {
      nodeName: node,
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'main',
          image: 'busybox',
          command: ['sh', '-c', `echo ${node} >> "$PODRUN_VOLUME_DATA/file" && exec sleep 1000`],
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
      volumes: [{ name: 'data', hostPath: { path: place, type } }],
    },
  });
  const pods = [writer('own-1', 'Directory'), writer('own-2', ''), writer('plain', 'DirectoryOrCreate')];
  const file = workshop.file('pods.yaml', pods.map((pod) => stringify(pod)).join('---\n'));
  const flags = ['--config', 'podrun.yaml', '--runtime', 'process', '--until', 'ready', '-d'];
  expect((await workshop.run(['apply', '-f', file, ...flags])).exitCode).toBe(0);
  const read = async (folder: string): Promise<string> => readFile(path.join(folder, 'file'), 'utf8');
  await expect.poll(() => read(place).catch(() => ''), PATIENT).toBe('plain\n');
  for (const node of ['own-1', 'own-2']) {
    const disk = path.join(workshop.stateDir, 'disks', node, place);
    await expect.poll(() => read(disk).catch(() => ''), PATIENT).toBe(`${node}\n`);
  }
});

it('the disk of a node goes with it', async () => {
  workshop.file('podrun.yaml', stringify({ nodes: [{ name: 'own', hostPath: 'own' }] }));
  const volumes = [{ name: 'data', hostPath: { path: '/data' } }];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: CONTAINERS, volumes } };
  const file = workshop.file('a.yaml', stringify(pod));
  const disk = path.join(workshop.stateDir, 'disks/own');
  expect((await workshop.run(['apply', '-f', file, '--until', 'ready', '-d'])).exitCode).toBe(0);
  expect(existsSync(path.join(disk, 'data'))).toBe(true);
  await workshop.run(['delete', 'pod', 'a', '--force']);
  expect((await workshop.run(['delete', 'node', 'own'])).exitCode).toBe(0);
  expect(existsSync(disk)).toBe(false);
});

describe('local volumes of nodes', () => {
  const type = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'local' },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  };
  const resources = { requests: { storage: '1Gi' } };
  const claimOf = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'local', resources },
  });
  const diskOn = (node: string): object => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `disk-${node}` },
    spec: {
      capacity: resources.requests,
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'local',
      local: { path: workshop.folder },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
          ],
        },
      },
    },
  });
  const podWith = (name: string, spec: object): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      containers: CONTAINERS,
      terminationGracePeriodSeconds: 0,
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
      ...spec,
    },
  });
  const manifest = (...items: object[]): string => stringify({ apiVersion: 'v1', kind: 'List', items });

  it('are bound to a claim when its Pod is placed', async () => {
    const disks = ['node-1', 'node-2', 'node-3'].map(diskOn);
    const pod = podWith('a', { nodeSelector: { 'kubernetes.io/hostname': 'node-2' } });
    // The class stands behind the claim: nothing binds it before.
    const file = workshop.file('a.yaml', manifest(pod, claimOf('a'), type, claimOf('idle'), ...disks));
    const { stderr } = await workshop.run(['apply', '-f', file, '--nodes', '3', '--until', 'ready', '-d']);
    expect(stderr).toBe('');
    const { stdout } = await workshop.run(['get', 'pvc', '-o', 'jsonpath={.items[*].spec.volumeName}']);
    expect(stdout).toBe('disk-node-2');
    const idle = await workshop.run(['describe', 'pvc', 'idle']);
    expect(idle.stdout).toMatch(/Status: +Pending\n/);
    expect(idle.stdout).toContain('waiting for first consumer to be created before binding');
  });

  it('hold a Pod back that no node with a free one takes, until there is one', async () => {
    const file = workshop.file('a.yaml', manifest(podWith('a', {}), claimOf('a'), type));
    const podrun = workshop.start(['apply', '-f', file, '--nodes', '2']);
    const why = "2 node(s) didn't find available persistent volumes to bind";
    await podrun.until(({ stdout }) => stdout.includes(why));
    const disk = workshop.file('disk.yaml', manifest(diskOn('node-2')));
    expect((await workshop.run(['apply', '-f', disk])).exitCode).toBe(0);
    expect((await workshop.run(['wait', 'pod/a', '--for=condition=Ready', '--timeout=30s'])).exitCode).toBe(0);
    expect(await nodesOfPods()).toEqual(['node-2']);
    podrun.signal('SIGINT');
    await podrun.ended;
  });
});
