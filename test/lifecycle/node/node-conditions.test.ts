import { expect, it } from 'vitest';
import { pressureIn, reportedPressure, shownPressure } from '../../../src/lifecycle/node/node-conditions.ts';

const AT = Date.UTC(2026, 0, 1, 10, 0, 0);
const time = (second: number): string => `2026-01-01T10:00:${String(second).padStart(2, '0')}.000000Z`;

it('a condition keeps the time of its last change, and is renewed with each report', () => {
  const first = reportedPressure([], ['MemoryPressure'], AT);
  const second = reportedPressure(first, ['MemoryPressure'], AT + 10_000);
  expect(second[0]).toEqual({
    type: 'MemoryPressure',
    status: 'True',
    lastHeartbeatTime: time(10),
    lastTransitionTime: time(0),
    reason: 'KubeletHasInsufficientMemory',
    message: 'kubelet has insufficient memory available',
  });
  const third = reportedPressure(second, ['DiskPressure'], AT + 20_000);
  expect(third.map(({ status, lastTransitionTime }) => [status, lastTransitionTime])).toEqual([
    ['False', time(20)],
    ['True', time(20)],
  ]);
});

it('a node without reports lacks nothing', () => {
  const shown = shownPressure([], time(0), AT + 5000);
  expect(
    shown.map(({ type, status, reason, lastTransitionTime, lastHeartbeatTime }) =>
      [type, status, reason, lastTransitionTime, lastHeartbeatTime].join(' '),
    ),
  ).toEqual([
    `MemoryPressure False KubeletHasSufficientMemory ${time(0)} ${time(5)}`,
    `DiskPressure False KubeletHasNoDiskPressure ${time(0)} ${time(5)}`,
  ]);
});

it('a report holds for 40 seconds: its agent may have been killed', () => {
  const reported = reportedPressure([], ['DiskPressure'], AT);
  expect(pressureIn(shownPressure(reported, time(0), AT + 40_000))).toEqual(['DiskPressure']);
  const later = shownPressure(reported, time(0), AT + 40_001);
  expect(pressureIn(later)).toEqual([]);
  expect(later[1]).toMatchObject({ type: 'DiskPressure', status: 'False', lastTransitionTime: time(0) });
});
