import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/objects.ts';
import { templateOf } from './manifests.ts';
import { change, names, newSet, statusOf, versions } from './new-set.ts';
import type { World } from './world.ts';

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
