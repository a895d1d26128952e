import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeploymentStatus, JobStatus } from '../../../src/api/generated/types.ts';
import { hasJobFinalizer } from '../../../src/controllers/job/job-pods.ts';
import { scaledValue } from '../../../src/controllers/deployment/rollout-arithmetic.ts';
import { newDeployment, templateOf } from '../../controllers/manifests.ts';
import { podCounts } from './pod-counts.ts';
import { jobWith, WorkloadSimulation } from './workload-simulation.ts';

const HOUR_MS = 3_600_000;
const share = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('0%', '25%', '50%', '100%'));

const anyProgram = fc.record({
  startDelayMs: fc.nat(2000),
  stopsAfterMs: fc.nat(3000),
});
const anyRollout = fc
  .record({
    replicas: fc.integer({ min: 1, max: 6 }),
    maxSurge: share,
    maxUnavailable: share,
    minReadySeconds: fc.constantFrom(0, 0, 2),
    programs: fc.array(anyProgram, { minLength: 1, maxLength: 4 }),
    versions: fc.array(fc.constantFrom('2', '3', '4'), { maxLength: 4 }),
    pauses: fc.array(fc.nat(4000), { minLength: 4, maxLength: 4 }),
    /** Milliseconds between deaths of the agent. */
    deaths: fc.array(fc.nat(3000), { maxLength: 4 }),
  })
  // The API server refuses a rollout that could not begin.
  .filter(
    ({ maxSurge, maxUnavailable }) => ![maxSurge, maxUnavailable].every((value) => parseInt(String(value)) === 0),
  );
type AnyRollout = typeof anyRollout extends fc.Arbitrary<infer T> ? T : never;

const statusOf = (simulation: WorkloadSimulation): DeploymentStatus =>
  simulation.find('Deployment', 'web').status ?? {};

function deploy({ replicas, maxSurge, maxUnavailable, minReadySeconds, programs }: AnyRollout): WorkloadSimulation {
  const simulation = new WorkloadSimulation((pod) => {
    const { startDelayMs, stopsAfterMs } = programs[pod % programs.length]!;
    return { startDelayMs, onSignal: () => ({ exitAfterMs: stopsAfterMs, exitCode: 0 }) };
  });
  const strategy = { type: 'RollingUpdate' as const, rollingUpdate: { maxSurge, maxUnavailable } };
  simulation.apply(newDeployment({ replicas, strategy, minReadySeconds }));
  return simulation;
}

async function rollOut(simulation: WorkloadSimulation, { versions, pauses, deaths }: AnyRollout): Promise<void> {
  for (const [index, version] of versions.entries()) {
    simulation.patch('Deployment', 'web', { spec: { template: templateOf(version) } });
    const death = deaths[index];
    if (death !== undefined) {
      await simulation.run(death);
      simulation.die();
    }
    await simulation.run(pauses[index] ?? 0);
  }
  await simulation.run(HOUR_MS);
}

/** Every generation and every observed generation, in order, of each object that was written. */
function generationsFall(simulation: WorkloadSimulation): string[] {
  const known = new Map<string, { generation: number; observed: number }>();
  return simulation.seen.flatMap(({ object: { kind, metadata, status } }) => {
    const before = known.get(metadata.uid) ?? { generation: 0, observed: 0 };
    const observed = Number(status?.['observedGeneration'] ?? 0);
    const now = { generation: metadata.generation ?? 0, observed };
    known.set(metadata.uid, now);
    const isWrong = now.generation < before.generation || observed < before.observed || observed > now.generation;
    return kind !== 'Event' && isWrong ? [`${kind} ${metadata.name}: ${JSON.stringify([before, now])}`] : [];
  });
}

