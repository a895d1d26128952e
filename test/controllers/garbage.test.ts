import { describe, expect, it } from 'vitest';
import { defaultPropagation, finalizersAfterDelete, garbageActions } from '../../src/controllers/garbage/collect.ts';
import type { Owned } from '../../src/controllers/base/reconcile.ts';
import { newDeployment, newJob, START_MS } from './manifests.ts';
import { SimulatedNode } from './simulated-node.ts';
import { World } from './world.ts';

type Metadata = Partial<Owned['metadata']>;

function object(uid: string, owners: readonly string[] = [], metadata: Metadata = {}, isBlocking = true): Owned {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: owner,
    uid: owner,
    blockOwnerDeletion: isBlocking,
  }));
  const system = { name: uid, namespace: 'default', uid, resourceVersion: '1', creationTimestamp: '' };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...system, ownerReferences, ...metadata } };
}

const deleted = (finalizer: string): Metadata => ({ deletionTimestamp: 'now', finalizers: [finalizer] });
const deletesOf = (objects: readonly Owned[]): string[] =>
  garbageActions(objects).flatMap((action) =>
    action.type === 'delete' ? [`${action.on.name} ${action.propagation}`] : [],
  );
const patchesOf = (objects: readonly Owned[]): unknown[] =>
  garbageActions(objects).flatMap((action) => (action.type === 'update' ? [[action.on.name, action.patch]] : []));

describe('garbage', () => {
  it('is what all owners have left behind, also if there never was one', () => {
    expect(deletesOf([object('a', ['gone'])])).toEqual(['a Background']);
    expect(deletesOf([object('owner'), object('a', ['owner']), object('b')])).toEqual([]);
  });

  it('excludes an object with one present owner, which loses the references to the rest', () => {
    const objects = [object('owner'), object('a', ['gone', 'owner'])];
    expect(deletesOf(objects)).toEqual([]);
    expect(patchesOf(objects)).toMatchObject([['a', { metadata: { ownerReferences: [{ uid: 'owner' }] } }]]);
  });

  it('goes before an owner that is deleted in the foreground, and its own before it', () => {
    const owner = object('owner', [], deleted('foregroundDeletion'));
    const objects = [owner, object('a', ['owner']), object('b', ['a']), object('c', ['owner'])];
    expect(deletesOf(objects)).toEqual(['a Foreground', 'c Background']);
    expect(patchesOf([owner])).toEqual([['owner', { metadata: { finalizers: null } }]]);
  });

  it('is not waited for when it does not block its owner', () => {
    const owner = object('owner', [], deleted('foregroundDeletion'));
    const objects = [owner, object('a', ['owner'], {}, false)];
    expect(patchesOf(objects)).toEqual([['owner', { metadata: { finalizers: null } }]]);
    expect(deletesOf(objects)).toEqual(['a Background']);
  });

  it('is none of the orphans: these lose their owner before it goes', () => {
    const owner = object('owner', [], deleted('orphan'));
    expect(patchesOf([owner, object('a', ['owner'])])).toEqual([['a', { metadata: { ownerReferences: null } }]]);
    expect(patchesOf([owner])).toEqual([['owner', { metadata: { finalizers: null } }]]);
  });
});

describe('a deletion', () => {
  it('without a policy orphans the Pods of Jobs and of ReplicationControllers only', () => {
    expect(defaultPropagation({ apiVersion: 'batch/v1', kind: 'Job' })).toBe('Orphan');
    expect(defaultPropagation({ apiVersion: 'v1', kind: 'ReplicationController' })).toBe('Orphan');
    expect(defaultPropagation({ apiVersion: 'apps/v1', kind: 'Deployment' })).toBe('Background');
  });

  it('replaces the finalizer of another policy with its own', () => {
    const waiting = object('a', [], { finalizers: ['example.com/mine', 'foregroundDeletion'] });
    expect(finalizersAfterDelete(waiting, 'Orphan')).toEqual(['example.com/mine', 'orphan']);
    expect(finalizersAfterDelete(waiting, 'Foreground')).toEqual(['example.com/mine', 'foregroundDeletion']);
    expect(finalizersAfterDelete(waiting, 'Background')).toEqual(['example.com/mine']);
  });

  it('in the foreground removes Pods, then ReplicaSets, then the Deployment', () => {
    const world = new World(START_MS);
    world.create(newDeployment(), 'web');
    const node = new SimulatedNode(world, () => ({ readyAfterMs: 100 }));
    node.run(1000);
    world.delete('web', 'Foreground');
    node.run(5000);
    const order = world.writes.filter(({ type }) => type === 'DELETED').map(({ object: { kind } }) => kind);
    expect(order).toEqual(['Pod', 'Pod', 'Pod', 'ReplicaSet', 'Deployment']);
  });

  it('takes the finalizer from the Pods of a Job that is gone', () => {
    const world = new World(START_MS);
    world.create(newJob(), 'job');
    const node = new SimulatedNode(world, () => ({ readyAfterMs: 100 }));
    node.run(1000);
    world.delete('job', 'Background');
    node.run(5000);
    expect(world.list()).toEqual([]);
  });

  it('of a Job that orphans its Pods lets them run on without finalizer', () => {
    const world = new World(START_MS);
    world.create(newJob(), 'job');
    const node = new SimulatedNode(world, () => ({ readyAfterMs: 100 }));
    node.run(1000);
    world.delete('job', 'Orphan');
    node.run(5000);
    expect(world.list().map(({ kind }) => kind)).toEqual(['Pod']);
    expect(world.pods()[0]?.metadata.finalizers).toBeUndefined();
    expect(world.pods()[0]?.metadata.ownerReferences).toBeUndefined();
  });
});
