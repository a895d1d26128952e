import { describe, expect, it } from 'vitest';
import { START_MS, templateOf } from './manifests.ts';
import { names } from './new-set.ts';
import { SimulatedNode } from './simulated-node.ts';
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
