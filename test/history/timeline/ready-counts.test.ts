import { expect, it } from 'vitest';
import type { Timeline } from '../../../src/history/timeline/model.ts';
import { readyCounts } from '../../../src/history/timeline/ready-counts.ts';

/** A Pod that was created at a time, and was Ready from and to moments after that. */
function pod(createdAtMs: number, endMs: number, ...ready: ReadonlyArray<readonly [number, number]>): Timeline {
  const conditions = ready.map(([fromMs, toMs]) => ({ type: 'Ready', status: 'True', fromMs, toMs }));
  return { createdAtMs, endMs, conditions } as unknown as Timeline;
}

it('counts the Pods that are Ready at each time', () => {
  const pods = [pod(1000, 900, [100, 500], [700, 900]), pod(1200, 600, [0, 400])];
  expect(readyCounts(pods, 1000).map(({ fromMs, toMs, ready }) => [fromMs, toMs, ready])).toEqual([
    [0, 100, 0],
    [100, 200, 1],
    [200, 500, 2],
    [500, 600, 1],
    [600, 700, 0],
    [700, 900, 1],
  ]);
});

it('is 0 for a Pod that was never Ready, and begins with the first Pod', () => {
  expect(readyCounts([pod(1500, 100)], 1000)).toEqual([{ fromMs: 500, toMs: 600, ready: 0 }]);
});
