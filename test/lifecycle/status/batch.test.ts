import { describe, expect, it } from 'vitest';
import type { ContainerState, ContainerStatus, PodStatus } from '../../../src/api/generated/types.ts';
import { batchMs, changesContainersOnly, leavesUnpublishedState } from '../../../src/lifecycle/status/batch.ts';

const WAITING: ContainerState = { waiting: { reason: 'ContainerCreating' } };
const CRASHED: ContainerState = { waiting: { reason: 'CrashLoopBackOff' } };
const RUNNING: ContainerState = { running: { startedAt: '2026-11-20T20:01:02Z' } };
const ended = (id: string): ContainerState => ({ terminated: { exitCode: 0, containerID: id } });

function status(name: string, state: ContainerState, id?: string): ContainerStatus {
  const containerID = id === undefined ? {} : { containerID: id };
  return { name, state, ready: false, restartCount: 0, image: '', imageID: '', ...containerID };
}

function pod(...containerStatuses: ContainerStatus[]): PodStatus {
  return { phase: 'Running', conditions: [], containerStatuses };
}

describe('how long a change may wait', () => {
  const podOf = (count: number): number => {
    return batchMs({ containers: Array.from({ length: count }, (_, index) => ({ name: `c${index}` })) });
  };

  it('is not at all in most Pods, and longer the longer it takes to tell', () => {
    expect([1, 19, 20, 50, 1000].map(podOf)).toEqual([0, 0, 20, 50, 1000]);
  });
});

describe('a state that waits to be published', () => {
  const published = pod(status('a', WAITING), status('b', WAITING));
  const waiting = pod(status('a', RUNNING, '1'), status('b', WAITING));

  it.each<[string, PodStatus, boolean]>([
    ['the same container still is in it', pod(status('a', RUNNING, '1'), status('b', WAITING)), false],
    ['another one has gone on', pod(status('a', RUNNING, '1'), status('b', RUNNING, '2')), false],
    ['it was a run that has ended', pod(status('a', ended('1'), '1'), status('b', WAITING)), false],
    ['the run that has ended is a later one', pod(status('a', ended('9'), '9'), status('b', WAITING)), true],
    ['the container waits for its next run', pod(status('a', CRASHED, '1'), status('b', WAITING)), true],
  ])('%s', (_, next, isOvertaken) => {
    expect(leavesUnpublishedState(published, waiting, next)).toBe(isOvertaken);
  });

  it('is overtaken by whatever follows an end', () => {
    const over = pod(status('a', ended('1'), '1'), status('b', WAITING));
    expect(leavesUnpublishedState(published, over, pod(status('a', CRASHED, '1'), status('b', WAITING)))).toBe(true);
  });
});

describe('a status that is published at once', () => {
  const before = pod(status('a', WAITING));

  it('is a phase, and a condition, but not the words of one', () => {
    const withCondition = (value: 'True' | 'False', message: string): PodStatus => {
      return { ...before, conditions: [{ type: 'Ready', status: value, message }] };
    };
    expect(changesContainersOnly(before, { ...before, phase: 'Succeeded' })).toBe(false);
    expect(changesContainersOnly(withCondition('False', 'a, b'), withCondition('True', 'a, b'))).toBe(false);
    expect(changesContainersOnly(withCondition('False', 'a, b'), withCondition('False', 'b'))).toBe(true);
    expect(changesContainersOnly(before, pod(status('a', RUNNING, '1')))).toBe(true);
  });
});
