import { describe, expect, it } from 'vitest';
import type { Container, ContainerStatus, PodSpec } from '../../src/api/generated/types.ts';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { formatTime } from '../../src/api/base/time.ts';
import { containerFacts, NEW_POD } from '../../src/lifecycle/base/facts.ts';
import { observe } from '../../src/lifecycle/observe.ts';
import { type FoundInstance, restoredFacts } from '../../src/lifecycle/restored-facts.ts';

const NOW = { monotonicMs: 1_000_000, wallMs: Date.UTC(2026, 0, 1) };
const STARTED = { monotonicMs: 940_000.5, wallMs: NOW.wallMs - 60_000 };
const startedAt = formatTime(STARTED.wallMs);

const main: Container = { name: 'main', image: 'busybox' };

function pod(
  spec: Partial<PodSpec>,
  statuses: Partial<ContainerStatus>[],
  init: Partial<ContainerStatus>[] = [],
): StoredPod {
  const whole = (status: Partial<ContainerStatus>): ContainerStatus => ({
    name: 'main',
    image: 'busybox',
    imageID: '',
    ready: false,
    restartCount: 0,
    ...status,
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: startedAt },
    spec: { containers: [main], ...spec },
    status: {
      phase: 'Running',
      podIP: '127.1.2.3',
      startTime: startedAt,
      containerStatuses: statuses.map(whole),
      initContainerStatuses: init.map(whole),
    },
  };
}

const id = (attempt: number, name = 'main'): string => `u/${name}/${attempt}`;
const containerID = (attempt: number, name = 'main'): string => `podrun://${id(attempt, name)}`;
const found = (attempt: number, container = 'main'): FoundInstance => ({
  id: id(attempt, container),
  container,
  attempt,
  startedAt: STARTED,
});
const running = { running: { startedAt } };
const ended = (attempt: number, exitCode = 1) => ({
  terminated: {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt,
    finishedAt: startedAt,
    containerID: containerID(attempt),
  },
});

describe('a container of a Pod whose agent is gone', () => {
  it('that runs is adopted with its numbers and probe results', () => {
    const status = {
      state: running,
      lastState: ended(1),
      restartCount: 2,
      containerID: containerID(2),
      ready: true,
      started: true,
    };
    const { facts, adopted, isSandboxNew } = restoredFacts(pod({}, [status]), [found(2)], NOW);
    expect(adopted).toEqual([found(2)]);
    expect(isSandboxNew).toBe(false);
    expect(facts).toMatchObject({ sandbox: 'ready', podIP: '127.1.2.3', ending: { stage: 'none' } });
    expect(facts.startTime).toEqual({ wallMs: STARTED.wallMs, monotonicMs: 940_000 });
    expect(containerFacts(facts, 'main')).toMatchObject({
      starting: undefined,
      current: { id: id(2), attempt: 2, startedAt: STARTED, exit: undefined, swept: false },
      previous: { id: id(1), attempt: 1, exit: { exitCode: 1, reason: 'Error' } },
      nextAttempt: 3,
      probes: { startup: true, readiness: true },
      backOff: undefined,
    });
  });

  it('that runs from an image keeps its names and its user, and is not taken for one of another image', () => {
    const image = 'docker.io/library/busybox:latest';
    const imageID = 'docker.io/library/busybox@sha256:1';
    const user = { linux: { uid: 5, gid: 6, supplementalGroups: [6] } };
    const status = { state: running, restartCount: 2, containerID: containerID(2), image, imageID, user };
    const { facts } = restoredFacts(pod({}, [status]), [found(2)], NOW);
    expect(containerFacts(facts, 'main').current).toMatchObject({
      image: 'busybox',
      foundImage: { name: image, id: imageID },
      user,
    });
    const older = { ...status, image: 'docker.io/library/busybox:1' };
    const { facts: others } = restoredFacts(pod({}, [older]), [found(2)], NOW);
    expect(containerFacts(others, 'main').current).toMatchObject({ image: older.image });
  });

  it('that is not in the status yet is adopted, without probe results', () => {
    const status = { state: ended(0), restartCount: 0, containerID: containerID(0), started: true };
    const { facts, adopted } = restoredFacts(pod({}, [status]), [found(0), found(1)], NOW);
    expect(adopted).toEqual([found(1)]);
    const own = containerFacts(facts, 'main');
    expect(own).toMatchObject({
      current: { id: id(1), attempt: 1, exit: undefined },
      previous: { id: id(0) },
      nextAttempt: 2,
    });
    expect(own.probes).toEqual({});
  });

  it('that was never started is new', () => {
    const { facts, adopted } = restoredFacts(
      pod({}, [{ state: { waiting: { reason: 'ContainerCreating' } } }]),
      [],
      NOW,
    );
    expect(adopted).toEqual([]);
    expect(facts.sandbox).toBe('absent');
    expect(containerFacts(facts, 'main')).toEqual(containerFacts(NEW_POD, 'main'));
  });

  it('that waited for its restart keeps its end, without a back-off', () => {
    const status = {
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: ended(4, 137),
      restartCount: 4,
      containerID: containerID(4),
    };
    const { facts, adopted, isSandboxNew } = restoredFacts(pod({}, [status]), [found(4)], NOW);
    expect([adopted, isSandboxNew]).toEqual([[], false]);
    expect(containerFacts(facts, 'main')).toMatchObject({
      current: { attempt: 4, exit: { exitCode: 137 }, swept: true },
      startError: undefined,
      backOff: undefined,
      nextAttempt: 5,
    });
  });

  it('whose exit matches a RestartAllContainers rule sets that off', () => {
    const exitCodes = { operator: 'In', values: [42] };
    const rules = {
      ...main,
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes }],
    };
    const status = { state: ended(0, 42), containerID: containerID(0) };
    expect(restoredFacts(pod({ containers: [rules] }, [status]), [], NOW).facts.restartingAll).toEqual({
      trigger: 'main',
    });
  });
});

