import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/index.ts';
import type { ClusterEvent } from '../../../src/lifecycle/scheduling/queue/cluster-event.ts';
import { SchedulingQueue } from '../../../src/lifecycle/scheduling/queue/scheduling-queue.ts';

const NO_ROOM = { plugins: ['NodeResourcesFit'], message: '0/1 nodes are available: 1 Insufficient cpu.' };
const NO_NODES = { plugins: [], message: 'no nodes available to schedule pods' };
/** A Pod has left a node. */
const FREED: ClusterEvent = { kind: 'Pod', before: podNamed('gone', { nodeName: 'node-1' }) };
const RELABELLED: ClusterEvent = {
  kind: 'Pod',
  before: podNamed('x', { nodeName: 'n' }),
  after: podNamed('x', { nodeName: 'n' }),
};

function podNamed(name: string, spec: Partial<StoredPod['spec']> = {}): StoredPod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { containers: [{ name: 'main' }], ...spec },
    status: { phase: 'Pending' },
  } as StoredPod;
}

/** A queue and its Pods, each of which was tried once at 0, and had no room. */
function queueOf(pods: readonly StoredPod[], rejection = NO_ROOM): SchedulingQueue {
  const queue = new SchedulingQueue({ namespaceLabels: () => ({}) });
  for (const pod of pods) queue.add(pod);
  for (const _ of pods) queue.failed(queue.pop(0) as StoredPod, rejection, 0);
  return queue;
}

/** Tries the next Pods, which are rejected, until none is left to be tried. */
function names(queue: SchedulingQueue, nowMs: number, rejection = NO_ROOM): string[] {
  const tried: string[] = [];
  for (let pod = queue.pop(nowMs); pod !== undefined; pod = queue.pop(nowMs)) {
    tried.push(pod.metadata.name);
    queue.failed(pod, rejection, nowMs);
  }
  return tried;
}

it('takes Pods by priority, then in the order in which they came', () => {
  const queue = new SchedulingQueue({ namespaceLabels: () => ({}) });
  const pods = [podNamed('a'), podNamed('b', { priority: 5 }), podNamed('c'), podNamed('d', { priority: 5 })];
  for (const pod of pods) queue.add(pod);
  expect(names(queue, 0)).toEqual(['b', 'd', 'a', 'c']);
});

