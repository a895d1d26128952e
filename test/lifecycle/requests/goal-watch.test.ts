import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { goalState, type GoalState, parseGoal, type PodGoal } from '../../../src/lifecycle/requests/goal.ts';
import {
  type GoalProgress,
  type GoalRules,
  type GoalWatch,
  NOT_REACHED,
  watchGoal,
} from '../../../src/lifecycle/requests/goal-watch.ts';
import { at, conditions, container, ended, NOW_MS, running, sidecar, waiting, webPod } from '../../print/pods.ts';

const RULES: GoalRules = { settleMs: 1000, allowRestarts: false };
const RESTARTS: GoalRules = { settleMs: 1000, allowRestarts: true };
const probe = { exec: { command: ['true'] } };

const goal = (text: string): PodGoal => parseGoal(text) ?? { type: 'failed' };
const young = { state: { running: { startedAt: at(-0.2) } } };

/** A Ready Pod whose `main` started 0.2 s ago, with this change. */
const ready = (change: Parameters<typeof webPod>[0] = {}): StoredPod =>
  webPod({
    ...change,
    spec: { restartPolicy: 'Always', ...change.spec },
    status: { containerStatuses: [running('main', young)], ...change.status },
  });
const NOT_READY = conditions({ Initialized: 'True', Ready: 'False', ContainersReady: 'False', PodScheduled: 'True' });
const backOff = ready({
  status: {
    conditions: NOT_READY,
    containerStatuses: [
      waiting('main', 'CrashLoopBackOff', { lastState: { terminated: { exitCode: 1 } }, restartCount: 0 }),
    ],
  },
});
const again = ready({ status: { containerStatuses: [running('main', { ...young, restartCount: 1 })] } });

/** The last progress of a row of Pods, each at some milliseconds after `NOW_MS`. */
function progressOf(
  text: string,
  looks: ReadonlyArray<readonly [ms: number, ...pods: StoredPod[]]>,
  rules: GoalRules = RULES,
): GoalProgress<StoredPod> {
  let watch: GoalWatch = NOT_REACHED;
  let progress: GoalProgress<StoredPod> = { type: 'pending' };
  for (const [ms, ...pods] of looks) {
    const now = { monotonicMs: ms, wallMs: NOW_MS + ms };
    const stateOf = (pod: StoredPod): GoalState => goalState(goal(text), pod);
    ({ watch, progress } = watchGoal(watch, {
      goal: goal(text),
      rules,
      subjects: pods,
      pods,
      settling: pods,
      now,
      stateOf,
    }));
  }
  return progress;
}

describe('a goal that includes Ready', () => {
  it.each<[string, StoredPod, GoalProgress<StoredPod>]>([
    ['a container that started just now has to run on', ready(), { type: 'settling', untilMs: 800 }],
    ['one that has run long enough exists', webPod(), { type: 'met' }],
    [
      'a readiness probe vouches for it',
      ready({ spec: { containers: [container('main', { readinessProbe: probe })] } }),
      { type: 'met' },
    ],
    [
      'so does a startup probe',
      ready({ spec: { containers: [container('main', { startupProbe: probe })] } }),
      { type: 'met' },
    ],
    [
      'a liveness probe does not',
      ready({ spec: { containers: [container('main', { livenessProbe: probe })] } }),
      { type: 'settling', untilMs: 800 },
    ],
    [
      'the youngest of several containers decides',
      ready({
        spec: { containers: [container('main'), container('other')] },
        status: { containerStatuses: [running('main'), running('other', young)] },
      }),
      { type: 'settling', untilMs: 800 },
    ],
    [
      'a sidecar counts, an init container does not',
      ready({
        spec: { initContainers: [container('init'), sidecar('proxy')] },
        status: {
          containerStatuses: [running('main')],
          initContainerStatuses: [ended('init', 0), running('proxy', young)],
        },
      }),
      { type: 'settling', untilMs: 800 },
    ],
    [
      'a start in the future is one of now',
      ready({ status: { containerStatuses: [running('main', { state: { running: { startedAt: at(3600) } } })] } }),
      { type: 'settling', untilMs: 1000 },
    ],
  ])('%s', (_, pod, expected) => {
    expect(progressOf('ready', [[0, pod]])).toEqual(expected);
    expect(progressOf('ContainersReady', [[0, pod]])).toEqual(expected);
    expect(progressOf('ready', [[0, pod]], { ...RULES, settleMs: 0 })).toEqual({ type: 'met' });
  });

  it('is met when it held', () => {
    expect(
      progressOf('ready', [
        [0, ready()],
        [800, ready()],
      ]),
    ).toEqual({ type: 'met' });
  });

  it('is settled by the stopwatch: a wall clock that jumps does not matter', () => {
    const pods = [ready()];
    const question = {
      goal: goal('ready'),
      rules: RULES,
      subjects: pods,
      pods,
      settling: pods,
      stateOf: () => 'met' as const,
    };
    const { watch } = watchGoal(NOT_REACHED, { ...question, now: { monotonicMs: 0, wallMs: NOW_MS } });
    const now = { monotonicMs: 800, wallMs: NOW_MS - 3_600_000 };
    expect(watchGoal(watch, { ...question, now }).progress).toEqual({ type: 'met' });
  });

  it('begins anew when a probe takes it back', () => {
    const unready = ready({ status: { conditions: NOT_READY } });
    expect(
      progressOf('ready', [
        [0, ready()],
        [100, unready],
      ]),
    ).toEqual({ type: 'pending' });
  });

  it('has lapsed when a container ends meanwhile by itself', () => {
    const lapse = { type: 'lapsed', lapse: { pod: backOff, container: 'main' } };
    expect(
      progressOf('ready', [
        [0, ready()],
        [100, backOff],
      ]),
    ).toEqual(lapse);
    expect(
      progressOf('ready', [
        [0, ready()],
        [100, again],
      ]),
    ).toMatchObject({ lapse: { pod: again, container: 'main' } });
    expect(
      progressOf(
        'ready',
        [
          [0, ready()],
          [100, backOff],
        ],
        RESTARTS,
      ),
    ).toEqual({ type: 'pending' });
    expect(
      progressOf('ready', [
        [0, backOff],
        [100, ready()],
      ]),
    ).toEqual({ type: 'settling', untilMs: 800 });
  });

  it('takes a container for done that is not started again', () => {
    const done = ready({
      spec: { restartPolicy: 'Never' },
      status: { conditions: NOT_READY, containerStatuses: [ended('main', 0)] },
    });
    expect(
      progressOf('ready', [
        [0, ready()],
        [100, done],
      ]),
    ).toEqual({ type: 'impossible', subject: done });
  });
});

describe('a goal without Ready', () => {
  it.each<[string, StoredPod]>([
    ['Initialized', ready()],
    ['succeeded', ready({ status: { phase: 'Succeeded' } })],
    ['failed', ready({ status: { phase: 'Failed' } })],
    ['Ready=False', ready({ status: { conditions: NOT_READY } })],
  ])('%s holds at once', (text, pod) => {
    expect(progressOf(text, [[0, pod]])).toEqual({ type: 'met' });
  });
});
