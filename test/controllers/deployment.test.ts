import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeploymentSpec, DeploymentStatus } from '../../src/api/generated/types.ts';
import type { JsonObject } from '../../src/api/json.ts';
import type { StoredPod } from '../../src/api/objects.ts';
import { scaledValue } from '../../src/controllers/deployment/rollout-arithmetic.ts';
import { newDeployment, START_MS, templateOf } from './manifests.ts';
import { type Behaviour, SimulatedNode } from './simulated-node.ts';
import { World, type WorldObject } from './world.ts';

const RUNS: Behaviour = { readyAfterMs: 100 };
const NEVER_READY: Behaviour = {};

function deploy(spec: Partial<DeploymentSpec> = {}, behaviourOf = (_pod: StoredPod): Behaviour => RUNS) {
  const world = new World(START_MS);
  world.create(newDeployment(spec), 'web');
  const node = new SimulatedNode(world, behaviourOf);
  node.run(1000);
  return { world, node };
}

const isOfVersion = (pod: StoredPod, version: string): boolean =>
  pod.spec.containers[0]?.env?.some(({ value }) => value === version) ?? false;
const statusOf = (world: World): DeploymentStatus => world.find('Deployment', 'web')['status'] as DeploymentStatus;
const conditionsOf = (world: World): Record<string, string | undefined> =>
  Object.fromEntries((statusOf(world).conditions ?? []).map(({ type = '', reason }) => [type, reason]));
const sizesOf = (world: World): number[] =>
  world.list('ReplicaSet').map((object) => (object['spec'] as { replicas: number }).replicas);
const change = (world: World, spec: JsonObject): void => world.update('web', { spec });

describe('a Deployment', () => {
  it('in the middle of a rollout is scaled by the share of its ReplicaSets', () => {
    const strategy = { type: 'RollingUpdate' as const, rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } };
    const { world, node } = deploy({ replicas: 4, strategy }, (pod) => (isOfVersion(pod, '2') ? NEVER_READY : RUNS));
    change(world, { template: templateOf('2') });
    node.run(1000);
    expect(sizesOf(world)).toEqual([4, 2]);
    change(world, { replicas: 8 });
    node.run(1000);
    expect(sizesOf(world)).toEqual([7, 3]);
    change(world, { replicas: 0 });
    node.run(1000);
    expect(sizesOf(world)).toEqual([0, 0]);
  });

  it('takes Pods away that are not available first', () => {
    const { world, node } = deploy({ replicas: 4 }, (pod) => (isOfVersion(pod, '2') ? NEVER_READY : RUNS));
    change(world, { template: templateOf('2') });
    node.run(1000);
    expect(sizesOf(world)).toEqual([3, 2]);
    change(world, { template: templateOf('3') });
    node.run(1000);
    expect(sizesOf(world)).toEqual([0, 0, 4]);
    expect(statusOf(world)).toMatchObject({ replicas: 4, updatedReplicas: 4, availableReplicas: 4 });
  });

  it('has timed out without progress, goes on trying, and says so when it gets further', () => {
    let isHealed = false;
    const { world, node } = deploy({ progressDeadlineSeconds: 5 }, (pod) =>
      isOfVersion(pod, '2') && !isHealed ? NEVER_READY : RUNS,
    );
    change(world, { template: templateOf('2') });
    node.run(10_000);
    expect(conditionsOf(world)).toEqual({
      Available: 'MinimumReplicasAvailable',
      Progressing: 'ProgressDeadlineExceeded',
    });
    change(world, { paused: true });
    node.run(1000);
    expect(conditionsOf(world)['Progressing']).toBe('ProgressDeadlineExceeded');
    isHealed = true;
    change(world, { paused: null });
    world.delete(world.pods().find((pod) => isOfVersion(pod, '2'))?.metadata.uid ?? '', 'Background');
    node.run(20_000);
    expect(conditionsOf(world)['Progressing']).toBe('NewReplicaSetAvailable');
  });

  it('counts a taken name into the next hash', () => {
    const world = new World(START_MS);
    world.create(newDeployment(), 'web');
    const taken = world.refuses;
    let name = '';
    world.refuses = (object) => {
      if (object.kind === 'ReplicaSet' && name === '') {
        name = object.metadata.name;
        world.create({ ...object, metadata: { name, namespace: 'default', labels: { app: 'other' } } });
      }
      return taken(object);
    };
    new SimulatedNode(world, () => RUNS).run(5000);
    expect(statusOf(world)).toMatchObject({ collisionCount: 1, availableReplicas: 3 });
    expect(world.list('ReplicaSet')).toHaveLength(2);
  });

  it('tells of a ReplicaSet and of Pods that it cannot create', () => {
    const world = new World(START_MS);
    world.create(newDeployment(), 'web');
    const until = (seconds: number): boolean => world.nowMs < START_MS + seconds * 1000;
    world.refuses = ({ kind }) => ((kind === 'ReplicaSet' ? until(2) : until(5)) ? 'exceeded quota' : undefined);
    const node = new SimulatedNode(world, () => RUNS);
    node.run(1000);
    expect(conditionsOf(world)).toEqual({ Progressing: 'ReplicaSetCreateError' });
    node.run(2000);
    expect(conditionsOf(world)['ReplicaFailure']).toBe('FailedCreate');
    node.run(5000);
    expect(conditionsOf(world)).toEqual({
      Available: 'MinimumReplicasAvailable',
      Progressing: 'NewReplicaSetAvailable',
    });
    const reasons = new Set(world.events.map(({ reason }) => reason));
    expect(reasons).toEqual(
      new Set(['ReplicaSetCreateError', 'ScalingReplicaSet', 'FailedCreate', 'SuccessfulCreate']),
    );
  });

  it('adopts a ReplicaSet with its labels, and gives it the next revision', () => {
    const { world, node } = deploy();
    world.delete('web', 'Orphan');
    node.run(1000);
    expect(world.list('ReplicaSet')[0]?.metadata.ownerReferences).toBeUndefined();
    world.create(newDeployment(), 'again');
    node.run(1000);
    expect(world.list('ReplicaSet')).toHaveLength(1);
    expect(world.pods()).toHaveLength(3);
    expect(conditionsOf(world)['Progressing']).toBe('NewReplicaSetAvailable');
  });

  it('gives its ReplicaSet new annotations of its own, but no revision', () => {
    const { world, node } = deploy();
    world.update('web', { metadata: { annotations: { team: 'blue' } } });
    node.run(1000);
    expect(world.list('ReplicaSet')[0]?.metadata.annotations).toMatchObject({
      team: 'blue',
      'deployment.kubernetes.io/revision': '1',
    });
  });

  it('that selects everything makes nothing', () => {
    const { world } = deploy({ selector: {} });
    expect(world.list()).toHaveLength(1);
    expect(world.events.map(({ reason }) => reason)).toEqual(['SelectingAll']);
  });

  it('never has a deadline without progressDeadlineSeconds', () => {
    const { world } = deploy({ progressDeadlineSeconds: 2 ** 31 - 1 });
    expect(conditionsOf(world)).toEqual({ Available: 'MinimumReplicasAvailable' });
  });
});

