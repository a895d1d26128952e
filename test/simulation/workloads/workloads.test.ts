import { describe, expect, it } from 'vitest';
import type { DeploymentStatus, JobStatus } from '../../../src/api/generated/types.ts';
import type { NewObject } from '../../../src/controllers/base/reconcile.ts';
import { newDeployment, templateOf } from '../../controllers/manifests.ts';
import { jobWith, WorkloadSimulation } from './workload-simulation.ts';

const deploymentStatus = (simulation: WorkloadSimulation): DeploymentStatus =>
  simulation.find('Deployment', 'web').status ?? {};
describe('a Deployment that is deleted', () => {
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
    const simulation = new WorkloadSimulation({ behave: () => ({ startDelayMs: 50, exitAfterMs: 400 }) });
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
    const simulation = new WorkloadSimulation({ behave: () => ({ exitAfterMs: 400 }) });
    simulation.apply(jobWith({ ttlSecondsAfterFinished: 0 }));
    await simulation.run(10_000);
    expect([simulation.list('Job'), simulation.pods()]).toEqual([[], []]);
    expect(simulation.loop.isOver).toBe(true);
  });
});

describe('a StatefulSet', () => {
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  const newSet = (replicas: number): NewObject => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db', namespace: 'default' },
    spec: {
      replicas,
      serviceName: 'db',
      selector: { matchLabels: { app: 'web' } },
      template: templateOf('1'),
      volumeClaimTemplates: [claim],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Delete' },
    },
  });

  it('has the claims of the Pods that it no longer has removed', async () => {
    const simulation = new WorkloadSimulation();
    const claims = (): string[] => simulation.list('PersistentVolumeClaim').map(({ metadata }) => metadata.name);
    simulation.apply(newSet(2));
    await simulation.run(1000);
    expect(claims()).toEqual(['data-db-0', 'data-db-1']);
    simulation.patch('StatefulSet', 'db', { spec: { replicas: 1 } });
    await simulation.run(1000);
    expect(claims()).toEqual(['data-db-0']);
  });

  it('resumes after an agent that was killed between the end of a Pod and its removal', async () => {
    const simulation = new WorkloadSimulation();
    simulation.apply(newSet(1));
    await simulation.run(1000);
    simulation.agent.life.endAfter(0);
    simulation.loseContainers();
    simulation.delete('Pod', 'db-0');
    const [pod] = simulation.pods();
    simulation.store.updateStatus('pods', { ...pod!, status: { ...pod!.status, phase: 'Succeeded' } });
    simulation.revive();
    await simulation.run(1000);
    expect(simulation.pods().map(({ status }) => status.phase)).toEqual(['Running']);
  });
});

it('a Pod that only its Job keeps does not hold up an agent that is to end', async () => {
  const simulation = new WorkloadSimulation({
    behave: () => ({ onSignal: () => ({ exitAfterMs: 500, exitCode: 0 }) }),
  });
  simulation.apply(jobWith({}));
  await simulation.run(1000);
  simulation.delete('Pod', simulation.pods()[0]!.metadata.name);
  simulation.agent.stop();
  await simulation.run(1000);
  expect(simulation.agent.hasStopped).toBe(true);
});
