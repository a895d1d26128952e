import { describe, expect, it } from 'vitest';
import type { StoredEvent, StoredPod } from '../../src/api/base/objects.ts';
import { containersOf } from '../../src/print/base/pod-container.ts';
import { transitionsOf } from '../../src/print/live/pod-transitions.ts';
import { trace, traceNames } from './golden.ts';
import { storyOfTrace, transitionsOfTrace } from './story.ts';

const UNREADY = 'ContainersReady=False, Ready=False: containers with unready status:';
const NOT_SET_UP = 'PodReadyToStartContainers=False';
/** The first lines of a Pod with one container. */
const BEGINNING = [
  '· Pod  created: Pending',
  '· Pod  PodScheduled',
  `· Pod  ${NOT_SET_UP}, Initialized; ${UNREADY} [main]`,
];

describe('the story of a recorded run', () => {
  it.each<[scenario: string, story: string[]]>([
    [
      'phase-runs-then-succeeds',
      [
        ...BEGINNING,
        '· Pod  PodReadyToStartContainers',
        '› main  started',
        '✓ Pod  Running, ContainersReady, Ready',
        '✓ main  exited with code 0 after 1s',
        '· Pod  ContainersReady=False, Ready=False: PodCompleted',
        '✓ Pod  Succeeded, PodReadyToStartContainers=False',
      ],
    ],
    [
      'init-failure-never-fails-pod',
      [
        '· Pod  created: Pending',
        '· Pod  PodScheduled',
        `· Pod  ${NOT_SET_UP}; Initialized=False: containers with incomplete status: [init-1 init-2]; ` +
          `${UNREADY} [main]`,
        '· Pod  PodReadyToStartContainers',
        '› init-1  init  started (1 of 2)',
        '✗ init-1  init  exited with code 1',
        '✗ Pod  Failed: init container init-1 (1/2) exited with code 1; PodReadyToStartContainers=False',
      ],
    ],
    [
      'restart-crashloop-event',
      [
        ...BEGINNING,
        '· Pod  PodReadyToStartContainers',
        '› main  started',
        '✓ Pod  Running, ContainersReady, Ready',
        '✗ main  exited with code 1',
        '✗ Pod  ContainersReady=False, Ready=False: containers with unready status: [main]',
        '› main  started (attempt 2)',
        '✓ Pod  ContainersReady, Ready',
        '✗ main  exited with code 1',
        '✗ Pod  ContainersReady=False, Ready=False: containers with unready status: [main]',
        '✗ main  backing off 2s before attempt 3: CrashLoopBackOff',
        '› main  started (attempt 3)',
        '✓ Pod  ContainersReady, Ready',
        '› Pod  Terminating: grace period 2s',
        '› main  stopping',
        '› main  exited with code 1',
        '› Pod  Failed, PodReadyToStartContainers=False; ContainersReady=False, Ready=False: PodFailed',
        '· Pod  deleted',
      ],
    ],
    [
      'sidecar-startup-probe-gates-next',
      [
        '· Pod  created: Pending',
        '· Pod  PodScheduled',
        `· Pod  ${NOT_SET_UP}; Initialized=False: containers with incomplete status: [sc-1 sc-2]; ` +
          `${UNREADY} [sc-1 sc-2 main]`,
        '· Pod  PodReadyToStartContainers',
        '› sc-1  sidecar  started',
        '· sc-1  sidecar  startup probe failed',
        '✓ sc-1  sidecar  startup probe passed',
        '✓ sc-1  sidecar  ready: its readiness probe has passed',
        '› sc-2  sidecar  started',
        '› Pod  Initialized',
        '› main  started',
        '✓ Pod  Running, ContainersReady, Ready',
        '› sc-1  sidecar  stopping',
        '✓ main  exited with code 0',
        '· Pod  ContainersReady=False, Ready=False: containers with unready status: [main]',
        '› sc-2  sidecar  stopping',
        '✓ sc-1  sidecar  exited with code 0 after 4s',
        '✓ sc-2  sidecar  exited with code 0 after 2s',
        '· Pod  PodReadyToStartContainers=False',
        '✓ Pod  Succeeded',
      ],
    ],
    [
      'probe-readiness-flips',
      [
        ...BEGINNING,
        '· Pod  PodReadyToStartContainers',
        '› main  started',
        '› Pod  Running',
        '· main  readiness probe failed',
        '· main  readiness probe failed (x2)',
        '✓ main  ready: its readiness probe has passed',
        '✓ Pod  ContainersReady, Ready',
        '· main  readiness probe failed (x4)',
        '✗ main  not ready: its readiness probe fails',
        '✗ Pod  ContainersReady=False, Ready=False: containers with unready status: [main]',
        '✓ main  ready: its readiness probe has passed',
        '✓ Pod  ContainersReady, Ready',
        '› Pod  Terminating: grace period 5s',
        '› main  stopping',
        '✓ main  exited with code 0 after 10s',
        '✓ Pod  Succeeded, PodReadyToStartContainers=False; ContainersReady=False, Ready=False: PodCompleted',
        '· Pod  deleted',
      ],
    ],
    [
      'probe-liveness-exec-failure-restarts',
      [
        ...BEGINNING,
        '· Pod  PodReadyToStartContainers',
        '› main  started',
        '✓ Pod  Running, ContainersReady, Ready',
        '✗ main  liveness probe failed',
        '✗ main  stopping: its liveness probe failed, it will be restarted',
        '✓ main  exited with code 0 after 3s',
        '› main  started (attempt 2)',
        '› Pod  Terminating: grace period 5s',
        '› main  stopping',
        '✓ main  exited with code 0 after 5s',
        '✓ Pod  Succeeded, PodReadyToStartContainers=False; ContainersReady=False, Ready=False: PodCompleted',
        '· Pod  deleted',
      ],
    ],
    [
      'deadline-fails-pod',
      [
        ...BEGINNING,
        '· Pod  PodReadyToStartContainers',
        '› main  started',
        '✓ Pod  Running, ContainersReady, Ready',
        '✗ Pod  deadline exceeded',
        '✗ Pod  ContainersReady=False, Ready=False: PodFailed',
        '› main  stopping',
        '✓ main  exited with code 0 after 2s',
        `✗ Pod  Failed: DeadlineExceeded: Pod was active on the node longer than the specified ` +
          `deadline; ${NOT_SET_UP}`,
      ],
    ],
    [
      'gate-opens-when-condition-is-set',
      [
        ...BEGINNING,
        '· Pod  PodReadyToStartContainers',
        '› main  started',
        `› Pod  Running, ContainersReady; Ready=False: corresponding condition of pod readiness gate ` +
          `"example.com/gate1" does not exist.`,
        '› Pod  example.com/gate1',
        '✓ Pod  Ready',
        '› Pod  Terminating: grace period 5s',
        '› main  stopping',
        '✓ main  exited with code 0 after 4s',
        '✓ Pod  Succeeded, PodReadyToStartContainers=False; ContainersReady=False, Ready=False: PodCompleted',
        '· Pod  deleted',
      ],
    ],
    [
      'vol-missing-configmap-blocks',
      [
        ...BEGINNING,
        '✗ Pod  FailedMount: MountVolume.SetUp failed for volume "vol" : configmap "no-such-map" not found',
        '✗ Pod  FailedMount (x2): MountVolume.SetUp failed for volume "vol" : configmap "no-such-map" not found',
        '✗ Pod  FailedMount (x4): MountVolume.SetUp failed for volume "vol" : configmap "no-such-map" not found',
        '› Pod  Terminating: grace period 2s',
        '› main  never ran',
        '› Pod  Failed',
        '· Pod  deleted',
      ],
    ],
    [
      'hook-poststart-failure-kills',
      [
        ...BEGINNING,
        '· Pod  PodReadyToStartContainers',
        '› main  started: waiting for its postStart hook',
        '✗ main  postStart hook failed',
        '› main  stopping',
        '✗ main  exited with code 137 (SIGKILL) after 5s',
        '✗ Pod  Failed: container main exited with code 137 (SIGKILL); PodReadyToStartContainers=False',
      ],
    ],
    [
      'rule-restart-all-on-main-exit',
      [
        '· Pod  created: Pending',
        '· Pod  PodScheduled',
        `· Pod  ${NOT_SET_UP}; Initialized=False: containers with incomplete status: [init-1 sidecar]; ` +
          `AllContainersRestarting=False; ${UNREADY} [sidecar source regular]`,
        '· Pod  PodReadyToStartContainers',
        '› init-1  init  started (1 of 2)',
        '✓ init-1  init  exited with code 0',
        '› sidecar  sidecar  started',
        '› Pod  Initialized',
        '› source  started',
        '› regular  started',
        '✓ Pod  Running, ContainersReady, Ready',
        '› regular  stopping: all containers are restarted',
        '✗ source  exited with code 42 after 1s',
        `✗ Pod  AllContainersRestarting: container exited with restart policy rule; ${UNREADY} [source]`,
        '› sidecar  sidecar  stopping: all containers are restarted',
        '› Pod  AllContainersRestarting=False',
        '› init-1  init  started (1 of 2, attempt 2)',
        '› Pod  Pending',
        '✓ init-1  init  exited with code 0',
        '› Pod  Running',
        '› sidecar  sidecar  started (attempt 2)',
        '› Pod  Pending',
        '› source  started (attempt 2)',
        '› regular  started (attempt 2)',
        '✓ Pod  Running, ContainersReady, Ready',
        '› Pod  Terminating: grace period 3s',
        '✓ sidecar  sidecar  exited with code 0 after 5s',
        '✓ source  exited with code 0 after 5s',
        '✓ regular  exited with code 0 after 5s',
        '✓ Pod  Succeeded, PodReadyToStartContainers=False; ContainersReady=False, Ready=False: PodCompleted',
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
    expect(phases.at(-1)?.text.split(/[,;]/)[0]).toBe(pods.at(-1)?.status.phase);
  });

  it('has nothing to say when nothing has changed', () => {
    for (const pod of pods) expect(transitionsOf(pod, structuredClone(pod), 0)).toEqual([]);
  });
});

/** The phases and conditions that differ between neighbouring versions of the Pod: `Running`, `Ready=False`. */
function turnsOf(versions: readonly StoredPod[]): string[] {
  return versions.flatMap(({ status: now }, index) => {
    const before = versions[index - 1]?.status;
    const statusOf = (type: string): string | undefined => before?.conditions?.find((one) => one.type === type)?.status;
    const conditions = (now.conditions ?? []).filter(({ type, status }) => status !== statusOf(type));
    return [
      ...(now.phase === before?.phase ? [] : [now.phase ?? '']),
      ...conditions.map(({ type, status }) => (status === 'True' ? type : `${type}=${status}`)),
    ];
  });
}

/** The parts of the lines about the Pod as a whole, cut at every comma, semicolon and colon. */
function namedInLines(scenario: string): string[] {
  const lines = transitionsOfTrace(scenario).filter(
    ({ container, kind }) => container === undefined && kind !== 'event',
  );
  return lines.flatMap(({ text, why = '' }) => `${text}: ${why}`.split(/[;,:] /));
}

it.each(traceNames)('no turn of phase or conditions is left out: %s', (scenario) => {
  const objects = trace(scenario).map(({ object }) => object);
  const named = namedInLines(scenario);
  const missing = turnsOf(objects.filter((object): object is StoredPod => object.kind === 'Pod')).filter((turn) => {
    const index = named.indexOf(turn);
    if (index !== -1) named.splice(index, 1);
    return index === -1;
  });
  expect(missing).toEqual([]);
});