const share = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('0%', '25%', '50%', '100%'));

const anyRollout = fc.record({
  replicas: fc.integer({ min: 1, max: 6 }),
  maxSurge: share,
  maxUnavailable: share,
  minReadySeconds: fc.constantFrom(0, 0, 2),
  versions: fc.array(fc.record({ version: fc.constantFrom('2', '3', '4'), afterMs: fc.nat(3000) }), { maxLength: 4 }),
  readyAfterMs: fc.array(fc.integer({ min: 30, max: 2000 }), { minLength: 1, maxLength: 5 }),
  stopsAfterMs: fc.integer({ min: 10, max: 3000 }),
  deaths: fc.array(fc.integer({ min: 1, max: 15 }), { maxLength: 10 }),
});
type AnyRollout = typeof anyRollout extends fc.Arbitrary<infer T> ? T : never;

function rollOut(rollout: AnyRollout): { readonly world: World; readonly node: SimulatedNode } {
  const { replicas, maxSurge, maxUnavailable, minReadySeconds, readyAfterMs, stopsAfterMs } = rollout;
  const world = new World(START_MS);
  const strategy = { type: 'RollingUpdate' as const, rollingUpdate: { maxSurge, maxUnavailable } };
  world.create(newDeployment({ replicas, strategy, minReadySeconds }), 'web');
  const node = new SimulatedNode(world, (_, number) => ({
    readyAfterMs: readyAfterMs[number % readyAfterMs.length],
    stopsAfterMs,
  }));
  node.run(30_000);
  const deaths = [...rollout.deaths];
  let left = deaths.pop() ?? 0;
  world.dies = () => left > 0 && (left -= 1) === 0 && ((left = deaths.pop() ?? 0), true);
  for (const { version, afterMs } of rollout.versions) {
    change(world, { template: templateOf(version) });
    node.run(afterMs);
  }
  node.run(300_000);
  return { world, node };
}

