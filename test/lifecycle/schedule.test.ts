import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import type { StoredPod } from '../../src/api/objects.ts';
import { type Schedule, schedule } from '../../src/lifecycle/schedule.ts';
import { node, podWith, requesting } from './base-objects.ts';

const asking = (requests: Record<string, string>): Partial<PodSpec> => ({ containers: [requesting(requests)] });
const byName = (name: string): Partial<PodSpec> => {
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: [name] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } };
};

const HELPLESS =
  ' no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
const NO_VICTIMS =
  ' no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.';

function unschedulable(why: string): Schedule {
  return { ok: false, rejected: false, reason: 'Unschedulable', message: `0/1 nodes are available: ${why}` };
}

function rejected(reason: string, text: string): Schedule {
  return { ok: false, rejected: true, reason, message: `Pod was rejected: ${text}`, why: text };
}

interface Row {
  readonly name: string;
  readonly spec: Partial<PodSpec>;
  readonly placed?: readonly StoredPod[];
  readonly want: Schedule;
}

const here: Schedule = { ok: true, nodeName: 'node-1' };
const oneCore = podWith(asking({ cpu: '1' }));

describe('schedule() of a Pod without a node', () => {
  it.each<Row>([
    { name: 'takes a Pod that asks for nothing', spec: {}, want: here },
    { name: 'takes a Pod that fits exactly', spec: asking({ cpu: '2', memory: '4Gi' }), want: here },
    {
      name: 'leaves a gated Pod alone, whatever it asks for',
      spec: { ...asking({ cpu: '64' }), schedulingGates: [{ name: 'example.com/wait' }] },
      want: {
        ok: false,
        rejected: false,
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    },
    {
      name: 'finds no node for a nodeSelector, and does not even look at resources',
      spec: { ...asking({ cpu: '64' }), nodeSelector: { disk: 'tape' } },
      want: unschedulable(`1 node(s) didn't match Pod's node affinity/selector.${HELPLESS}`),
    },
    {
      name: 'finds no node of another name',
      spec: byName('node-2'),
      want: unschedulable(`1 node(s) didn't satisfy plugin(s) [NodeAffinity].${HELPLESS}`),
    },
    { name: 'finds the node by its name', spec: byName('node-1'), want: here },
    {
      name: 'lists all resources that are short, sorted',
      spec: asking({ memory: '8Gi', 'example.com/gpu': '1', cpu: '3', 'ephemeral-storage': '1Ti' }),
      want: unschedulable(
        '1 Insufficient cpu, 1 Insufficient ephemeral-storage, 1 Insufficient example.com/gpu, ' +
          `1 Insufficient memory.${HELPLESS}`,
      ),
    },
    { name: 'ignores a request of zero', spec: asking({ 'example.com/gpu': '0' }), want: here },
    {
      name: 'counts what other Pods hold, and says that none of them would go',
      spec: asking({ cpu: '500m' }),
      placed: [oneCore, oneCore],
      want: unschedulable(`1 Insufficient cpu.${NO_VICTIMS}`),
    },
    { name: 'fits beside others', spec: asking({ cpu: '1' }), placed: [oneCore], want: here },
    {
      name: 'takes no more Pods than the node may have',
      spec: {},
      placed: Array.from({ length: 110 }, () => podWith()),
      want: unschedulable(`1 Too many pods.${NO_VICTIMS}`),
    },
  ])('$name', ({ spec, placed, want }) => {
    expect(schedule(podWith(spec), node, placed)).toEqual(want);
  });
});

describe('schedule() of a Pod whose nodeName was set by hand', () => {
  it.each<Row>([
    { name: 'admits what fits', spec: asking({ cpu: '1' }), want: here },
    {
      name: 'rejects a Pod that asks for too much cpu',
      spec: asking({ memory: '1Ti', cpu: '100' }),
      want: rejected('OutOfcpu', "Node didn't have enough resource: cpu, requested: 100000, used: 0, capacity: 2000"),
    },
    {
      name: 'counts memory in bytes',
      spec: asking({ memory: '5Gi' }),
      want: rejected(
        'OutOfmemory',
        "Node didn't have enough resource: memory, requested: 5368709120, used: 0, capacity: 4294967296",
      ),
    },
    {
      name: 'rejects one Pod too many',
      spec: {},
      placed: Array.from({ length: 110 }, () => podWith()),
      want: rejected('OutOfpods', "Node didn't have enough resource: pods, requested: 1, used: 110, capacity: 110"),
    },
    {
      name: 'rejects a Pod whose selector does not match',
      spec: { nodeSelector: { disk: 'tape' } },
      want: rejected(
        'NodeAffinity',
        "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
      ),
    },
    {
      name: 'tells the resource before the selector',
      spec: { ...asking({ cpu: '3' }), nodeSelector: { disk: 'tape' } },
      want: rejected('OutOfcpu', "Node didn't have enough resource: cpu, requested: 3000, used: 0, capacity: 2000"),
    },
    { name: 'overlooks devices that it knows nothing of', spec: asking({ 'example.com/gpu': '1' }), want: here },
  ])('$name', ({ spec, placed, want }) => {
    expect(schedule(podWith({ ...spec, nodeName: 'node-1' }), node, placed)).toEqual(want);
  });

  it('stands in for a node of another name', () => {
    const pod = podWith({ nodeName: 'node-7', nodeSelector: { 'kubernetes.io/hostname': 'node-7', disk: 'ssd' } });
    expect(schedule(pod, node)).toEqual({ ok: true, nodeName: 'node-7' });
    expect(schedule(podWith({ ...asking({ cpu: '3' }), nodeName: 'node-7' }), node)).toMatchObject({
      rejected: true,
      reason: 'OutOfcpu',
    });
  });
});
