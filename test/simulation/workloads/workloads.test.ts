import { describe, expect, it } from 'vitest';
import type { DeploymentStatus, JobStatus } from '../../../src/api/generated/types.ts';
import { newDeployment, templateOf } from '../../controllers/manifests.ts';
import { podCounts } from './pod-counts.ts';
import { jobWith, WorkloadSimulation } from './workload-simulation.ts';

const deploymentStatus = (simulation: WorkloadSimulation): DeploymentStatus =>
  simulation.find('Deployment', 'web').status ?? {};
describe('a Deployment of 10', () => {
  it('rolls out a new template within its limits', async () => {
    const simulation = new WorkloadSimulation(() => ({ startDelayMs: 700 }));
    simulation.apply(newDeployment({ replicas: 10 }));
    await simulation.until(() => deploymentStatus(simulation).availableReplicas === 10);
    simulation.patch('Deployment', 'web', { spec: { template: templateOf('2') } });
    await simulation.until(() => deploymentStatus(simulation).updatedReplicas === 10);
    await simulation.until(() => deploymentStatus(simulation).replicas === 10);
    await simulation.run(60_000);
    const counts = [...podCounts(simulation.seen)];
    const full = counts.findIndex(({ ready }) => ready === 10);
    expect(Math.max(...counts.map(({ all }) => all))).toBe(13);
    expect(Math.min(...counts.slice(full).map(({ ready }) => ready))).toBeGreaterThanOrEqual(8);
    expect(simulation.pods()).toHaveLength(10);
    expect(simulation.list('ReplicaSet')).toHaveLength(2);
    expect(deploymentStatus(simulation)).toMatchObject({ observedGeneration: 2, availableReplicas: 10 });
  });

  it('is collected with all that it owns', async () => {
    const simulation = new WorkloadSimulation();
    simulation.apply(newDeployment({ replicas: 10 }));
    await simulation.until(() => deploymentStatus(simulation).availableReplicas === 10);
    simulation.delete('Deployment', 'web');
    await simulation.run(60_000);
    expect([simulation.list('ReplicaSet'), simulation.pods()]).toEqual([[], []]);
    expect(simulation.loop.isOver).toBe(true);
    expect(simulation.clock.alarmCount).toBe(0);
  });

  it('goes last when it is deleted in the foreground', async () => {
    const simulation = new WorkloadSimulation();
    simulation.apply(newDeployment({ replicas: 2 }));
    await simulation.until(() => deploymentStatus(simulation).availableReplicas === 2);
    simulation.delete('Deployment', 'web', 'Foreground');
    await simulation.run(60_000);
    const gone = simulation.seen.flatMap(({ type, object }) => (type === 'DELETED' ? [object.kind] : []));
    expect(gone).toEqual(['Pod', 'Pod', 'ReplicaSet', 'Deployment']);
  });

  it('leaves its ReplicaSet and Pods behind when it is deleted as orphan', async () => {
    const simulation = new WorkloadSimulation();
    simulation.apply(newDeployment({ replicas: 2 }));
    await simulation.until(() => deploymentStatus(simulation).availableReplicas === 2);
    simulation.delete('Deployment', 'web', 'Orphan');
    await simulation.run(60_000);
    expect(simulation.list('Deployment')).toEqual([]);
    expect(simulation.list('ReplicaSet').map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined]);
    simulation.delete('Pod', simulation.pods()[0]?.metadata.name ?? '');
    await simulation.run(60_000);
    expect(simulation.pods()).toHaveLength(2);
  });
});

it('a CronJob without Jobs is over as soon as it is deleted', async () => {
  const simulation = new WorkloadSimulation();
  const jobTemplate = { spec: (jobWith({}) as { spec?: unknown }).spec };
  const metadata = { name: 'tick', namespace: 'default' };
  const spec = { schedule: '0 0 * * *', jobTemplate };
  simulation.apply({ apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec });
  await simulation.run(1000);
  const turns = simulation.turns;
  simulation.delete('CronJob', 'tick');
  await simulation.run(1000);
  expect(simulation.loop.isOver).toBe(true);
  expect(simulation.turns).toBe(turns + 1);
});

describe('a Job', () => {
  it('runs its Pods, and rests when it is complete', async () => {
    const simulation = new WorkloadSimulation(() => ({ startDelayMs: 50, exitAfterMs: 400 }));
    simulation.apply(jobWith({ completions: 5, parallelism: 2 }));
    await simulation.until(() => simulation.loop.isOver);
    const { status } = simulation.find('Job', 'pi');
    expect(status as JobStatus).toMatchObject({
      succeeded: 5,
      conditions: [{ type: 'SuccessCriteriaMet' }, { type: 'Complete' }],
    });
    expect(simulation.pods().map(({ metadata }) => metadata.finalizers)).toEqual(Array(5).fill(undefined));
    expect(simulation.clock.alarmCount).toBe(0);
  });

  it('goes with its time to live', async () => {
    const simulation = new WorkloadSimulation(() => ({ exitAfterMs: 400 }));
    simulation.apply(jobWith({ ttlSecondsAfterFinished: 0 }));
    await simulation.run(10_000);
    expect([simulation.list('Job'), simulation.pods()]).toEqual([[], []]);
    expect(simulation.loop.isOver).toBe(true);
  });
});
