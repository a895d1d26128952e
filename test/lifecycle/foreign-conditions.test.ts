import { describe, expect, it } from 'vitest';
import type { PodCondition } from '../../src/api/generated/types.ts';
import { mergeStatus } from '../../src/lifecycle/status/merge-status.ts';
import { setConditions } from '../../src/lifecycle/requests/set-conditions.ts';

const condition = (type: string, status: string, more: Partial<PodCondition> = {}): PodCondition => ({
  type,
  status,
  ...more,
});

describe("the agent's status in the store", () => {
  it('keeps foreign conditions first, and none of the agent’s from the store', () => {
    const stored = {
      phase: 'Pending' as const,
      conditions: [condition('Ready', 'True'), condition('lb', 'True'), condition('DisruptionTarget', 'True')],
    };
    const own = {
      phase: 'Running' as const,
      conditions: [condition('lb', 'False'), condition('gone', 'True'), condition('Ready', 'False')],
    };
    expect(mergeStatus(stored, own)).toEqual({
      phase: 'Running',
      conditions: [condition('lb', 'True'), condition('DisruptionTarget', 'True'), condition('Ready', 'False')],
    });
  });

  it('keeps a terminal phase', () => {
    const stored = { phase: 'Failed' as const, reason: 'Preempted' };
    expect(mergeStatus(stored, { phase: 'Running', podIP: '::1' })).toEqual({ ...stored, podIP: '::1' });
    expect(mergeStatus(stored, { phase: 'Succeeded' })).toEqual({ phase: 'Succeeded' });
  });

  it('has no conditions without any in store and agent', () => {
    expect(mergeStatus({}, { phase: 'Pending' })).toEqual({ phase: 'Pending' });
  });
});

describe('setting a condition', () => {
  const NOW_MS = Date.parse('2026-01-15T12:00:00Z');
  const NOW = '2026-01-15T12:00:00.000000Z';
  const before = condition('lb', 'False', { reason: 'Old', lastTransitionTime: 'earlier' });
  const ready = condition('Ready', 'False');
  const set = (edit: Parameters<typeof setConditions>[1][number]) =>
    setConditions({ conditions: [before, ready] }, [edit], NOW_MS).conditions;

  it('moves the time of the last transition when its status changes', () => {
    expect(set({ type: 'lb', status: 'True', reason: 'New', message: 'm' })).toEqual([
      condition('lb', 'True', { lastTransitionTime: NOW, reason: 'New', message: 'm' }),
      ready,
    ]);
  });

  it('leaves the time alone when only the reason changes', () => {
    expect(set({ type: 'lb', status: 'False', reason: 'New' })).toEqual([
      condition('lb', 'False', { lastTransitionTime: 'earlier', reason: 'New' }),
      ready,
    ]);
  });

  it('adds and removes a condition', () => {
    expect(set({ type: 'other', status: 'Unknown' })?.at(-1)).toEqual(
      condition('other', 'Unknown', { lastTransitionTime: NOW }),
    );
    expect(set({ type: 'lb', status: undefined })).toEqual([ready]);
    expect(setConditions({}, [{ type: 'lb', status: undefined }], NOW_MS)).toEqual({});
  });
});
