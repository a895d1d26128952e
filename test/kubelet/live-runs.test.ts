import { expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { LiveRuns } from '../../src/kubelet/live-runs.ts';
import type { PodRun } from '../../src/kubelet/pod-run.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

const WAITING = 1000;
const NO_ROOM = { plugins: ['NodeResourcesFit'], message: '0/1 nodes are available: 1 Too many pods.' };

interface Rig {
  readonly live: LiveRuns;
  readonly add: (name: string, priority?: number) => PodRun;
  /** The Pods that were tried, in order. */
  readonly tried: string[];
  readonly clock: ManualClock;
}

/** A node with room for two Pods. */
function nodeForTwo(): Rig {
  const clock = new ManualClock();
  const live = new LiveRuns(clock, { namespaceLabels: () => ({}) });
  const tried: string[] = [];
  const add = (name: string, priority = 0): PodRun => {
    const pod = {
      kind: 'Pod',
      metadata: { name, uid: name },
      spec: { containers: [], priority },
      status: { phase: 'Pending' },
    };
    const run = {
      pod: pod as unknown as StoredPod,
      state: 'waiting',
      scheduling: { rejection: NO_ROOM },
      begin: () => {
        tried.push(name);
        if (live.placedBeside(run).length >= 2) return;
        Object.assign(run, { state: 'placed', pod: { ...pod, spec: { ...pod.spec, nodeName: 'node-1' } } });
        live.placed(run);
      },
    } as unknown as PodRun;
    live.add(run);
    live.begin(run);
    return run;
  };
  return { live, add, tried, clock };
}

it('a Pod that leaves makes room for one: the next one of its kind is tried, and no more', () => {
  const { live, add, tried } = nodeForTwo();
  const placed = [add('one'), add('two')];
  const waiting = Array.from({ length: WAITING }, (_, index) => add(`waits-${index}`));
  tried.length = 0;
  if (placed[0] !== undefined) live.remove(placed[0]);
  expect(tried).toEqual(['waits-0', 'waits-1']);
  expect(waiting.map(({ state }) => state)).toEqual(['placed', ...Array<string>(WAITING - 1).fill('waiting')]);
});

it('the Pod of the highest priority gets the room', () => {
  const { live, add, tried } = nodeForTwo();
  const placed = [add('one'), add('two')];
  for (const [name, priority] of Object.entries({ low: 1, high: 3, middle: 2 })) add(name, priority);
  tried.length = 0;
  if (placed[0] !== undefined) live.remove(placed[0]);
  expect(tried).toEqual(['high', 'middle', 'low']);
});

it('a Pod that leaves without having had a node calls none of the waiting ones', () => {
  const { live, add, tried } = nodeForTwo();
  for (const name of ['one', 'two']) add(name);
  const [first] = Array.from({ length: WAITING }, (_, index) => add(`waits-${index}`));
  tried.length = 0;
  if (first !== undefined) live.remove(first);
  expect(tried).toEqual([]);
});

it('a Pod that nothing has helped is tried after five minutes', async () => {
  const { live, add, tried, clock } = nodeForTwo();
  for (const name of ['one', 'two', 'waits']) add(name);
  tried.length = 0;
  await clock.run(299_000);
  expect(tried).toEqual([]);
  await clock.run(2000);
  expect(tried).toEqual(['waits']);
  live.close();
});

it('a node that grows is tried, and a label of it that no Pod asks for is not', () => {
  const { live, add, tried } = nodeForTwo();
  const node = { name: 'node-1', taints: [], hostIPs: ['127.0.0.1'] as const, allocatable: { pods: '2' }, labels: {} };
  live.setNodes([node]);
  for (const name of ['one', 'two', 'waits']) add(name);
  tried.length = 0;
  live.setNodes([{ ...node, labels: { zone: 'z1' } }]);
  expect(tried).toEqual([]);
  live.setNodes([{ ...node, allocatable: { pods: '3' } }]);
  expect(tried).toEqual(['waits']);
});
