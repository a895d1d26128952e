import { describe, expect, it } from 'vitest';
import type { JobSpec, JobStatus } from '../../src/api/generated/types.ts';
import type { NewObject } from '../../src/controllers/base/reconcile.ts';
import { historiesOf } from './histories.ts';
import { newJob, START_MS } from './manifests.ts';
import { type Behaviour, SimulatedNode } from './simulated-node.ts';
import { World, type WorldObject } from './world.ts';

const FAILS: Behaviour = { readyAfterMs: 100, runsForMs: 500, exitCode: 1 };
const SUCCEEDS: Behaviour = { readyAfterMs: 100, runsForMs: 500, exitCode: 0 };
const RUNS: Behaviour = { readyAfterMs: 100 };

/** Runs a Job whose n-th Pod behaves as the n-th entry, and later ones as the last. */
function runJob(spec: Partial<JobSpec>, behaviours: readonly Behaviour[], forMs = 3_600_000): World {
  const world = new World(START_MS);
  world.create(newJob(spec), 'job');
  const behaviourOf = (_: unknown, number: number): Behaviour => behaviours[number - 1] ?? behaviours.at(-1) ?? RUNS;
  new SimulatedNode(world, behaviourOf).run(forMs);
  return world;
}

const statusOf = (world: World): JobStatus => world.find('Job', 'pi')['status'] as JobStatus;
const conditionsOf = (world: World): (string | undefined)[][] =>
  (statusOf(world).conditions ?? []).map(({ type, reason }) => [type, reason]);
const historyOf = (world: World, field: string): readonly string[] =>
  historiesOf(versionsOf(world, 'job'))[field] ?? [];
const versionsOf = (world: World, uid: string): WorldObject[] =>
  world.writes.filter(({ object }) => object.metadata.uid === uid).map(({ object }) => object);
const creationSeconds = (world: World): number[] =>
  world.writes
    .filter(({ type, object }) => type === 'ADDED' && object.kind === 'Pod')
    .map(({ atMs }) => Math.round((atMs - START_MS) / 1000));

