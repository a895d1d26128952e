import { describe, expect, it } from 'vitest';
import type { StoredEvent, StoredPod } from '../../src/api/objects.ts';
import { containersOf } from '../../src/print/live/container-view.ts';
import { transitionsOf } from '../../src/print/live/transition.ts';
import { trace } from './golden.ts';
import { storyOfTrace, transitionsOfTrace } from './story.ts';

describe('the story of a recorded run', () => {
  it.each<[scenario: string, story: string[]]>([
    [
      'phase-runs-then-succeeds',
      [
        '· Pod  created',
        '› main  started',
        '✓ Pod  Running and Ready',
        '✓ main  exited with code 0 after 1s',
        '✓ Pod  Succeeded',
      ],
    ],
    [
      'init-failure-never-fails-pod',
      [
        '· Pod  created',
        '› init-1  started (init container 1 of 2)',
        '✗ init-1  exited with code 1',
        '✗ Pod  Failed: init container init-1 (1/2) exited with code 1',
      ],
    ],
    [
      'restart-crashloop-event',
      [
        '· Pod  created',
        '› main  started',
        '✓ Pod  Running and Ready',
        '✗ main  exited with code 1',
        '› main  started (attempt 2)',
        '✓ Pod  Ready',
        '✗ main  exited with code 1',
        '✗ main  backing off 2s before attempt 3: CrashLoopBackOff',
        '› main  started (attempt 3)',
        '✓ Pod  Ready',
        '› Pod  Terminating: grace period 2s',
        '› main  stopping',
        '› main  exited with code 1',
        '✗ Pod  Failed',
        '· Pod  deleted',
      ],
    ],
    [
      'sidecar-startup-probe-gates-next',
      [
        '· Pod  created',
        '› sc-1  started (sidecar)',
        '· sc-1  startup probe failed',
        '✓ sc-1  startup probe passed',
        '✓ sc-1  ready',
        '› sc-2  started (sidecar)',
        '› main  started',
        '✓ Pod  Running and Ready',
        '› sc-1  stopping',
        '✓ main  exited with code 0',
        '› sc-2  stopping',
        '✓ sc-1  exited with code 0 after 4s',
        '✓ sc-2  exited with code 0 after 2s',
        '✓ Pod  Succeeded',
      ],
    ],
    [
      'probe-readiness-flips',
      [
        '· Pod  created',
        '› main  started',
        '› Pod  Running',
        '· main  readiness probe failed',
        '· main  readiness probe failed (x2)',
        '✓ Pod  Ready',
        '· main  readiness probe failed (x4)',
        '✗ main  not ready: its readiness probe fails',
        '✓ Pod  Ready',
        '› Pod  Terminating: grace period 5s',
        '› main  stopping',
        '✓ main  exited with code 0 after 10s',
        '✓ Pod  Succeeded',
        '· Pod  deleted',
      ],
    ],
    [
      'probe-liveness-exec-failure-restarts',
      [
        '· Pod  created',
        '› main  started',
        '✓ Pod  Running and Ready',
        '✗ main  liveness probe failed',
        '✗ main  stopping: its liveness probe failed, it will be restarted',
        '✓ main  exited with code 0 after 3s',
        '› main  started (attempt 2)',
        '› Pod  Terminating: grace period 5s',
        '› main  stopping',
        '✓ main  exited with code 0 after 5s',
        '✓ Pod  Succeeded',
        '· Pod  deleted',
      ],
    ],
    [
      'deadline-fails-pod',
      [
        '· Pod  created',
        '› main  started',
        '✓ Pod  Running and Ready',
        '✗ Pod  deadline exceeded',
        '› main  stopping',
        '✓ main  exited with code 0 after 2s',
        '✗ Pod  Failed: DeadlineExceeded: Pod was active on the node longer than the specified deadline',
      ],
    ],
    [
      'gate-opens-when-condition-is-set',
      [
        '· Pod  created',
        '› main  started',
        '› Pod  Running',
        '› Pod  all containers ready: ' +
          'corresponding condition of pod readiness gate "example.com/gate1" does not exist.',
        '› Pod  example.com/gate1 is True',
        '✓ Pod  Ready',
        '› Pod  Terminating: grace period 5s',
        '› main  stopping',
        '✓ main  exited with code 0 after 4s',
        '✓ Pod  Succeeded',
        '· Pod  deleted',
      ],
    ],
    [
      'vol-missing-configmap-blocks',
      [
        '· Pod  created',
        ...['', ' (x2)', ' (x4)'].map(
          (times) =>
            `✗ Pod  FailedMount${times}: MountVolume.SetUp failed for volume "vol" : configmap "no-such-map" not found`,
        ),
        '› Pod  Terminating: grace period 2s',
        '› main  never ran',
        '✗ Pod  Failed',
        '· Pod  deleted',
      ],
    ],
    [
      'hook-poststart-failure-kills',
      [
        '· Pod  created',
        '✗ main  postStart hook failed',
        '› main  stopping',
        '✗ main  exited with code 137 (SIGKILL) after 5s',
        '✗ Pod  Failed: container main exited with code 137 (SIGKILL)',
      ],
    ],
    [
      'rule-restart-all-on-main-exit',
      [
        '· Pod  created',
        '› init-1  started (init container 1 of 2)',
        '✓ init-1  exited with code 0',
        '› sidecar  started (sidecar)',
        '› source  started',
        '› regular  started',
        '✓ Pod  Running and Ready',
        '› regular  stopping: all containers are restarted',
        '✗ source  exited with code 42 after 1s',
        '› Pod  restarting all containers: container exited with restart policy rule',
        '› sidecar  stopping: all containers are restarted',
        '› init-1  started (init container 1 of 2, attempt 2)',
        '› Pod  Pending again',
        '✓ init-1  exited with code 0',
        '› Pod  Running',
        '› sidecar  started (sidecar, attempt 2)',
        '› Pod  Pending again',
        '› source  started (attempt 2)',
        '› regular  started (attempt 2)',
        '✓ Pod  Running and Ready',
        '› Pod  Terminating: grace period 3s',
        '✓ sidecar  exited with code 0 after 5s',
        '✓ source  exited with code 0 after 5s',
        '✓ regular  exited with code 0 after 5s',
        '✓ Pod  Succeeded',
        '· Pod  deleted',
      ],
    ],
  ])('%s', (scenario, story) => {
    expect(storyOfTrace(scenario)).toEqual(story);
  });
});

const SCENARIOS = [
  'init-runs-serially',
  'phase-one-failure-fails-pod',
  'sidecar-reverse-stop-order',
  'term-graceful-exit',
];

describe.each(SCENARIOS)('the story of %s', (scenario) => {
  const pods = trace(scenario)
    .map(({ object }) => object)
    .filter((object: StoredPod | StoredEvent): object is StoredPod => object.kind === 'Pod');
  const story = transitionsOfTrace(scenario);

  it('says of every container when it started and how it ended', () => {
    for (const { container } of containersOf(pods.at(-1)!)) {
      const own = story.filter((one) => one.kind === 'container' && one.container === container.name);
      expect(own.map(({ text }) => text)).toEqual([
        expect.stringMatching(/^started/),
        expect.stringMatching(/^exited with code \d/),
      ]);
    }
  });

  it('ends with the phase of the Pod', () => {
    const phases = story.filter(({ kind }) => kind === 'phase');
    expect(phases.at(-1)?.text).toBe(pods.at(-1)?.status.phase);
  });

  it('has nothing to say when nothing has changed', () => {
    for (const pod of pods) expect(transitionsOf(pod, structuredClone(pod), 0)).toEqual([]);
  });
});
