import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/objects.ts';
import { SmallHeap } from '../../src/agent/runs/small-heap.ts';

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

  it('does nothing in a process with few containers', () => {
    const { heap, shrunk } = heapOf([podOf('a', 49, 'Pending', WAITING)]);
    heap.pod(podOf('a', 49, 'Running', RUNNING));
    expect(shrunk()).toBe(0);
  });
});
