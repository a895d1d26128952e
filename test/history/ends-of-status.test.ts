import { expect, it } from 'vitest';
import type { ContainerStateTerminated, ContainerStatus } from '../../src/api/generated/types.ts';
import { endsIn } from '../../src/history/story/container-story.ts';

const CRASH: ContainerStateTerminated = {
  exitCode: 3,
  reason: 'Error',
  startedAt: '2026-01-01T00:00:00Z',
  finishedAt: '2026-01-01T00:00:01Z',
};
const LOST: ContainerStateTerminated = { exitCode: 137, reason: 'ContainerStatusUnknown' };

const exitCodes = (state: ContainerStatus['state'], lastState: ContainerStatus['lastState']): number[] => {
  const status = { name: 'side', image: '', imageID: '', ready: false, restartCount: 1, state, lastState };
  return endsIn(status).map(({ terminated }) => terminated.exitCode);
};

it('a sidecar in a back-off whose Pod has ended shows its last end, and not that it never ran', () => {
  expect(exitCodes({ terminated: LOST }, { terminated: CRASH })).toEqual([3]);
});

it('a container that never ran shows that', () => {
  expect(exitCodes({ terminated: LOST }, {})).toEqual([137]);
});

it('a container that was lost while it ran shows that', () => {
  expect(exitCodes({ terminated: { ...LOST, startedAt: CRASH.startedAt } }, { terminated: CRASH })).toEqual([3, 137]);
});
