import { describe, expect, it } from 'vitest';
import { PODS_PER_SYNC } from '../../src/controllers/base/actions.ts';
import { planSet } from '../../src/controllers/stateful-set/plan-set.ts';
import type { StoredClaim, StoredStatefulSet } from '../../src/controllers/base/reconcile.ts';
import { retainedClaims } from '../../src/controllers/stateful-set/set-pods.ts';
import { START_MS, templateOf } from './manifests.ts';
import { change, names, newSet, RUNS, statusOf, versions } from './new-set.ts';
import { SimulatedNode } from './simulated-node.ts';
import { World } from './world.ts';

const claimTemplate = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce' as const] } };

describe('a StatefulSet', () => {
  it('makes a claim for each Pod before the Pod, and keeps it', () => {
    const { world, node } = newSet({ replicas: 2, volumeClaimTemplates: [claimTemplate] });
    expect(names(world, 'PersistentVolumeClaim')).toEqual(['data-db-0', 'data-db-1']);
    expect(world.pods()[0]?.spec.volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } },
    ]);
    expect(world.events.map(({ message }) => message).slice(0, 2)).toEqual([
      'Create Claim data-db-0 Pod db-0 in StatefulSet db success',
      'Create Pod db-0 in StatefulSet db successful',
    ]);
    change(world, { replicas: 0 });
    node.run(5000);
    world.delete('db', 'Background');
    node.run(5000);
    expect(names(world, 'PersistentVolumeClaim')).toEqual(['data-db-0', 'data-db-1']);
  });

  it('lets claims go with its Pods and with itself, as its policy says', () => {
    const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
    const { world, node } = newSet({ volumeClaimTemplates: [claimTemplate], persistentVolumeClaimRetentionPolicy });
    change(world, { replicas: 1 });
    node.run(5000);
    expect(names(world, 'PersistentVolumeClaim')).toEqual(['data-db-0']);
    change(world, { replicas: 2 });
    node.run(5000);
    expect(names(world, 'PersistentVolumeClaim')).toEqual(['data-db-0', 'data-db-1']);
    world.delete('db', 'Background');
    node.run(5000);
    expect(world.list()).toEqual([]);
  });

  it('leaves a claim alone that has another controller', () => {
    const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
    const { world } = newSet({ volumeClaimTemplates: [claimTemplate], persistentVolumeClaimRetentionPolicy });
    const set = world.find('StatefulSet', 'db') as unknown as StoredStatefulSet;
    const claim = world.find('PersistentVolumeClaim', 'data-db-0') as unknown as StoredClaim;
    const owner = { apiVersion: 'v1', kind: 'Operator', name: 'op', uid: 'op', controller: true };
    const [operated, free] = [[owner], []].map((ownerReferences) => ({
      ...claim,
      metadata: { ...claim.metadata, ownerReferences },
    }));
    expect(retainedClaims(set, 0, [operated!])).toEqual([]);
    expect(retainedClaims(set, 0, [free!])).toHaveLength(1);
  });

  it('is stuck with a broken update until the broken Pod is deleted by hand', () => {
    const { world, node } = newSet({}, (pod) => (pod.spec.containers[0]?.env?.[0]?.value === '2' ? {} : RUNS));
    change(world, { template: templateOf('2') });
    node.run(5000);
    change(world, { template: templateOf('3') });
    node.run(60_000);
    expect(versions(world)).toEqual(['1', '1', '2']);
    world.delete(world.find('Pod', 'db-2').metadata.uid, 'Background');
    node.run(10_000);
    expect(versions(world)).toEqual(['3', '3', '3']);
    expect(names(world, 'ControllerRevision')).toHaveLength(3);
  });

  it('updates one Pod at a time, the highest first, also with Parallel', () => {
    const { world, node } = newSet({ podManagementPolicy: 'Parallel' });
    const before = world.writes.length;
    change(world, { template: templateOf('2') });
    node.run(20_000);
    const kept = world.writes.slice(before).filter(({ type, object }) => type !== 'MODIFIED' && object.kind === 'Pod');
    expect(kept.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      'DELETED db-2',
      'ADDED db-2',
      'DELETED db-1',
      'ADDED db-1',
      'DELETED db-0',
      'ADDED db-0',
    ]);
  });

  it('makes some of its Pods at a time with Parallel: it may want any number of them', () => {
    const spec = { replicas: 2_000_000_000, podManagementPolicy: 'Parallel', template: templateOf('1') };
    const set = { metadata: { name: 'db', namespace: 'default', uid: 'u' }, spec } as unknown as StoredStatefulSet;
    const revision = { name: 'db-1', template: templateOf('1') };
    const { actions } = planSet({ set, pods: [], claims: [], current: revision, update: revision, nowMs: 0 });
    const created = actions.filter(({ type }) => type === 'create');
    expect(created).toHaveLength(PODS_PER_SYNC);
  });

  it('waits for minReadySeconds before the next Pod, and calls the Pods available then', () => {
    const { world, node } = newSet({ replicas: 2, minReadySeconds: 10 });
    expect(names(world)).toEqual(['db-0']);
    expect(statusOf(world)).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
    node.run(20_000);
    expect(statusOf(world)).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
  });

  it('deletes the first unavailable Pod at once, and waits before it deletes the next', () => {
    const { world, node } = newSet({ replicas: 2, minReadySeconds: 10 });
    node.run(15_000);
    change(world, { replicas: 1 });
    node.run(1000);
    expect(names(world)).toEqual(['db-0']);
  });

  it('counts a template that it had before up again, and forgets old ones', () => {
    const { world, node } = newSet({ replicas: 1, revisionHistoryLimit: 1 });
    for (const version of ['2', '1', '3', '4']) {
      change(world, { template: templateOf(version) });
      node.run(5000);
    }
    const numbers = world.list('ControllerRevision').map((revision) => revision['revision']);
    expect(numbers).toEqual([4, 5]);
    expect(statusOf(world)).toMatchObject({ updatedReplicas: 1, currentReplicas: 1 });
    expect(statusOf(world).currentRevision).toBe(statusOf(world).updateRevision);
  });

  it('makes a Pod anew that has ended, whatever its exit code', () => {
    const { world, node } = newSet({ replicas: 1 });
    const { uid } = world.find('Pod', 'db-0').metadata;
    world.setStatus(uid, { phase: 'Succeeded' });
    node.run(5000);
    expect(world.find('Pod', 'db-0').metadata.uid).not.toBe(uid);
  });

  it('adopts a Pod with its labels and a name of its own, and gives it the labels that lack', () => {
    const world = new World(START_MS);
    const metadata = { name: 'db-0', namespace: 'default', labels: { app: 'web' } };
    const orphan = world.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: templateOf('1').spec });
    const other = world.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: 'else' },
      spec: templateOf('1').spec,
    });
    const { spec } = newSet({ updateStrategy: { type: 'OnDelete' } }).world.find('StatefulSet', 'db');
    world.create(
      { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db', namespace: 'default' }, spec },
      'db',
    );
    new SimulatedNode(world, () => RUNS).run(5000);
    expect(world.get(orphan.metadata.uid)?.metadata).toMatchObject({
      labels: { 'apps.kubernetes.io/pod-index': '0' },
      ownerReferences: [{ uid: 'db' }],
    });
    expect(world.get(other.metadata.uid)?.metadata.ownerReferences).toBeUndefined();
  });

  it('tells of a Pod that it cannot create', () => {
    const world = new World(START_MS);
    const { spec } = newSet().world.find('StatefulSet', 'db');
    world.refuses = ({ kind }) => (kind === 'Pod' ? 'exceeded quota' : undefined);
    world.create(
      { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db', namespace: 'default' }, spec },
      'db',
    );
    world.settle();
    expect(world.events[0]).toMatchObject({
      reason: 'FailedCreate',
      message: 'Create Pod db-0 in StatefulSet db failed error: exceeded quota',
    });
    expect(statusOf(world)).toMatchObject({ observedGeneration: 1, replicas: 0 });
  });
});
