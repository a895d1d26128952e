import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeploymentStatus } from '../../src/api/generated/types.ts';
import type { JsonObject } from '../../src/api/json.ts';
import type { StoredPod } from '../../src/api/objects.ts';
import { scaledValue } from '../../src/controllers/deployment/rollout-arithmetic.ts';
import { newDeployment, START_MS, templateOf } from './manifests.ts';
import { SimulatedNode } from './simulated-node.ts';
import { World, type WorldObject } from './world.ts';

const isOfVersion = (pod: StoredPod, version: string): boolean =>
  pod.spec.containers[0]?.env?.some(({ value }) => value === version) ?? false;
const statusOf = (world: World): DeploymentStatus => world.find('Deployment', 'web')['status'] as DeploymentStatus;
const conditionsOf = (world: World): Record<string, string | undefined> =>
  Object.fromEntries((statusOf(world).conditions ?? []).map(({ type = '', reason }) => [type, reason]));
const change = (world: World, spec: JsonObject): void => world.update('web', { spec });

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
        const wanted = { replicas: rollout.replicas, version: rollout.versions.at(-1)?.version ?? '1' };
        for (const { afterMs, does } of happenings) {
          node.run(afterMs);
          if ('deletes' in does) world.delete(world.pods()[does.deletes]?.metadata.uid ?? '', 'Background');
          else if ('version' in does) change(world, { template: templateOf(does.version) });
          else if ('strategy' in does) change(world, { strategy: { type: does.strategy } });
          else change(world, does);
          Object.assign(wanted, does);
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
