import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/index.ts';
import { NodeWorld, podOn, SCALED, taintOf } from '../cases/node-world.ts';

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index + 1}`);
const zone = (count: number): Record<string, string> => Object.fromEntries(names(count).map((name) => [name, 'a']));
function unscheduled(pod: StoredPod): StoredPod {
  const { nodeName: _, ...spec } = pod.spec;
  return { ...pod, spec };
}
const ended = (pod: StoredPod, second: number, reason?: string): StoredPod => ({
  ...pod,
  metadata: { ...pod.metadata, creationTimestamp: `2026-11-30T00:00:0${second}Z` },
  status: { ...pod.status, phase: reason === undefined ? 'Succeeded' : 'Failed', ...(reason && { reason }) },
});

describe('lost nodes', () => {
  it('lose their NoExecute taints when no node lives any more', () => {
    const world = new NodeWorld({ nodes: zone(3), pods: [podOn('n2', 'a')] });
    world.runUntil(1000);
    world.silence(['n2', 'n3']);
    world.runUntil(3000);
    world.silence(['n1']);
    world.runUntil(6000);
    expect(world.seen(/^Node n[23]: taints/).map((line) => line.replace('node.kubernetes.io/', ''))).toEqual([
      '2008 Node n2: taints are now unreachable:NoSchedule',
      '2008 Node n3: taints are now unreachable:NoSchedule',
      '2008 Node n2: taints are now unreachable:NoSchedule, node.kubernetes.io/unreachable:NoExecute',
      '2108 Node n3: taints are now unreachable:NoSchedule, node.kubernetes.io/unreachable:NoExecute',
      '4008 Node n2: taints are now unreachable:NoSchedule',
      '4008 Node n3: taints are now unreachable:NoSchedule',
    ]);
  });

  it('wait for one turn when the first node is back', () => {
    const world = new NodeWorld({ nodes: zone(2), pods: [] });
    world.silence(['n1', 'n2']);
    world.runUntil(3000);
    expect(world.seen(/NoExecute$/)).toEqual([]);
    world.wake('n1');
    world.runUntil(5000);
    expect(world.seen(/^Node n2: .*NoExecute$/).map((line) => line.split(' ')[0])).toEqual(['3108']);
  });

  it('change one NoExecute taint for the other without a turn', () => {
    const world = new NodeWorld({ nodes: zone(3), pods: [], timing: { ...SCALED, evictionRate: 0.1 } });
    world.silence(['n3']);
    world.runUntil(2000);
    world.report('n3', { Ready: 'False' });
    world.runUntil(2500);
    expect(world.seen(/^Node n3: taints/).map((line) => line.replaceAll('node.kubernetes.io/', ''))).toEqual([
      '1208 Node n3: taints are now unreachable:NoSchedule',
      '1208 Node n3: taints are now unreachable:NoSchedule, unreachable:NoExecute',
      '2000 Node n3: taints are now unreachable:NoExecute, not-ready:NoSchedule',
      '2008 Node n3: taints are now not-ready:NoSchedule, not-ready:NoExecute',
    ]);
  });

  it.each([
    [50, 0],
    [51, 1],
  ])('of a disrupted zone of %i get %i taint in two seconds', (size, count) => {
    const world = new NodeWorld({ nodes: zone(size), pods: [] });
    world.silence(names(40));
    world.runUntil(3000);
    expect(world.seen(/taints are now .*NoExecute$/)).toHaveLength(count);
  });

  it('do not count for their zone with the label that excludes them', () => {
    const world = new NodeWorld({ nodes: zone(4), pods: [] });
    for (const name of ['n2', 'n3']) {
      world.change(name, (node) => {
        const labels = { ...node.metadata.labels, 'node.kubernetes.io/exclude-disruption': '' };
        return { ...node, metadata: { ...node.metadata, labels } };
      });
    }
    world.silence(['n2', 'n3', 'n4']);
    world.runUntil(3000);
    expect(world.seen(/taints are now .*NoExecute$/)).toHaveLength(3);
  });

  it('have Pods that are not ready, also when another controller saw the loss', () => {
    const world = new NodeWorld({ nodes: zone(2), pods: [podOn('n2', 'a', [{ operator: 'Exists' }])] });
    world.change('n2', (node) => {
      const conditions = node.status?.conditions?.map((condition) => ({ ...condition, status: 'Unknown' })) ?? [];
      return { ...node, status: { conditions } };
    });
    world.runUntil(100);
    expect(world.seen(/^Pod a|on Pod\/a/)).toEqual([
      '0 Pod a: Running, Ready=False ContainersReady=True',
      '0 event Warning NodeNotReady on Pod/a by node-controller: Node is not ready',
    ]);
  });
});

describe('the end of a toleration', () => {
  const forSeconds = (key: string, tolerationSeconds: number) => ({
    key,
    operator: 'Exists' as const,
    tolerationSeconds,
  });
  const tainted = (...taints: string[]) => {
    return ((node) => ({ ...node, spec: { taints: taints.map(taintOf) } })) satisfies Parameters<
      NodeWorld['change']
    >[1];
  };

  it.each([
    ['a longer one', 3],
    ['a shorter one', 0.1],
  ])('stays when another taint comes that is tolerated for %s', (_, seconds) => {
    const pod = podOn('n1', 'a', [forSeconds('k', 2), forSeconds('other', seconds)]);
    const world = new NodeWorld({ nodes: zone(2), pods: [pod] });
    world.runUntil(1000);
    world.change('n1', tainted('k=:NoExecute'));
    world.runUntil(2000);
    world.change('n1', tainted('k=:NoExecute', 'other=:NoExecute'));
    world.runUntil(6000);
    expect(world.seen(/DELETE|Cancelling/)).toEqual(['3000 Pod a: DELETE (default grace)']);
  });

  it('does not come for a Pod that is being deleted', () => {
    const world = new NodeWorld({ nodes: zone(2), pods: [podOn('n1', 'a', [], '2026-11-30T00:00:30Z')] });
    world.runUntil(1000);
    world.change('n1', tainted('k=:NoExecute'));
    world.runUntil(2000);
    expect(world.seen(/Pod/)).toEqual([]);
  });
});

describe('the collection of Pods', () => {
  it('removes ended Pods above a number: evicted ones first, then the oldest', () => {
    const pods = [
      ended(podOn('n1', 'old'), 1),
      ended(podOn('n1', 'evicted'), 3, 'Evicted'),
      ended(podOn('n1', 'new'), 2),
      podOn('n1', 'running'),
    ];
    const world = new NodeWorld({ nodes: zone(1), pods, timing: { ...SCALED, endedPodsMax: 1 } });
    world.runUntil(100);
    expect(world.seen(/Pod/)).toEqual(['8 Pod evicted: DELETE (grace 0)', '8 Pod old: DELETE (grace 0)']);
  });

  it.each([
    ['never had a node', unscheduled(podOn('', 'a', [], '2026-11-30T00:00:30Z')), 2],
    ['is on a Ready node that is out of service', podOn('n2', 'a', [], '2026-11-30T00:00:30Z'), 0],
    ['has no node and is not being deleted', unscheduled(podOn('', 'a')), 0],
  ])('of a Pod that %s', (_, pod, writes) => {
    const world = new NodeWorld({ nodes: zone(2), pods: [pod] });
    world.change('n2', (node) => ({
      ...node,
      spec: { taints: [taintOf('node.kubernetes.io/out-of-service=x:NoSchedule')] },
    }));
    world.runUntil(1000);
    expect(world.seen(/Pod/)).toHaveLength(writes);
  });

  it('leaves the Pods of a Node that is back in time', () => {
    const world = new NodeWorld({ nodes: zone(2), pods: [podOn('n2', 'a')] });
    world.runUntil(1000);
    const removed: Parameters<Parameters<NodeWorld['change']>[1]>[0][] = [];
    world.change('n2', (node) => void removed.push(node));
    world.runUntil(1500);
    world.add(removed);
    world.runUntil(5000);
    expect(world.seen(/Pod/)).toEqual([]);
  });
});
