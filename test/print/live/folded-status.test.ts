import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { type FoldedPod, foldedTransitions } from '../../../src/print/live/pod-transitions.ts';
import { trace } from '../golden.ts';
import { conditions, container, sidecar, waiting, webPod } from '../pods.ts';
import { storyLine } from '../story.ts';

/** The lines of the versions of a Pod, a second apart. */
function linesOf(versions: readonly StoredPod[], hasNodes: boolean = false): string[] {
  let folded: FoldedPod | undefined;
  return versions.flatMap((next, index) => {
    const told = foldedTransitions(versions[index - 1], next, index * 1000, { hasNodes }, folded);
    folded = told.folded;
    return told.transitions.map(storyLine);
  });
}

/** The lines of a recorded run of a real node. */
function linesOfTrace(scenario: string): string[] {
  const pods = trace(scenario).flatMap(({ object, type }) =>
    object.kind === 'Pod' && type !== 'DELETED' ? [object] : [],
  );
  return linesOf(pods);
}

const statuses = (of: Readonly<Record<string, string>>): ReturnType<typeof conditions> => conditions(of);
const isNew = webPod({ status: { phase: 'Pending', conditions: [], containerStatuses: undefined } });
const scheduled = webPod({
  status: { phase: 'Pending', conditions: statuses({ PodScheduled: 'True' }), containerStatuses: undefined },
});
const spec = { initContainers: [container('fetch'), sidecar('progress')], containers: [container('main')] };
const starting = {
  PodScheduled: 'True',
  PodReadyToStartContainers: 'False',
  Initialized: 'False',
  ContainersReady: 'False',
  Ready: 'False',
};
const pod = (of: Readonly<Record<string, string>>, phase: 'Pending' | 'Running' = 'Pending'): StoredPod =>
  webPod({
    spec,
    status: { phase, conditions: statuses(of), containerStatuses: [waiting('main', 'PodInitializing')] },
  });

describe('a Pod that is well', () => {
  it('has one line for its first status, and one when it is Ready', () => {
    const prepared = { ...starting, PodReadyToStartContainers: 'True' };
    const ready = { ...prepared, Initialized: 'True', ContainersReady: 'True', Ready: 'True' };
    expect(linesOf([isNew, scheduled, pod(starting), pod(prepared), pod(ready, 'Running')])).toEqual([
      '· Pod  Pending, scheduled; waits for init fetch, progress',
      '✓ Pod  PodReadyToStartContainers, Running, Initialized, ContainersReady, Ready after 4.00s',
    ]);
  });

  it('has the name of its node where there are several', () => {
    const [placed] = [pod(starting)].map((one) => ({ ...one, spec: { ...one.spec, nodeName: 'node-2' } }));
    expect(placed && linesOf([isNew, placed], true)).toEqual([
      '· Pod  Pending, scheduled on node-2; waits for init fetch, progress',
    ]);
    expect(placed && linesOf([isNew, placed])).toEqual(['· Pod  Pending, scheduled; waits for init fetch, progress']);
  });

  it('has the last state of a condition that turned twice without a line', () => {
    const prepared = { ...starting, PodReadyToStartContainers: 'True' };
    const failed = webPod({ spec, status: { ...pod(starting).status, phase: 'Failed', reason: 'Evicted' } });
    expect(linesOf([isNew, scheduled, pod(starting), pod(prepared), pod(starting), failed])).toEqual([
      '· Pod  Pending, scheduled; waits for init fetch, progress',
      '✗ Pod  Failed: Evicted; PodReadyToStartContainers=False',
    ]);
  });

  it('says how long it took until Ready only for the first time, and keeps the words of each later turn', () => {
    const ready = { PodScheduled: 'True', Initialized: 'True', ContainersReady: 'True', Ready: 'True' };
    const lost = { ...ready, ContainersReady: 'False', Ready: 'False' };
    expect(linesOf([isNew, pod(ready, 'Running'), pod(lost, 'Running'), pod(ready, 'Running')])).toEqual([
      '✓ Pod  Running, scheduled, ContainersReady, Ready after 1.00s',
      '✗ Pod  ContainersReady=False, Ready=False',
      '✓ Pod  ContainersReady, Ready',
    ]);
  });

  it('names the containers that it waits for, of many the first ones', () => {
    const many = Array.from({ length: 6 }, (_, index) => container(`c${index}`));
    const of = statuses({ PodScheduled: 'True', Initialized: 'True', ContainersReady: 'False', Ready: 'False' });
    const first = webPod({
      spec: { containers: many },
      status: { phase: 'Pending', conditions: of, containerStatuses: [] },
    });
    expect(linesOf([isNew, first])).toEqual(['· Pod  Pending, scheduled; waits for c0, c1, c2, c3, 2 more']);
  });
});

it('a Pod that cannot be scheduled says so at once', () => {
  const gated = webPod({
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no room' }],
      containerStatuses: undefined,
    },
  });
  expect(linesOf([isNew, gated])).toEqual(['✗ Pod  PodScheduled=False: no room']);
});

it('recorded runs of a real node have each turn of a condition after the first status', () => {
  expect(linesOfTrace('phase-runs-then-succeeds')).toEqual([
    '· Pod  Pending, scheduled; waits for main',
    '› main  started',
    expect.stringMatching(/^✓ Pod {2}PodReadyToStartContainers, Running, ContainersReady, Ready after \d\.\d\ds$/),
    '✓ main  exited with code 0 after 1s',
    '· Pod  ContainersReady=False, Ready=False: PodCompleted',
    '✓ Pod  Succeeded, PodReadyToStartContainers=False',
  ]);
  expect(linesOfTrace('init-failure-never-fails-pod')).toEqual([
    '· Pod  Pending, scheduled; waits for init init-1, init-2',
    '› init-1  init  started',
    '✗ init-1  init  exited with code 1',
    '✗ Pod  Failed: init container init-1 (1/2) exited with code 1; PodReadyToStartContainers=False',
  ]);
  expect(linesOfTrace('gate-opens-when-condition-is-set')).toContain(
    '› Pod  PodReadyToStartContainers, Running, ContainersReady; ' +
      'Ready=False: corresponding condition of pod readiness gate "example.com/gate1" does not exist.',
  );
});