/** Pods that were neither deleted nor ended, and those of them that are ready, after each write. */
function* podCounts({ writes }: World): Generator<{ readonly active: number; readonly ready: number }> {
  const pods = new Map<string, WorldObject>();
  for (const { type, object } of writes) {
    if (object.kind !== 'Pod') continue;
    if (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined) pods.delete(object.metadata.uid);
    else pods.set(object.metadata.uid, object);
    const all = [...pods.values()] as unknown as StoredPod[];
    const ready = all.filter(({ status }) =>
      status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
    );
    yield { active: all.length, ready: ready.length };
  }
}

describe('any rollout', () => {
  it('never has more Pods than it may, never fewer than it must, and comes to its end', () => {
    fc.assert(
      fc.property(anyRollout, (rollout) => {
        const { world } = rollOut(rollout);
        const { replicas, maxSurge, maxUnavailable } = rollout;
        const surge = scaledValue(maxSurge, replicas, Math.ceil);
        const floor = scaledValue(maxUnavailable, replicas, Math.floor);
        const missing = surge === 0 && floor === 0 ? 1 : floor;
        let hasBegun = false;
        for (const { active, ready } of podCounts(world)) {
          expect(active).toBeLessThanOrEqual(replicas + surge);
          hasBegun ||= ready === replicas;
          expect(hasBegun ? ready : replicas).toBeGreaterThanOrEqual(replicas - missing);
        }
        expect(statusOf(world)).toMatchObject({ replicas, updatedReplicas: replicas, availableReplicas: replicas });
        expect(conditionsOf(world)['Progressing']).toBe('NewReplicaSetAvailable');
        const version = rollout.versions.at(-1)?.version ?? '1';
        expect(world.pods().every((pod) => isOfVersion(pod, version))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('has seen each generation in order, and gives each template one ReplicaSet', () => {
    fc.assert(
      fc.property(anyRollout, (rollout) => {
        const { world } = rollOut(rollout);
        for (const uid of ['web', ...world.list('ReplicaSet').map(({ metadata }) => metadata.uid)]) {
          const versions = world.writes.filter(({ object }) => object.metadata.uid === uid).map(({ object }) => object);
          const seen = versions.map((object) => (object['status'] as DeploymentStatus).observedGeneration ?? 0);
          expect(seen).toEqual(seen.toSorted((a, b) => a - b));
          for (const { metadata, status } of versions as unknown as Array<StoredPod & { status: DeploymentStatus }>) {
            expect(status.observedGeneration ?? 0).toBeLessThanOrEqual(metadata.generation ?? 0);
          }
        }
        const templates = new Set(['1', ...rollout.versions.map(({ version }) => version)]);
        expect(world.list('ReplicaSet').length).toBeLessThanOrEqual(templates.size);
      }),
      { numRuns: 40 },
    );
  });

  it('whatever a user does meanwhile, comes to rest with the Pods that are wanted', () => {
    const happening = fc.record({
      afterMs: fc.nat(3000),
      does: fc.oneof(
        fc.record({ replicas: fc.integer({ min: 0, max: 7 }) }),
        fc.record({ paused: fc.boolean() }),
        fc.record({ version: fc.constantFrom('2', '3') }),
        fc.record({ deletes: fc.nat(6) }),
        fc.record({ strategy: fc.constantFrom('Recreate', 'RollingUpdate') }),
      ),
    });
    fc.assert(
      fc.property(anyRollout, fc.array(happening, { maxLength: 6 }), (rollout, happenings) => {
        const { world, node } = rollOut(rollout);
        let wanted = { replicas: rollout.replicas, version: rollout.versions.at(-1)?.version ?? '1' };
        for (const { afterMs, does } of happenings) {
          node.run(afterMs);
          if ('deletes' in does) world.delete(world.pods()[does.deletes]?.metadata.uid ?? '', 'Background');
          else if ('version' in does) change(world, { template: templateOf(does.version) });
          else if ('strategy' in does) change(world, { strategy: { type: does.strategy } });
          else change(world, does);
          wanted = { ...wanted, ...does };
        }
        change(world, { paused: false });
        node.run(300_000);
        const { replicas, version } = wanted;
        const count = replicas === 0 ? undefined : replicas;
        expect(statusOf(world)).toMatchObject({
          observedGeneration: world.find('Deployment', 'web').metadata.generation,
        });
        expect(statusOf(world).availableReplicas).toBe(count);
        expect(statusOf(world).updatedReplicas).toBe(count);
        expect(world.pods().every((pod) => isOfVersion(pod, version))).toBe(true);
        expect(conditionsOf(world)['Progressing']).toBe('NewReplicaSetAvailable');
      }),
      { numRuns: 60 },
    );
  });
});
