import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { shrinkOnce, SmallHeap } from '../../src/engine/run/small-heap.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

const WAITING = { waiting: { reason: 'ContainerCreating' } };
const RUNNING = { running: { startedAt: '2026-11-20T20:01:02Z' } };

/** A Pod with so many containers in this state. */
function podOf(uid: string, containers: number, phase: string, state: object, restartCount = 0): StoredPod {
  const names = Array.from({ length: containers }, (_, index) => `c${index}`);
  return {
    metadata: { uid },
    spec: { containers: names.map((name) => ({ name })) },
    status: { phase, containerStatuses: names.map((name) => ({ name, state, restartCount })) },
  } as unknown as StoredPod;
}

function heapOf(pods: readonly StoredPod[]): { heap: SmallHeap; shrunk: () => number } {
  let shrunk = 0;
  return { heap: new SmallHeap(pods, () => void shrunk++), shrunk: () => shrunk };
}

describe('SmallHeap', () => {
  it('waits for the last container of the last Pod, and shrinks once', () => {
    const pods = ['a', 'b'].map((uid) => podOf(uid, 25, 'Pending', WAITING));
    const { heap, shrunk } = heapOf(pods);
    heap.pod(podOf('a', 25, 'Running', RUNNING));
    heap.pod(podOf('b', 25, 'Running', WAITING));
    heap.pod(podOf('other', 25, 'Running', RUNNING));
    expect(shrunk()).toBe(0);
    heap.pod(podOf('b', 25, 'Running', RUNNING));
    heap.pod(podOf('b', 25, 'Running', RUNNING));
    expect(shrunk()).toBe(1);
  });

  it('does not wait for containers in back-off, nor for Pods that have ended', () => {
    const { heap, shrunk } = heapOf(['a', 'b'].map((uid) => podOf(uid, 25, 'Pending', WAITING)));
    heap.pod(podOf('a', 25, 'Running', WAITING, 1));
    heap.pod(podOf('b', 25, 'Failed', { terminated: { exitCode: 1 } }));
    expect(shrunk()).toBe(1);
  });

  it('counts the Pods that a server gets, and waits for none that is deleted', () => {
    const { heap, shrunk } = heapOf([]);
    heap.add(podOf('a', 49, 'Pending', WAITING));
    heap.pod(podOf('a', 49, 'Running', RUNNING));
    heap.add(podOf('b', 1, 'Pending', WAITING));
    heap.add(podOf('c', 1, 'Pending', WAITING));
    heap.pod(podOf('b', 1, 'Running', RUNNING));
    expect(shrunk()).toBe(0);
    heap.pod(podOf('c', 1, 'Pending', WAITING), true);
    expect(shrunk()).toBe(1);
  });

  it('does nothing in a process with few containers', () => {
    const { heap, shrunk } = heapOf([podOf('a', 49, 'Pending', WAITING)]);
    heap.pod(podOf('a', 49, 'Running', RUNNING));
    expect(shrunk()).toBe(0);
  });
});

it('the heap of a server may grow again after it was shrunk', () => {
  const clock = new ManualClock(0);
  const flags: string[] = [];
  shrinkOnce(clock, (set) => flags.push(...set));
  expect(flags).toContain('--optimize-for-size');
  expect(flags).not.toContain('--no-optimize-for-size');
  clock.advance(30_000);
  expect(flags).toContain('--no-optimize-for-size');
});