describe('any rollout, with agents that die', () => {
  it('keeps within its limits, and comes to its end', async () => {
    await fc.assert(
      fc.asyncProperty(anyRollout, async (rollout) => {
        const { replicas, maxSurge, maxUnavailable, deaths } = rollout;
        const simulation = deploy(rollout);
        await simulation.run(HOUR_MS);
        const first = simulation.seen.length;
        await rollOut(simulation, rollout);
        const surge = scaledValue(maxSurge, replicas, Math.ceil);
        const floor = scaledValue(maxUnavailable, replicas, Math.floor);
        const missing = surge === 0 && floor === 0 ? 1 : floor;
        const counts = [...podCounts(simulation.seen)];
        for (const { all } of counts) expect(all).toBeLessThanOrEqual(replicas + surge);
        // A dead agent takes the readiness of its Pods with it: that is not the doing of a controller.
        const own = deaths.length === 0 ? counts.slice([...podCounts(simulation.seen.slice(0, first))].length) : [];
        for (const { ready } of own) expect(ready).toBeGreaterThanOrEqual(replicas - missing);
        for (const { ready, hasLostReady } of counts.filter((count) => count.hasLostReady)) {
          expect([hasLostReady, ready]).toEqual([true, Math.max(ready, replicas - missing)]);
        }
        expect(generationsFall(simulation)).toEqual([]);
        expect(statusOf(simulation)).toMatchObject({
          replicas,
          updatedReplicas: replicas,
          availableReplicas: replicas,
        });
        const version = rollout.versions.at(-1) ?? '1';
        const versions = simulation.pods().map(({ spec }) => spec.containers[0]?.env?.[0]?.value);
        expect(versions).toEqual(Array(replicas).fill(version));
        simulation.delete('Deployment', 'web');
        await simulation.run(HOUR_MS);
        expect([simulation.list('ReplicaSet'), simulation.pods()]).toEqual([[], []]);
        expect(simulation.loop.isOver).toBe(true);
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  it('whatever a user does meanwhile, comes to rest with the Pods that are wanted', async () => {
    const happening = fc.record({
      afterMs: fc.nat(3000),
      does: fc.oneof(
        fc.record({ replicas: fc.integer({ min: 0, max: 7 }) }),
        fc.record({ paused: fc.boolean() }),
        fc.record({ version: fc.constantFrom('2', '3') }),
        fc.record({ deletes: fc.nat(6) }),
        fc.record({ strategy: fc.constantFrom('Recreate', 'RollingUpdate') }),
        fc.record({ dies: fc.constant(true) }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(anyRollout, fc.array(happening, { maxLength: 8 }), async (rollout, happenings) => {
        const simulation = deploy(rollout);
        const wanted = { replicas: rollout.replicas, version: '1' };
        for (const { afterMs, does } of happenings) {
          await simulation.run(afterMs);
          if ('dies' in does) simulation.die();
          else if ('deletes' in does) {
            const name = simulation.pods()[does.deletes]?.metadata.name;
            if (name !== undefined) simulation.delete('Pod', name);
          } else {
            const strategy =
              'strategy' in does
                ? { strategy: { type: does.strategy, ...(does.strategy === 'Recreate' && { rollingUpdate: null }) } }
                : {};
            const template = 'version' in does ? { template: templateOf(does.version) } : {};
            const rest = 'version' in does || 'strategy' in does ? {} : does;
            simulation.patch('Deployment', 'web', { spec: { ...rest, ...strategy, ...template } });
          }
          Object.assign(wanted, does);
        }
        simulation.patch('Deployment', 'web', { spec: { paused: false } });
        await simulation.run(HOUR_MS);
        const count = wanted.replicas === 0 ? undefined : wanted.replicas;
        expect(statusOf(simulation).availableReplicas).toBe(count);
        expect(statusOf(simulation).updatedReplicas).toBe(count);
        expect(simulation.pods()).toHaveLength(wanted.replicas);
        expect(generationsFall(simulation)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});

describe('any Job, with agents that die', () => {
  const anyJob = fc.record({
    completions: fc.integer({ min: 1, max: 6 }),
    parallelism: fc.integer({ min: 1, max: 4 }),
    backoffLimit: fc.integer({ min: 0, max: 4 }),
    programs: fc.array(
      fc.record({ exitAfterMs: fc.nat(4000), exitCode: fc.constantFrom(0, 0, 0, 1), startDelayMs: fc.nat(500) }),
      { minLength: 1, maxLength: 6 },
    ),
    deaths: fc.array(fc.nat(6000), { maxLength: 4 }),
  });

  it('counts each Pod once, and ends', async () => {
    await fc.assert(
      fc.asyncProperty(anyJob, async ({ completions, parallelism, backoffLimit, programs, deaths }) => {
        const simulation = new WorkloadSimulation((pod) => programs[pod % programs.length]!);
        simulation.apply(jobWith({ completions, parallelism, backoffLimit }));
        for (const death of deaths) {
          await simulation.run(death);
          simulation.die();
        }
        await simulation.run(HOUR_MS);
        const { succeeded = 0, failed = 0, conditions = [] } = simulation.find('Job', 'pi').status as JobStatus;
        const ended = new Map<string, string>();
        for (const { object } of simulation.seen) {
          if (object.kind === 'Pod') ended.set(object.metadata.uid, String(object.status?.['phase']));
        }
        const phases = [...ended.values()];
        expect(succeeded).toBeLessThanOrEqual(phases.filter((phase) => phase === 'Succeeded').length);
        expect(succeeded + failed).toBeLessThanOrEqual(phases.length);
        expect(['Complete', 'Failed']).toContain(conditions.at(-1)?.type);
        const isComplete = conditions.at(-1)?.type === 'Complete';
        expect(isComplete ? succeeded === completions : failed > 0).toBe(true);
        expect(simulation.pods().filter(hasJobFinalizer)).toEqual([]);
        expect(generationsFall(simulation)).toEqual([]);
        expect(simulation.loop.isOver).toBe(true);
      }),
      { numRuns: 80 },
    );
  }, 120_000);
});
