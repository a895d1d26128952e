import { describe, expect, it } from 'vitest';
import { pickNode } from '../../../src/lifecycle/scheduling/base/tie-break.ts';
import type { NodeState } from '../../../src/lifecycle/scheduling/base/snapshot.ts';
import { enoughNodes, lookingOrder } from '../../../src/lifecycle/scheduling/sample-nodes.ts';
import { node } from '../base-objects.ts';

describe('pickNode()', () => {
  const names = ['node-1', 'node-2', 'node-3'];

  it('depends on the seed, the order of the Pod and the names alone', () => {
    const picks = Array.from({ length: 20 }, (_, order) => pickNode(names, { seed: 1, order }));
    expect(picks).toEqual(Array.from({ length: 20 }, (_, order) => pickNode(names.toReversed(), { seed: 1, order })));
    expect(picks).not.toEqual(Array.from({ length: 20 }, (_, order) => pickNode(names, { seed: 2, order })));
  });

  it('picks each about as often', () => {
    const counts = new Map(names.map((name) => [name, 0]));
    for (let order = 0; order < 3000; order++) {
      const name = pickNode(names, { seed: 1, order });
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});

describe('of a large cluster', () => {
  it.each([
    [3, 3],
    [99, 99],
    [100, 100],
    [150, 100],
    [250, 120],
    [1000, 420],
    [6000, 300],
  ])('with %i nodes, %i feasible ones are enough', (all, enough) => {
    expect(enoughNodes(all)).toBe(enough);
  });

  const states = (count: number, zones: number): NodeState[] =>
    Array.from({ length: count }, (_, index) => ({
      node: {
        ...node,
        name: `node-${index}`,
        labels: { 'topology.kubernetes.io/zone': `z${Math.trunc((index * zones) / count)}` },
      },
      pods: [],
    }));
  const namesOf = (nodes: readonly NodeState[]): string[] => nodes.map((state) => state.node.name);

  it('zone after zone gives a node', () => {
    expect(namesOf(lookingOrder(states(150, 3), 0)).slice(0, 5)).toEqual([
      'node-0',
      'node-50',
      'node-100',
      'node-1',
      'node-51',
    ]);
  });

  it('each Pod begins where the Pod before it has found enough', () => {
    expect(namesOf(lookingOrder(states(150, 1), 1)).slice(0, 2)).toEqual(['node-100', 'node-101']);
    expect(namesOf(lookingOrder(states(150, 1), 2)).slice(0, 2)).toEqual(['node-50', 'node-51']);
    expect(namesOf(lookingOrder(states(99, 1), 2))[0]).toBe('node-0');
  });
});