describe('a Pod whose containers the runtime has lost', () => {
  const status = { state: running, restartCount: 1, containerID: containerID(1), ready: true, started: true };
  const init = { name: 'init', state: ended(0, 0), containerID: containerID(0, 'init'), ready: true };
  const spec = { initContainers: [{ name: 'init', image: 'busybox' }] };

  it.each(['Always', 'OnFailure'] as const)(
    'gets a new environment with restartPolicy %s, and is initialized anew',
    (restartPolicy) => {
      const { facts, adopted, isSandboxNew } = restoredFacts(
        pod({ ...spec, restartPolicy }, [status], [init]),
        [],
        NOW,
      );
      expect([adopted, isSandboxNew, facts.sandbox]).toEqual([[], true, 'absent']);
      expect(containerFacts(facts, 'main')).toMatchObject({
        current: { attempt: 1, exit: { exitCode: 255, reason: 'Unknown', at: NOW }, swept: true },
        nextAttempt: 2,
        probes: {},
      });
      expect(containerFacts(facts, 'init')).toMatchObject({ current: undefined, nextAttempt: 1 });
    },
  );

  it.each([
    ['main', 'Always', true],
    ['main', 'Never', false],
    ['init', 'Always', true],
  ] as const)('also gets one while %s is in back-off with restartPolicy %s: %s', (name, restartPolicy, isNew) => {
    const waiting = { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ended(4, 1), restartCount: 4 };
    const [regular, setup] =
      name === 'main'
        ? [{ ...waiting, containerID: containerID(4) }, init]
        : [{ state: { waiting: { reason: 'PodInitializing' } } }, { ...init, ...waiting, ready: false }];
    const restarting = pod({ ...spec, restartPolicy }, [regular], [setup]);
    const { facts, isSandboxNew } = restoredFacts(restarting, [], NOW, true);
    expect([isSandboxNew, facts.sandbox]).toEqual([isNew, isNew ? 'absent' : 'ready']);
    expect(containerFacts(facts, 'init').current === undefined).toBe(isNew);
    expect(restoredFacts(restarting, [], NOW).isSandboxNew).toBe(false);
  });

  it('gets none when none of them had begun', () => {
    const waiting = pod(spec, [{ state: { waiting: { reason: 'PodInitializing' } } }], []);
    expect(restoredFacts(waiting, [], NOW, true).isSandboxNew).toBe(false);
  });

  it('gets none with restartPolicy Never', () => {
    const { facts, isSandboxNew } = restoredFacts(pod({ ...spec, restartPolicy: 'Never' }, [status], [init]), [], NOW);
    expect([isSandboxNew, facts.sandbox]).toEqual([false, 'ready']);
    expect(containerFacts(facts, 'init').current?.exit?.exitCode).toBe(0);
  });

  it('keeps its environment when one of them is still there', () => {
    const two = pod({ containers: [main, { ...main, name: 'other' }] }, [
      status,
      { ...status, name: 'other', containerID: containerID(1, 'other') },
    ]);
    const { facts, adopted, isSandboxNew } = restoredFacts(two, [found(1, 'other')], NOW);
    expect([isSandboxNew, facts.sandbox, adopted.length]).toEqual([false, 'ready', 1]);
    expect(containerFacts(facts, 'main').current?.exit?.exitCode).toBe(255);
  });
});

it('a Pod whose former agent died before it wrote down the address has the address of its sandbox', () => {
  const taken = pod({}, [{ state: { waiting: { reason: 'ContainerCreating' } } }]);
  delete taken.status.podIP;
  const { facts } = restoredFacts(taken, [found(0)], NOW);
  expect([facts.sandbox, facts.podIP]).toEqual(['ready', undefined]);
  expect(observe(taken, facts, { type: 'sandboxReady', podIP: '10.93.1.2' }, NOW).facts.podIP).toBe('10.93.1.2');
});