describe('a Pod that was rejected', () => {
  it('rests until something helps, and is tried at once when nothing else is to be tried', () => {
    const queue = queueOf([podNamed('a')]);
    expect(queue.pop(60_000)).toBe(undefined);
    queue.heard(RELABELLED, 100);
    expect(queue.pop(100)).toBe(undefined);
    queue.heard(FREED, 100);
    expect(queue.placeOf('a')).toBe('backoff');
    expect(names(queue, 100)).toEqual(['a']);
  });

  it('waits longer after each attempt, while other Pods are to be tried', () => {
    const queue = queueOf([podNamed('a')]);
    const waits: number[] = [];
    for (let nowMs = 0; waits.length < 6;) {
      queue.heard(FREED, nowMs);
      const readyMs = queue.nextMs ?? NaN;
      expect(queue.placeOf('a')).toBe('backoff');
      waits.push(readyMs - nowMs);
      nowMs = readyMs;
      expect(names(queue, nowMs)).toEqual(['a']);
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
  });

  it('comes after a Pod that was not tried yet', () => {
    const queue = queueOf([podNamed('a', { priority: 9 })]);
    queue.heard(FREED, 10);
    queue.add(podNamed('b'));
    expect(queue.pop(10)?.metadata.name).toBe('b');
    expect(queue.pop(10)?.metadata.name).toBe('a');
  });

  it('is tried again after five minutes', () => {
    const queue = queueOf([podNamed('a'), podNamed('b')]);
    expect(queue.nextMs).toBe(300_000);
    queue.endRests(299_999);
    expect(queue.pop(299_999)).toBe(undefined);
    queue.endRests(300_000);
    expect(names(queue, 300_000)).toEqual(['a']);
    expect(queue.nextMs).toBe(600_000);
  });

  it('by no plugin, ends its back-off first', () => {
    const queue = queueOf([podNamed('a')], NO_NODES);
    queue.heard(FREED, 10);
    expect(queue.pop(999)).toBe(undefined);
    expect(queue.nextMs).toBe(1000);
    expect(names(queue, 1000, NO_NODES)).toEqual(['a']);
    expect(queue.nextMs).toBe(3000);
  });

  it('is tried again after a change during the attempt', () => {
    const queue = new SchedulingQueue({ namespaceLabels: () => ({}) });
    queue.add(podNamed('a'));
    const pod = queue.pop(0) as StoredPod;
    queue.heard(FREED, 0);
    queue.failed(pod, NO_ROOM, 0);
    expect(queue.placeOf('a')).toBe('backoff');
  });
});

describe('scheduling gates', () => {
  it('keep a Pod out of the queue until they are gone', () => {
    const queue = new SchedulingQueue({ namespaceLabels: () => ({}) });
    queue.add(podNamed('a', { schedulingGates: [{ name: 'one' }, { name: 'two' }] }));
    queue.heard(FREED, 0);
    queue.update(podNamed('a', { schedulingGates: [{ name: 'two' }] }), 0);
    expect([queue.pop(0), queue.placeOf('a')]).toEqual([undefined, 'unschedulable']);
    queue.update(podNamed('a'), 0);
    expect(queue.placeOf('a')).toBe('active');
  });
});

describe('of Pods that are the same, and were rejected alike,', () => {
  const same = Array.from({ length: 10_000 }, (_, index) => podNamed(`same-${index}`));

  it('one goes ahead', () => {
    const queue = queueOf(same);
    queue.heard(FREED, 20_000);
    expect(names(queue, 20_000)).toEqual(['same-0']);
  });

  it('one goes ahead, although each has a volume of its own for the token of its ServiceAccount', () => {
    const pods = ['a', 'b'].map((name) => {
      const volume = `kube-api-access-${name}`;
      const mounted = { name: 'main', volumeMounts: [{ name: volume, mountPath: '/var/run/secrets' }] };
      return podNamed(name, { containers: [mounted], volumes: [{ name: volume, projected: { sources: [] } }] });
    });
    const queue = queueOf(pods);
    queue.heard(FREED, 20_000);
    expect(names(queue, 20_000)).toEqual(['a']);
  });

  it('the next one follows a Pod that was placed', () => {
    const queue = queueOf(same);
    queue.heard(FREED, 20_000);
    queue.heard(FREED, 20_000);
    for (const name of ['same-0', 'same-1']) {
      expect(queue.pop(20_000)?.metadata.name).toBe(name);
      queue.remove(name, 20_000);
    }
    expect(names(queue, 20_000)).toEqual(['same-2']);
    expect(queue.size).toBe(9998);
  });

  it('all are tried when the reasons have changed', () => {
    const queue = queueOf(same.slice(0, 5));
    queue.heard(FREED, 20_000);
    const cordoned = { plugins: ['NodeUnschedulable'], message: '1 node(s) were unschedulable.' };
    expect(names(queue, 20_000, cordoned)).toHaveLength(5);
    queue.heard(FREED, 40_000);
    expect(names(queue, 40_000, cordoned)).toEqual([]);
  });

  it('one that was changed is tried for itself', () => {
    const tainted = { plugins: ['TaintToleration'], message: '1 node(s) had untolerated taint(s).' };
    const queue = queueOf(same.slice(0, 5), tainted);
    queue.update(podNamed('same-3', { tolerations: [{ operator: 'Exists' }] }), 20_000);
    expect(names(queue, 20_000, tainted)).toEqual(['same-3']);
  });

  it('the next one goes ahead when the first is deleted', () => {
    const queue = queueOf(same.slice(0, 5));
    queue.heard(FREED, 20_000);
    queue.remove('same-0', 20_000);
    expect(names(queue, 20_000)).toEqual(['same-1']);
  });

  it('a Pod of another priority is another one', () => {
    const queue = queueOf([podNamed('low'), podNamed('high', { priority: 1 })]);
    queue.heard(FREED, 20_000);
    expect(names(queue, 20_000)).toEqual(['high', 'low']);
  });
});
