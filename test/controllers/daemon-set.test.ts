import { describe, expect, it } from 'vitest';
import type { DaemonSetSpec, DaemonSetStatus, Pod } from '../../src/api/generated/types.ts';
import type { JsonObject } from '../../src/api/base/json.ts';
import { isActive } from '../../src/controllers/base/pod-state.ts';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { START_MS, templateOf } from './manifests.ts';
import { type Behaviour, SimulatedNode } from './simulated-node.ts';
import { World } from './world.ts';

const RUNS: Behaviour = { readyAfterMs: 100 };

function newDaemonSet(
  spec: Partial<DaemonSetSpec> = {},
  behaviourOf = (_pod: StoredPod): Behaviour => RUNS,
  nodes?: Parameters<World['setNodes']>[0],
) {
  const world = new World(START_MS);
  const updateStrategy = { type: 'RollingUpdate' as const, rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } };
  const selector = { matchLabels: { app: 'web' } };
  const shared = { selector, template: templateOf('1'), updateStrategy, revisionHistoryLimit: 10 };
  const metadata = { name: 'agent', namespace: 'default' };
  world.create({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec: { ...shared, ...spec } }, 'agent');
  if (nodes !== undefined) world.setNodes(nodes);
  const node = new SimulatedNode(world, behaviourOf);
  node.run(1000);
  return { world, node };
}

const statusOf = (world: World): DaemonSetStatus => world.find('DaemonSet', 'agent')['status'] as DaemonSetStatus;
const change = (world: World, spec: JsonObject): void => world.update('agent', { spec });
const reasonsOf = (world: World): string[] => world.events.map(({ reason }) => reason);
const creationSeconds = (world: World): number[] =>
  world.writes
    .filter(({ type, object }) => type === 'ADDED' && object.kind === 'Pod')
    .map(({ atMs }) => Math.round((atMs - START_MS) / 1000));

