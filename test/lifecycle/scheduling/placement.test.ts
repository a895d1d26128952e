import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../src/api/generated/types.ts';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { place, type Placement } from '../../../src/lifecycle/scheduling/placement.ts';
import { node, podWith } from '../base-objects.ts';

const now = { monotonicMs: 0, wallMs: Date.parse('2026-01-01T00:00:00Z') };
const placed = (pod: StoredPod): Placement => place(pod, { nodes: [node], placed: [], now });
const elsewhere = { nodeName: 'node-7' };
const gated = { schedulingGates: [{ name: 'example.com/wait' }] };
const unmet = { nodeSelector: { gpu: 'yes' } };

describe('place()', () => {
  it('has the scheduler bind a Pod that fits, and the kubelet run the bound Pod', () => {
    const event = { action: 'Binding', reason: 'Scheduled', type: 'Normal' };
    expect(placed(podWith({}))).toMatchObject({ type: 'binds', nodeName: node.name, event });
    expect(placed(podWith({ nodeName: node.name }))).toEqual({ type: 'runs' });
  });

  it('rejects a Pod that came to the node by its name and does not fit', () => {
    expect(placed(podWith({ ...unmet, nodeName: node.name }))).toMatchObject({
      type: 'rejected',
      event: { reason: 'NodeAffinity', type: 'Warning' },
      status: { phase: 'Failed', reason: 'NodeAffinity', startTime: '2026-01-01T00:00:00.000000Z' },
    });
  });

  it('rejects a Pod that comes to a node which shuts down', () => {
    const nodes = [{ ...node, isShuttingDown: true }];
    expect(place(podWith({ nodeName: node.name }), { nodes, placed: [], now })).toMatchObject({
      type: 'rejected',
      event: { reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.' },
      status: { phase: 'Failed', reason: 'NodeShutdown' },
    });
  });

  it.each<{ name: string; spec: Partial<PodSpec>; reason: string | undefined; events: number; notices: number }>([
    { name: 'of another node', spec: elsewhere, reason: undefined, events: 0, notices: 1 },
    { name: 'with a gate', spec: gated, reason: 'SchedulingGated', events: 0, notices: 0 },
    { name: 'whose labels the node lacks', spec: unmet, reason: 'Unschedulable', events: 1, notices: 1 },
  ])('lets a Pod wait: $name', ({ spec, reason, events, notices }) => {
    const placement = placed(podWith(spec));
    if (placement.type !== 'waits') throw new Error(placement.type);
    expect(placement.status?.conditions?.map((condition) => condition.reason)).toEqual(reason && [reason]);
    expect([placement.event].flatMap((event) => event ?? [])).toHaveLength(events);
    expect(placement.notices).toHaveLength(notices);
  });

  it('says nothing of a Pod that waits for the same as before', () => {
    const pod = podWith(unmet);
    const first = placed(pod);
    if (first.type !== 'waits' || first.status === undefined) throw new Error(first.type);
    expect(placed({ ...pod, status: first.status })).toEqual({
      type: 'waits',
      notices: [],
      rejection: first.rejection,
    });
  });
});
