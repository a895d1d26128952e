import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JobSpec, JobStatus } from '../../src/api/generated/types.ts';
import { newJob, START_MS } from './manifests.ts';
import { SimulatedNode } from './simulated-node.ts';
import { World, type WorldObject } from './world.ts';

const versionsOf = (world: World, uid: string): WorldObject[] =>
  world.writes.filter(({ object }) => object.metadata.uid === uid).map(({ object }) => object);

/** Jobs of any kind, with Pods that do what they like, and a loop that dies now and then. */
const anyJob = fc.record({
  parallelism: fc.integer({ min: 1, max: 4 }),
  completions: fc.integer({ min: 1, max: 6 }),
  isIndexed: fc.boolean(),
  backoffLimit: fc.integer({ min: 0, max: 4 }),
  backoffLimitPerIndex: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
  podReplacementPolicy: fc.constantFrom('Failed' as const, 'TerminatingOrFailed' as const),
  activeDeadlineSeconds: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
  ends: fc.array(fc.constantFrom(0, 0, 0, 1, undefined), { minLength: 1, maxLength: 8 }),
  deletions: fc.array(fc.nat(20_000), { maxLength: 3 }),
  suspensions: fc.array(fc.nat(20_000), { maxLength: 2 }),
  deaths: fc.infiniteStream(fc.integer({ min: 1, max: 12 })),
  isMortal: fc.boolean(),
});
type AnyJob = typeof anyJob extends fc.Arbitrary<infer T> ? T : never;

function specOf({ isIndexed, backoffLimitPerIndex, backoffLimit, ...job }: AnyJob): Partial<JobSpec> {
  const { parallelism, completions, podReplacementPolicy, activeDeadlineSeconds } = job;
  const shared = {
    parallelism,
    completions,
    podReplacementPolicy,
    ...(activeDeadlineSeconds && { activeDeadlineSeconds }),
  };
  if (!isIndexed) return { ...shared, backoffLimit };
  if (backoffLimitPerIndex === undefined) return { ...shared, backoffLimit, completionMode: 'Indexed' };
  return { ...shared, completionMode: 'Indexed', backoffLimitPerIndex };
}

function runAnyJob(job: AnyJob): World {
  const world = new World(START_MS);
  let left = 5;
  world.dies = () => job.isMortal && (left -= 1) === 0 && ((left = job.deaths.next().value ?? 5), true);
  world.create(newJob(specOf(job)), 'job');
  const node = new SimulatedNode(world, (_, number) => {
    const exitCode = job.ends[(number - 1) % job.ends.length];
    return { readyAfterMs: 50 * number, ...(exitCode === undefined ? {} : { runsForMs: 300 * number, exitCode }) };
  });
  const happenings = [
    ...job.deletions.map((ms) => ({
      ms,
      happens: () => world.delete(world.pods().at(-1)?.metadata.uid ?? '', 'Background'),
    })),
    ...job.suspensions.flatMap((ms) => [
      { ms, happens: () => world.update('job', { spec: { suspend: true } }) },
      { ms: ms + 700, happens: () => world.update('job', { spec: { suspend: false } }) },
    ]),
  ].toSorted((a, b) => a.ms - b.ms);
  for (const { ms, happens } of happenings) {
    node.run(Math.max(0, START_MS + ms - world.nowMs));
    happens();
  }
  node.run(7_200_000);
  return world;
}

describe('any Job', () => {
  it('counts each Pod once at most, never counts backwards, and has one end', () => {
    fc.assert(
      fc.property(anyJob, (job) => {
        const world = runAnyJob(job);
        const statuses = versionsOf(world, 'job').map((version) => (version['status'] ?? {}) as JobStatus);
        const { succeeded = 0, failed = 0, conditions = [], uncountedTerminatedPods } = statuses.at(-1) ?? {};
        const made = world.writes.filter(({ type, object }) => type === 'ADDED' && object.kind === 'Pod').length;
        expect(succeeded + failed).toBeLessThanOrEqual(made);
        for (const [index, status] of statuses.entries()) {
          const before = statuses[index - 1] ?? {};
          expect(status.succeeded ?? 0).toBeGreaterThanOrEqual(before.succeeded ?? 0);
          expect(status.failed ?? 0).toBeGreaterThanOrEqual(before.failed ?? 0);
          const { succeeded: ok = [], failed: bad = [] } = status.uncountedTerminatedPods ?? {};
          expect(new Set([...ok, ...bad]).size).toBe(ok.length + bad.length);
        }
        const ends = conditions.filter(({ type }) => type === 'Complete' || type === 'Failed');
        expect(ends.length).toBeLessThanOrEqual(1);
        if (ends.length === 0) return;
        expect(uncountedTerminatedPods).toEqual({});
        expect(world.pods().filter(({ metadata }) => (metadata.finalizers ?? []).length > 0)).toEqual([]);
        const hasFailed = ends[0]?.type === 'Failed';
        expect(hasFailed || succeeded >= job.completions).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('never has more active Pods than its parallelism', () => {
    fc.assert(
      fc.property(anyJob, (job) => {
        const { writes } = runAnyJob(job);
        const active = new Set<string>();
        for (const { object, type } of writes) {
          if (object.kind !== 'Pod') continue;
          const phase = (object['status'] as { phase?: string } | undefined)?.phase;
          const isActive =
            object.metadata.deletionTimestamp === undefined && phase !== 'Failed' && phase !== 'Succeeded';
          if (isActive && type !== 'DELETED') active.add(object.metadata.uid);
          else active.delete(object.metadata.uid);
          expect(active.size).toBeLessThanOrEqual(job.parallelism);
        }
      }),
      { numRuns: 40 },
    );
  });
});
