import { expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { podRoot } from '../../src/lifecycle/requests/root.ts';
import { explainOutcome } from '../../src/cli/apply/explain-outcome.ts';
import { at, conditions, ended as endedContainer, NOW_MS, waiting, webPod } from '../print/pods.ts';

const ended = (name: string): StoredPod => webPod({ metadata: { name, uid: name }, status: { phase: 'Succeeded' } });

/** The explanation of a time-out before all Pods have succeeded. */
function timeIsUp(pods: readonly StoredPod[]): string {
  const roots = pods.map(podRoot);
  return explainOutcome({
    outcome: { type: 'timedOut', roots, unserved: [], duringCommand: false, atMs: NOW_MS },
    roots,
    seen: roots,
    evidenceOf: () => ({ attempts: [], hooks: [], logs: new Map(), events: [] }),
    goal: [{ goal: { type: 'succeeded' } }],
    flags: { timeout: '4s', settle: '1s', allowRestarts: false },
    imageAdvice: () => '',
    nowMs: NOW_MS,
  });
}

it('names the Pods that met the goal before the timeout, and counts them if they are many', () => {
  const late = webPod({ metadata: { name: 'late' } });
  const first = 'error: timed out after 4s\npod/late: ';
  const few = timeIsUp([ended('a'), ended('b'), late]);
  expect(few.slice(0, first.length)).toBe(first);
  expect(few).toMatch(/\npod\/a: done, it is Succeeded\npod\/b: done, it is Succeeded\n$/);
  const many = timeIsUp([...['a', 'b', 'c', 'd'].map(ended), late]);
  expect(many.slice(0, first.length)).toBe(first);
  expect(many).toMatch(/\n4 more Pods: done, they are Succeeded\n$/);
});

it('names the container that keeps a Pod from its goal, and how it ended', () => {
  const backOff = {
    message: 'back-off 10s restarting failed container=crasher pod=web_default(u-1)',
    restartCount: 1,
    lastState: endedContainer('crasher', 4, { finishedAt: at(-2) }).state,
  };
  const crashing = webPod({
    spec: { containers: [{ name: 'crasher', image: 'busybox' }] },
    status: {
      conditions: conditions({ PodScheduled: 'True', Initialized: 'True', Ready: 'False' }),
      containerStatuses: [waiting('crasher', 'CrashLoopBackOff', backOff)],
    },
  });
  expect(timeIsUp([crashing])).toContain(
    'error: timed out after 4s\npod/web: container crasher to be restarted: back-off 10s, 8s left (exit code 4)\n',
  );
});
