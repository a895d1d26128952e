import { describe, expect, it } from 'vitest';
import type { DeploymentSpec, DeploymentStatus } from '../../src/api/generated/types.ts';
import type { JsonObject } from '../../src/api/base/json.ts';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { shrunkSizes } from '../../src/controllers/deployment/rollout-arithmetic.ts';
import type { StoredDeployment, StoredReplicaSet } from '../../src/controllers/base/reconcile.ts';
import { newDeployment, START_MS, templateOf } from './manifests.ts';
import { type Behaviour, SimulatedNode } from './simulated-node.ts';
import { World } from './world.ts';

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

  it('does not count Pods as available that a ReplicaSet has just deleted', () => {
    const strategy = { type: 'RollingUpdate' as const, rollingUpdate: { maxSurge: 3, maxUnavailable: 0 } };
    const deployment = newDeployment({ replicas: 4, strategy }) as unknown as StoredDeployment;
    const replicaSet = (replicas: number, availableReplicas: number): StoredReplicaSet =>
      ({ spec: { replicas }, status: { replicas: availableReplicas, availableReplicas } }) as StoredReplicaSet;
    const old = replicaSet(2, 3);
    expect(shrunkSizes(deployment, replicaSet(4, 3), [old])).toEqual([{ replicaSet: old, replicas: 1 }]);
  });

  it('times out without progress, keeps trying, and says so when it progresses', () => {
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

  it('counts on from a revision of 64 bits', () => {
    const { world, node } = deploy();
    const revision = 'deployment.kubernetes.io/revision';
    const [old] = world.list('ReplicaSet');
    world.update(old?.metadata.uid ?? '', { metadata: { annotations: { [revision]: '3546343826724305832' } } });
    change(world, { template: templateOf('2') });
    node.run(1000);
    expect(world.find('Deployment', 'web').metadata.annotations?.[revision]).toBe('3546343826724305833');
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
