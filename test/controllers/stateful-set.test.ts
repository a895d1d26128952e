import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StatefulSetSpec, StatefulSetStatus } from '../../src/api/generated/types.ts';
import type { JsonObject } from '../../src/api/json.ts';
import type { StoredPod } from '../../src/api/objects.ts';
import { START_MS, templateOf } from './manifests.ts';
import { type Behaviour, SimulatedNode } from './simulated-node.ts';
import { World } from './world.ts';

const RUNS: Behaviour = { readyAfterMs: 100 };

function newSet(spec: Partial<StatefulSetSpec> = {}, behaviourOf = (_pod: StoredPod): Behaviour => RUNS) {
  const world = new World(START_MS);
  const shared = {
    replicas: 3,
    serviceName: 'db',
    selector: { matchLabels: { app: 'web' } },
    template: templateOf('1'),
    podManagementPolicy: 'OrderedReady' as const,
    updateStrategy: { type: 'RollingUpdate' as const, rollingUpdate: { partition: 0 } },
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  };
  const metadata = { name: 'db', namespace: 'default' };
  world.create({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec: { ...shared, ...spec } }, 'db');
  const node = new SimulatedNode(world, behaviourOf);
  node.run(5000);
  return { world, node };
}

const names = (world: World, kind = 'Pod'): string[] =>
  world
    .list(kind)
    .map(({ metadata }) => metadata.name)
    .toSorted();
const statusOf = (world: World): StatefulSetStatus => world.find('StatefulSet', 'db')['status'] as StatefulSetStatus;
const change = (world: World, spec: JsonObject): void => world.update('db', { spec });
const versions = (world: World): (string | undefined)[] =>
  world
    .pods()
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map(({ spec }) => spec.containers[0]?.env?.[0]?.value);
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
  });
});

const anySet = fc.record({
  podManagementPolicy: fc.constantFrom('OrderedReady' as const, 'Parallel' as const),
  changes: fc.array(
    fc.record({
      replicas: fc.integer({ min: 0, max: 4 }),
      version: fc.constantFrom('1', '2', '3'),
      partition: fc.constantFrom(0, 0, 1, 2),
      afterMs: fc.nat(3000),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  deaths: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 8 }),
});

describe('any StatefulSet', () => {
  it('comes to the Pods that it is to have, one at a time and in order, each with a name of its own', () => {
    fc.assert(
      fc.property(anySet, ({ podManagementPolicy, changes, deaths: all }) => {
        const { world, node } = newSet({ podManagementPolicy });
        const deaths = [...all];
        let left = deaths.pop() ?? 0;
        world.dies = () => left > 0 && (left -= 1) === 0 && ((left = deaths.pop() ?? 0), true);
        for (const { replicas, version, partition, afterMs } of changes) {
          const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition } };
          change(world, { replicas, updateStrategy, template: templateOf(version) });
          node.run(afterMs);
        }
        node.run(120_000);
        const { replicas = 0, version, partition = 0 } = changes.at(-1) ?? {};
        expect(names(world)).toEqual(Array.from({ length: replicas }, (_, ordinal) => `db-${ordinal}`));
        expect(
          versions(world)
            .slice(partition)
            .every((found) => found === version),
        ).toBe(true);
        expect(statusOf(world)).toMatchObject({ replicas, availableReplicas: replicas });
        expect(podManagementPolicy === 'Parallel' || startedInOrder(world)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

/** True when each Pod was made while all below it were ready. */
function startedInOrder({ writes }: World): boolean {
  const ready = new Map<string, boolean>();
  for (const { type, object } of writes) {
    if (object.kind !== 'Pod') continue;
    const { name } = object.metadata;
    const ordinal = Number(name.slice('db-'.length));
    const lower = Array.from({ length: ordinal }, (_, index) => ready.get(`db-${index}`) ?? false);
    if (type === 'ADDED' && lower.includes(false)) return false;
    const { status } = object as unknown as StoredPod;
    const isReady = status.conditions?.some(({ type: kind, status: value }) => kind === 'Ready' && value === 'True');
    ready.set(name, type !== 'DELETED' && isReady === true && object.metadata.deletionTimestamp === undefined);
  }
  return true;
}
