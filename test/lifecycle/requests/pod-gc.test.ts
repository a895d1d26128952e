import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { surplusPods } from '../../../src/lifecycle/requests/deletion.ts';
import { newPod } from '../../store/objects.ts';

function pod(name: string, phase: string, minute: number, reason?: string): StoredPod {
  const made = newPod(name, { phase });
  const creationTimestamp = `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`;
  const status = { ...made.status, ...(reason === undefined ? {} : { reason }) };
  return { ...made, metadata: { ...made.metadata, creationTimestamp }, status };
}

describe('surplusPods()', () => {
  const pods = [
    pod('newest', 'Succeeded', 50),
    pod('oldest', 'Failed', 10),
    pod('evicted', 'Failed', 40, 'Evicted'),
    pod('running', 'Running', 1),
    pod('lost', 'Unknown', 2),
    pod('middle', 'Failed', 30, 'DeadlineExceeded'),
  ];

  it.each([
    [5, []],
    [4, []],
    [3, ['evicted']],
    [2, ['evicted', 'oldest']],
    [0, ['evicted', 'oldest', 'middle', 'newest']],
  ])('to keep %i: %j go', (keep, want) => {
    expect(surplusPods(pods, keep).map(({ metadata }) => metadata.name)).toEqual(want);
  });
});
