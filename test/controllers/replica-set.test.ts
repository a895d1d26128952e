import { describe, expect, it } from 'vitest';
import { START_MS, templateOf } from './manifests.ts';
import { names } from './new-set.ts';
import { SimulatedNode } from './simulated-node.ts';
import type { StoredPod } from '../../src/api/index.ts';
import { inOrderOfDeletion } from '../../src/controllers/base/scale-down.ts';
import { World } from './world.ts';

const ready = { readyAfterMs: 100 };

/** A world with a Pod of the label `app: web`, which gets a ReplicaSet of two Pods when its program has run so long. */
function adopt(runsForMs: number | undefined): World {
  const world = new World(START_MS);
  const node = new SimulatedNode(world, (_, number) => (number === 1 ? { ...ready, runsForMs } : ready));
  const metadata = { namespace: 'default', labels: { app: 'web' } };
  world.create({ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'own' }, spec: templateOf('1').spec });
  node.run(1000);
  const spec = { replicas: 2, selector: { matchLabels: metadata.labels }, template: templateOf('1') };
  world.create({ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { ...metadata, name: 'web' }, spec }, 'web');
  node.run(1000);
  return world;
}

describe('a ReplicaSet', () => {
  it('adopts a Pod that runs, and makes one less', () => {
    const world = adopt(undefined);
    expect(world.find('Pod', 'own').metadata.ownerReferences).toMatchObject([{ uid: 'web' }]);
    expect(names(world)).toHaveLength(2);
  });

  it('leaves a Pod alone that has ended', () => {
    const world = adopt(500);
    expect(world.find('Pod', 'own').metadata.ownerReferences).toBeUndefined();
    expect(names(world)).toHaveLength(3);
  });

  it('keeps a Pod that has ended, also when its labels no longer match', () => {
    const world = adopt(undefined);
    const { uid } = world.find('Pod', 'own').metadata;
    world.setStatus(uid, { phase: 'Failed' });
    world.update(uid, { metadata: { labels: { app: 'other' } } });
    new SimulatedNode(world, () => ready).run(1000);
    expect(world.get(uid)?.metadata.ownerReferences).toMatchObject([{ uid: 'web' }]);
    expect(world.find('ReplicaSet', 'web')['status']).toMatchObject({ replicas: 2 });
  });
});

describe('the order of deletion on several nodes', () => {
  const on = (name: string, nodeName: string, cost?: string): StoredPod =>
    ({
      metadata: { name, uid: name, annotations: cost && { 'controller.kubernetes.io/pod-deletion-cost': cost } },
      spec: { nodeName, containers: [] },
      status: { phase: 'Running' },
    }) as unknown as StoredPod;
  const alike = [on('p1', 'a'), on('p2', 'b'), on('p3', 'b')];

  it.each<[string, StoredPod[], StoredPod[] | undefined, string[]]>([
    ['Pods of the node with more of them go first', alike, alike, ['p2', 'p3', 'p1']],
    [
      'the other ReplicaSets of the Deployment count',
      alike,
      [...alike, on('q1', 'a'), on('q2', 'a')],
      ['p1', 'p2', 'p3'],
    ],
    ['the cost decides before', [on('p1', 'a', '-1'), ...alike.slice(1)], alike, ['p1', 'p2', 'p3']],
    ['Jobs look at neither', alike, undefined, ['p1', 'p2', 'p3']],
  ])('%s', (_, pods, related, order) => {
    expect(inOrderOfDeletion(pods, related).map(({ metadata }) => metadata.name)).toEqual(order);
  });
});
