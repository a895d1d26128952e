import { describe, expect, it } from 'vitest';
import type { KubeObject, StoredKubeObject } from '../../src/api/base/objects.ts';
import { clusterImages } from '../../src/remote/cluster-images.ts';
import { streamLines } from '../../src/remote/pod-logs.ts';
import { missingRule } from '../../src/remote/base/connection.ts';
import { OwnObjects } from '../../src/remote/own-objects.ts';

describe('missingRule', () => {
  it('names the rule of a refusal', () => {
    const message =
      'pods "web" is forbidden: User "dev" cannot get resource "pods/log" in API group "" in the namespace "shop"';
    expect(missingRule(message)).toBe(
      'An administrator of the cluster adds this rule to a Role of namespace shop of yours: ' +
        '{"apiGroups":[""],"resources":["pods/log"],"verbs":["get"]}',
    );
  });
  it('names a ClusterRole for what belongs to no namespace', () => {
    const message =
      'namespaces is forbidden: User "dev" cannot create resource "namespaces" in API group "" at the cluster scope';
    expect(missingRule(message)).toContain('to a ClusterRole of yours: {"apiGroups":[""],"resources":["namespaces"]');
  });
  it('knows no rule for a refusal of admission', () => {
    expect(missingRule('pods "web" is forbidden: exceeded quota: small')).toBeUndefined();
  });
});

describe('OwnObjects of a namespace of the user', () => {
  const object = (kind: string, uid: string, owner?: string): StoredKubeObject => ({
    apiVersion: 'v1',
    kind,
    metadata: {
      name: uid,
      namespace: 'n',
      uid,
      resourceVersion: '1',
      creationTimestamp: '',
      ...(owner !== undefined && { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: owner, uid: owner }] }),
    },
  });
  const names = (objects: readonly StoredKubeObject[]): string[] => objects.map(({ metadata }) => metadata.uid);

  it('takes what the created objects own, in whatever order it arrives', () => {
    const own = new OwnObjects(false);
    const event = { ...object('Event', 'event'), involvedObject: { uid: 'pod' } };
    expect(names(own.sort(event))).toEqual([]);
    expect(names(own.sort(object('Pod', 'pod', 'set')))).toEqual([]);
    expect(names(own.sort(object('ReplicaSet', 'set', 'web')))).toEqual([]);
    expect(names(own.add(object('Deployment', 'web')))).toEqual(['set', 'pod', 'event']);
    expect(names(own.sort(object('Pod', 'next', 'set')))).toEqual(['next']);
  });
  it('leaves foreign objects alone', () => {
    const own = new OwnObjects(false);
    own.add(object('Deployment', 'web'));
    expect(names(own.sort(object('Pod', 'foreign', 'other')))).toEqual([]);
    expect(own.remove(object('Pod', 'foreign', 'other'))).toBe(false);
  });
});

describe('clusterImages', () => {
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { template: { spec: { containers: [{ name: 'a', image: 'app:dev' }], initContainers: [{ image: 'sh' }] } } },
  };
  const mapped = {
    pattern: 'app:*',
    command: ['node'],
    args: undefined,
    env: {},
    workingDir: undefined,
    folder: undefined,
  };
  const images = { commandLine: [], configFile: [mapped] };

  it('puts the image of a registry in the place of a program of this machine', () => {
    const changed = clusterImages(images, ['app:dev=registry.example/app:1'])(pod);
    expect(changed?.['spec']).toEqual({
      template: {
        spec: { containers: [{ name: 'a', image: 'registry.example/app:1' }], initContainers: [{ image: 'sh' }] },
      },
    });
  });
  it('refuses a program of this machine', () => {
    expect(() => clusterImages(images, [])(pod)).toThrow('image "app:dev" is a program of this machine');
  });
  it('refuses a replacement that is none', () => {
    expect(() => clusterImages(images, ['app:dev'])).toThrow('invalid --on-cluster-image "app:dev"');
  });
});

it('streamLines joins what arrives in pieces', async () => {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (const text of ['a', 'b\n\nc', '\nd']) yield Buffer.from(text);
  }
  const lines: string[] = [];
  for await (const line of streamLines(chunks())) lines.push(line.toString());
  expect(lines).toEqual(['ab', '', 'c', 'd']);
});
