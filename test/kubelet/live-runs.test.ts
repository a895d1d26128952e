import { expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { LiveRuns } from '../../src/kubelet/live-runs.ts';
import type { PodRun } from '../../src/kubelet/pod-run.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

const WAITING = 1000;

/** A node with room for two Pods, and how often each Pod was looked at. */
function nodeForTwo(): { live: LiveRuns; add: (name: string) => PodRun; begun: Map<string, number> } {
  const live = new LiveRuns(new ManualClock());
  const begun = new Map<string, number>();
  const add = (name: string): PodRun => {
    const pod = { kind: 'Pod', metadata: { name, uid: name }, spec: { containers: [] }, status: { phase: 'Pending' } };
    const run = {
      pod: pod as unknown as StoredPod,
      state: 'waiting',
      begin: () => {
        begun.set(name, (begun.get(name) ?? 0) + 1);
        if (live.placedBeside(run).length >= 2) return;
        Object.assign(run, { state: 'placed' });
        live.placed(run);
      },
    } as unknown as PodRun;
    live.add(run);
    live.begin(run);
    return run;
  };
  return { live, add, begun };
}

it('a Pod that leaves makes room for one, and each waiting Pod is looked at no more than once', () => {
  const { live, add, begun } = nodeForTwo();
  const placed = [add('one'), add('two')];
  const waiting = Array.from({ length: WAITING }, (_, index) => add(`waits-${index}`));
  begun.clear();
  if (placed[0] !== undefined) live.remove(placed[0]);
  expect([...begun]).toEqual([['waits-0', 1]]);
  expect(waiting.map(({ state }) => state)).toEqual(['placed', ...Array<string>(WAITING - 1).fill('waiting')]);
});

it('a Pod that leaves without having had a node calls none of the waiting ones', () => {
  const { live, add, begun } = nodeForTwo();
  for (const name of ['one', 'two']) add(name);
  const [first] = Array.from({ length: WAITING }, (_, index) => add(`waits-${index}`));
  begun.clear();
  if (first !== undefined) live.remove(first);
  expect(begun.size).toBe(0);
});