describe('a Job', () => {
  it('fails at its deadline: its Pods count as failed, and Failed waits for their end', () => {
    const world = runJob({ parallelism: 2, completions: 2, activeDeadlineSeconds: 3 }, [RUNS]);
    expect(conditionsOf(world)).toEqual([
      ['FailureTarget', 'DeadlineExceeded'],
      ['Failed', 'DeadlineExceeded'],
    ]);
    expect(historyOf(world, 'terminating')).toEqual(['0', '2', '1', '0']);
    expect(historyOf(world, 'uncountedTerminatedPods')).toEqual(['{}', '{"failed":2}', '{}']);
    expect(statusOf(world).failed).toBe(2);
    expect(world.events.map(({ reason }) => reason)).toEqual([
      'SuccessfulCreate',
      'SuccessfulCreate',
      'SuccessfulDelete',
      'SuccessfulDelete',
      'DeadlineExceeded',
    ]);
  });

  it('counts an index as failed only, whose Pod succeeds after it was counted as failed', () => {
    const stops: Behaviour = { ...RUNS, stopsAfterMs: 5000 };
    const world = runJob({ completionMode: 'Indexed', completions: 1, activeDeadlineSeconds: 3 }, [stops], 5000);
    const [pod] = world.pods();
    world.setStatus('job', { ...statusOf(world), failed: 0, uncountedTerminatedPods: { failed: [pod!.metadata.uid] } });
    world.update(pod!.metadata.uid, { metadata: { finalizers: ['batch.kubernetes.io/job-tracking'] } });
    world.setStatus(pod!.metadata.uid, { phase: 'Succeeded' });
    world.settle();
    expect(statusOf(world)).toMatchObject({ failed: 1 });
    expect([statusOf(world).succeeded, statusOf(world).completedIndexes]).toEqual([undefined, undefined]);
  });

  it('doubles its delay with each failure, and takes it up anew after a restart of the controller', () => {
    const world = runJob({ backoffLimit: 4 }, [FAILS]);
    expect(creationSeconds(world)).toEqual([0, 11, 31, 72, 152]);
    expect(conditionsOf(world).at(-1)).toEqual(['Failed', 'BackoffLimitExceeded']);
  });

  it('forgets failures at a success', () => {
    const world = runJob({ parallelism: 1, completions: 3 }, [FAILS, SUCCEEDS, SUCCEEDS, FAILS, SUCCEEDS]);
    expect(creationSeconds(world)).toEqual([0, 11, 11, 12, 23]);
  });

  it('keeps counting its active Pods while further Pods are delayed', () => {
    const world = runJob({ parallelism: 2, completions: 2 }, [FAILS, RUNS, SUCCEEDS], 8000);
    expect(statusOf(world)).toMatchObject({ active: 1, ready: 1, failed: 1 });
  });

  it('replaces a deleted Pod, and counts it as failed though it ends well', () => {
    const world = new World(START_MS);
    world.create(newJob(), 'job');
    const node = new SimulatedNode(world, (_, number) => (number === 1 ? { ...RUNS, stopsAfterMs: 60_000 } : SUCCEEDS));
    node.run(1000);
    world.delete(world.pods()[0]?.metadata.uid ?? '', 'Background');
    node.run(30_000);
    expect(statusOf(world)).toMatchObject({ failed: 1, succeeded: 1, terminating: 1 });
    expect(conditionsOf(world)).toEqual([['SuccessCriteriaMet', 'CompletionsReached']]);
    node.run(40_000);
    expect(conditionsOf(world).at(-1)).toEqual(['Complete', 'CompletionsReached']);
  });

  it('does not count Pods that it deletes because it was made smaller', () => {
    const world = new World(START_MS);
    world.create(newJob({ parallelism: 3, completions: 3 }), 'job');
    const node = new SimulatedNode(world, () => RUNS);
    node.run(1000);
    world.update('job', { spec: { parallelism: 1 } });
    node.run(5000);
    expect(statusOf(world)).toMatchObject({ active: 1, ready: 1, terminating: 0 });
    expect(statusOf(world).failed).toBeUndefined();
    world.update('job', { spec: { parallelism: 2 } });
    node.run(1000);
    expect(statusOf(world)).toMatchObject({ active: 2 });
  });

  it('deletes the second Pod of an index', () => {
    const world = new World(START_MS);
    world.create(newJob({ completionMode: 'Indexed', parallelism: 1, completions: 1 }), 'job');
    const node = new SimulatedNode(world, () => RUNS);
    node.run(1000);
    const [pod] = world.list('Pod');
    const { name: _, uid: __, ...metadata } = pod?.metadata ?? { name: '', uid: '', namespace: '' };
    world.create({ ...pod, metadata: { ...metadata, name: 'double', namespace: 'default' } } as NewObject);
    node.run(5000);
    expect(world.pods()).toHaveLength(1);
    expect(statusOf(world)).toMatchObject({ active: 1 });
  });

  it('that ignores a failure delays its Pods all the same', () => {
    const podFailurePolicy = {
      rules: [{ action: 'Ignore' as const, onExitCodes: { operator: 'In' as const, values: [1] } }],
    };
    const world = runJob({ backoffLimit: 0, podFailurePolicy }, [FAILS, SUCCEEDS]);
    expect(creationSeconds(world)).toEqual([0, 11]);
    expect(statusOf(world).failed).toBeUndefined();
    expect(conditionsOf(world).at(-1)).toEqual(['Complete', 'CompletionsReached']);
  });

  it('fails an index at once with FailIndex', () => {
    const rules = [{ action: 'FailIndex' as const, onExitCodes: { operator: 'In' as const, values: [1] } }];
    const spec = { completionMode: 'Indexed' as const, parallelism: 2, completions: 2, backoffLimitPerIndex: 5 };
    const world = runJob({ ...spec, podFailurePolicy: { rules } }, [FAILS, SUCCEEDS]);
    expect(statusOf(world)).toMatchObject({ failed: 1, succeeded: 1, failedIndexes: '0', completedIndexes: '1' });
    expect(conditionsOf(world).at(-1)).toEqual(['Failed', 'FailedIndexes']);
  });

  it('delays each index by its own failures', () => {
    const spec = { completionMode: 'Indexed' as const, parallelism: 2, completions: 2, backoffLimitPerIndex: 3 };
    const world = runJob(spec, [FAILS, SUCCEEDS, FAILS, SUCCEEDS]);
    expect(creationSeconds(world)).toEqual([0, 0, 11, 31]);
    const counts = world
      .pods()
      .map(({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-index-failure-count']);
    expect(counts).toEqual(['0', '0', '1', '2']);
  });

  it('goes with its Pods when its time to live is over', () => {
    const world = runJob({ ttlSecondsAfterFinished: 60 }, [SUCCEEDS], 30_000);
    expect(world.list()).toHaveLength(2);
    const node = new SimulatedNode(world, () => SUCCEEDS);
    node.run(60_000);
    expect(world.list()).toEqual([]);
  });

  it('is left alone when another controller manages it', () => {
    expect(runJob({ managedBy: 'example.com/queue' }, [SUCCEEDS]).writes).toHaveLength(1);
  });

  it('tells of a Pod that it cannot create, and tries again', () => {
    const world = new World(START_MS);
    world.create(newJob(), 'job');
    world.refuses = ({ kind }) =>
      kind === 'Pod' && world.nowMs < START_MS + 3000 ? 'exceeded quota: pods' : undefined;
    new SimulatedNode(world, () => SUCCEEDS).run(20_000);
    expect(world.events[0]).toMatchObject({ reason: 'FailedCreate', message: 'Error creating: exceeded quota: pods' });
    expect(conditionsOf(world).at(-1)).toEqual(['Complete', 'CompletionsReached']);
  });

  it('counts Pods that have ended while it cannot create new ones', () => {
    const world = new World(START_MS);
    world.create(newJob({ parallelism: 2, completions: 4 }), 'job');
    world.refuses = ({ kind }) => (kind === 'Pod' && world.pods().length >= 2 ? 'exceeded quota' : undefined);
    new SimulatedNode(world, () => SUCCEEDS).run(10_000);
    expect(statusOf(world)).toMatchObject({ succeeded: 2, uncountedTerminatedPods: {} });
    expect(statusOf(world).active).toBeUndefined();
  });
});