describe('a DaemonSet', () => {
  it('binds its Pod to the node, and has it tolerate what the node may lack', () => {
    const { world } = newDaemonSet({
      template: { ...templateOf('1'), spec: { ...templateOf('1').spec, hostNetwork: true } as Pod['spec'] },
    });
    const [pod] = world.pods();
    const terms = pod?.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
    expect(terms).toEqual([{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }]);
    expect(pod?.spec.tolerations?.map(({ key, effect }) => `${key} ${effect}`)).toEqual([
      'node.kubernetes.io/not-ready NoExecute',
      'node.kubernetes.io/unreachable NoExecute',
      'node.kubernetes.io/disk-pressure NoSchedule',
      'node.kubernetes.io/memory-pressure NoSchedule',
      'node.kubernetes.io/pid-pressure NoSchedule',
      'node.kubernetes.io/unschedulable NoSchedule',
      'node.kubernetes.io/network-unavailable NoSchedule',
    ]);
  });

  it('has a revision whose keys are in order, as Go writes them', () => {
    const { world } = newDaemonSet();
    const made = world.writes.find(({ object }) => object.kind === 'ControllerRevision')?.object;
    const text = JSON.stringify(made?.['data']);
    expect(text).toMatch(
      /^{"spec":{"template":{"\$patch":"replace","metadata":{.*},"spec":{"containers":\[{"env":.*"image":/,
    );
  });

  it('makes no Pod for a node that it does not fit, and takes one away that fits no more', () => {
    const { world, node } = newDaemonSet();
    const nodeSelector = { disk: 'ssd' };
    change(world, { template: { ...templateOf('1'), spec: { ...templateOf('1').spec, nodeSelector } } });
    node.run(5000);
    expect(world.pods()).toEqual([]);
    expect(statusOf(world)).toMatchObject({
      desiredNumberScheduled: 0,
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
    });
  });

  it('makes a failed Pod anew, again and again, with a delay that doubles', () => {
    const { world, node } = newDaemonSet({}, () => ({ readyAfterMs: 100, runsForMs: 0, exitCode: 1 }));
    node.run(20_000);
    expect(creationSeconds(world)).toEqual([0, 0, 1, 3, 7, 15]);
    expect(reasonsOf(world)).toContain('FailedDaemonPod');
  });

  it('makes a succeeded Pod anew at once', () => {
    const { world } = newDaemonSet({}, () => ({ readyAfterMs: 100, runsForMs: 300, exitCode: 0 }));
    expect(world.pods()).toHaveLength(1);
    expect(reasonsOf(world)).toContain('SucceededDaemonPod');
  });

  it('keeps the old Pod beside the new one until that is available', () => {
    const updateStrategy = { type: 'RollingUpdate' as const, rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
    const { world, node } = newDaemonSet({ updateStrategy, minReadySeconds: 3 });
    node.run(5000);
    change(world, { template: templateOf('2') });
    node.run(2000);
    expect(world.pods()).toHaveLength(2);
    expect(statusOf(world).updatedNumberScheduled).toBeUndefined();
    node.run(3000);
    expect(world.pods()).toHaveLength(1);
    expect(statusOf(world)).toMatchObject({ updatedNumberScheduled: 1, numberAvailable: 1 });
  });

  it('with OnDelete updates by hand', () => {
    const { world, node } = newDaemonSet({ updateStrategy: { type: 'OnDelete' } });
    change(world, { template: templateOf('2') });
    node.run(5000);
    expect(statusOf(world).updatedNumberScheduled).toBeUndefined();
    world.delete(world.pods()[0]?.metadata.uid ?? '', 'Background');
    node.run(5000);
    expect(statusOf(world).updatedNumberScheduled).toBe(1);
  });

  it('forgets old revisions that no Pod has', () => {
    const { world, node } = newDaemonSet({ revisionHistoryLimit: 1 });
    for (const version of ['2', '3', '4']) {
      change(world, { template: templateOf(version) });
      node.run(5000);
    }
    expect(world.list('ControllerRevision').map((revision) => revision['revision'])).toEqual([3, 4]);
  });

  it('deletes all Pods but the oldest', () => {
    const { world, node } = newDaemonSet();
    const [pod] = world.list('Pod');
    const { uid: _, ...metadata } = pod?.metadata ?? { uid: '', namespace: '', name: '' };
    world.create({
      apiVersion: 'v1',
      kind: 'Pod',
      spec: pod?.['spec'],
      metadata: { ...metadata, name: 'second', namespace: 'default' },
    });
    node.run(5000);
    expect(world.pods().map(({ metadata: { uid } }) => uid)).toEqual([pod?.metadata.uid]);
  });

  it('that selects everything makes nothing', () => {
    const { world } = newDaemonSet({ selector: {} });
    expect(world.list()).toHaveLength(1);
    expect(new Set(reasonsOf(world))).toEqual(new Set(['SelectingAll']));
  });
});

describe('a DaemonSet over several nodes', () => {
  const THREE = { a: [], b: [], c: [] };
  const dedicated = (effect: 'NoSchedule' | 'NoExecute') => [{ key: 'dedicated', effect }];
  const rolling = (maxUnavailable: number | string, maxSurge: number | string = 0) => {
    return { updateStrategy: { type: 'RollingUpdate' as const, rollingUpdate: { maxUnavailable, maxSurge } } };
  };
  const nodesOf = (world: World): string[] => {
    const names = world.pods().map(({ spec }) => spec.nodeName ?? '');
    return names.toSorted();
  };
  const namesOf = (world: World): string[] => world.pods().map(({ metadata }) => metadata.name);
  const isReady = ({ status }: StoredPod): boolean => status.conditions?.some((one) => one.status === 'True') ?? false;

  /** The most active Pods at any time, and the fewest ready ones. */
  function watch(world: World, node: SimulatedNode, forMs: number): { most: number; leastReady: number } {
    const counts = Array.from({ length: forMs / 10 }, () => {
      node.run(10);
      return [world.pods().filter(isActive).length, world.pods().filter(isReady).length] as const;
    });
    return { most: Math.max(...counts.map(([all]) => all)), leastReady: Math.min(...counts.map(([, ready]) => ready)) };
  }

  it('has a Pod on each node that takes it', () => {
    const { world } = newDaemonSet({}, undefined, { ...THREE, d: dedicated('NoSchedule') });
    expect(nodesOf(world)).toEqual(['a', 'b', 'c']);
    expect(statusOf(world)).toMatchObject({
      desiredNumberScheduled: 3,
      currentNumberScheduled: 3,
      numberAvailable: 3,
      updatedNumberScheduled: 3,
      numberMisscheduled: 0,
    });
  });

  it('follows the nodes', () => {
    const { world, node } = newDaemonSet({}, undefined, THREE);
    world.setNodes({ ...THREE, b: dedicated('NoSchedule'), c: dedicated('NoExecute'), d: [] });
    node.run(1000);
    expect(nodesOf(world)).toEqual(['a', 'b', 'd']);
    expect(statusOf(world)).toMatchObject({
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      numberMisscheduled: 1,
    });
  });

  it('removes a Pod that waits for a node that is gone', () => {
    const { world, node } = newDaemonSet({}, undefined, { a: [] });
    world.setNodes({ a: [], b: [] });
    world.settle();
    expect(world.pods()).toHaveLength(2);
    world.setNodes({ a: [] });
    node.run(1000);
    expect(nodesOf(world)).toEqual(['a']);
  });

  it('delays the Pods of a node on which they fail, and no more', () => {
    const fails = (pod: StoredPod): boolean => JSON.stringify(pod.spec.affinity).includes('"b"');
    const { world, node } = newDaemonSet(
      {},
      (pod) => (fails(pod) ? { readyAfterMs: 100, runsForMs: 0, exitCode: 1 } : RUNS),
      THREE,
    );
    node.run(19_000);
    expect(creationSeconds(world)).toEqual([0, 0, 0, 0, 1, 3, 7, 15]);
  });

  it.each([
    [1, 2],
    [2, 1],
    ['50%', 1],
  ])('with maxUnavailable %s always has %i Pods during an update', (maxUnavailable, leastReady) => {
    const { world, node } = newDaemonSet(rolling(maxUnavailable), undefined, THREE);
    change(world, { template: templateOf('2') });
    expect(watch(world, node, 5000)).toEqual({ most: 3, leastReady });
    expect(statusOf(world)).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3 });
  });

  it.each([
    [1, 4],
    ['50%', 5],
  ])('with maxSurge %s has %i Pods at most during an update', (maxSurge, most) => {
    const { world, node } = newDaemonSet(rolling(0, maxSurge), undefined, THREE);
    change(world, { template: templateOf('2') });
    expect(watch(world, node, 5000)).toEqual({ most, leastReady: 3 });
    expect(statusOf(world)).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3 });
  });

  /** Conformance: "Daemon set [Serial] should rollback without unnecessary restarts". */
  it('goes back without restarts of Pods that the update has not reached', () => {
    const isBad = (pod: StoredPod): boolean => pod.spec.containers[0]?.env?.[0]?.value === '2';
    const { world, node } = newDaemonSet(rolling(1), (pod) => (isBad(pod) ? {} : RUNS), THREE);
    const before = namesOf(world);
    change(world, { template: templateOf('2') });
    node.run(10_000);
    const kept = namesOf(world).filter((name) => before.includes(name));
    expect(kept).toHaveLength(2);
    expect(world.pods().filter(isBad)).toHaveLength(1);
    change(world, { template: templateOf('1') });
    node.run(10_000);
    expect(namesOf(world)).toEqual(expect.arrayContaining(kept));
    expect(world.pods().some(isBad)).toBe(false);
    expect(statusOf(world)).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3 });
  });
});
