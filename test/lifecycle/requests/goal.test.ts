import { describe, expect, it } from 'vitest';
import type { PodStatus } from '../../../src/api/generated/types.ts';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { goalState, goalText, parseGoal } from '../../../src/lifecycle/requests/goal.ts';

describe('a goal', () => {
  it.each([
    ['ready', 'ready'],
    ['SUCCEEDED', 'Succeeded'],
    ['failed', 'Failed'],
    ['example.com/lb=false', 'example.com/lb=False'],
    ['Ready=unknown', 'Ready=Unknown'],
    ['Ready=True', 'Ready'],
    ['Ready=maybe', undefined],
    ['=True', undefined],
    ['', undefined],
  ])('%j is read as %s', (text, expected) => {
    const goal = parseGoal(text);
    expect(goal && goalText(goal)).toBe(expected);
  });
});

describe('failed', () => {
  const ended = (reason: string): PodStatus => ({
    phase: 'Running',
    conditions: [{ type: 'ContainersReady', status: 'False', reason }],
  });

  it.each<[PodStatus, string]>([
    [{ phase: 'Pending' }, 'pending'],
    [{ phase: 'Running' }, 'pending'],
    [{ phase: 'Failed' }, 'met'],
    [{ phase: 'Succeeded' }, 'impossible'],
    // The condition shows the end before the phase does.
    [ended('PodCompleted'), 'impossible'],
    [ended('PodFailed'), 'pending'],
  ])('%j: %s', (status, expected) => {
    const pod = { spec: { containers: [] }, metadata: {}, status } as unknown as StoredPod;
    expect(goalState({ type: 'failed' }, pod)).toBe(expected);
  });
});
