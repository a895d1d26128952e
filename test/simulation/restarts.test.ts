import { describe, expect, it } from 'vitest';
import { allContainerStatuses } from '../../src/api/base/objects.ts';
import { PodSimulation } from './pod-simulation.ts';

const one = { containers: [{ name: 'main', image: 'app' }] };
const CRASH_STARTS = [0, 0, 10_000, 30_000, 70_000, 150_000, 310_000, 610_000];

describe('a container that crashes at once', () => {
  it('is restarted at once, then after 10 s, doubling up to 5 minutes', async () => {
    const pod = await new PodSimulation({ spec: one, behave: () => ({ exitAfterMs: 0, exitCode: 1 }) }).start();
    await pod.clock.run(611_000);
    expect(pod.startsOf('main')).toEqual(CRASH_STARTS);
    expect(pod.phases).toEqual(['Pending', 'Running']);
    expect(pod.container('main')).toMatchObject({
      restartCount: 7,
      ready: false,
      started: false,
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: 'back-off 5m0s restarting failed container=main pod=web_default(u1)',
        },
      },
      lastState: { terminated: { exitCode: 1, reason: 'Error' } },
    });
  });

  it('is held back just the same when it exits with 0 under Always', async () => {
    const pod = await new PodSimulation({ spec: one, behave: () => ({ exitAfterMs: 0 }) }).start();
    await pod.clock.run(31_000);
    expect(pod.startsOf('main')).toEqual(CRASH_STARTS.slice(0, 4));
  });

  it('shows Running, terminated and then CrashLoopBackOff, each in an update of its own', async () => {
    const pod = await new PodSimulation({ spec: one, behave: () => ({ exitAfterMs: 0, exitCode: 1 }) }).start();
    await pod.clock.run(5000);
    const states = pod.seen.flatMap(({ status }) => Object.keys(status?.containerStatuses?.[0]?.state ?? {}));
    expect(states).toEqual([
      'waiting', // ContainerCreating, twice: the sandbox becomes ready in between
      'waiting',
      'running',
      'terminated',
      'running',
      'terminated',
      'waiting', // CrashLoopBackOff
    ]);
    expect(pod.events.filter((event) => event.startsWith('BackOff'))).toEqual([
      'BackOff Back-off restarting failed container main in pod web_default(u1)',
    ]);
  });

  it('starts from 10 s again when it ran for more than ten minutes', async () => {
    const pod = await new PodSimulation({
      spec: one,
      behave: (_name, attempt) => ({ exitAfterMs: attempt === 3 ? 660_000 : 0, exitCode: 1 }),
    }).start();
    await pod.clock.run(800_000);
    const [, , , fourth = 0, fifth = 0, sixth = 0, seventh = 0] = pod.startsOf('main');
    expect([fifth - fourth, sixth - fifth, seventh - sixth]).toEqual([660_000, 10_000, 20_000]);
  });

  it('is not disturbed by a wall clock that jumps', async () => {
    const pod = await new PodSimulation({ spec: one, behave: () => ({ exitAfterMs: 0, exitCode: 1 }) }).start();
    pod.clock.jumpWall(3_600_000);
    await pod.clock.run(9999);
    expect(pod.startsOf('main')).toHaveLength(2);
    pod.clock.jumpWall(-7_200_000);
    await pod.clock.run(1);
    expect(pod.startsOf('main')).toEqual([0, 0, 10_000]);
  });
});

describe('a container that is killed by its probe', () => {
  it('is restarted at once twice: at the first kill no exit is known that a back-off could count from', async () => {
    const livenessProbe = {
      exec: { command: ['check'] },
      initialDelaySeconds: 2,
      periodSeconds: 2,
      failureThreshold: 2,
    };
    const pod = await new PodSimulation({
      spec: { containers: [{ name: 'main', image: 'app', livenessProbe }] },
      behave: () => ({ onSignal: () => ({ exitAfterMs: 50, exitCode: 0 }) }),
      behaveExec: () => ({ exitCode: 1 }),
    }).start();
    await pod.clock.run(60_000);
    expect(pod.startsOf('main')).toEqual([0, 4050, 8050, 22_050, 46_050]);
  });
});

describe('restart policies', () => {
  it('OnFailure restarts until the container succeeds, then the Pod has succeeded', async () => {
    const pod = await new PodSimulation({
      spec: { ...one, restartPolicy: 'OnFailure' },
      behave: (_name, attempt) => ({ exitAfterMs: 500, exitCode: attempt < 2 ? 1 : 0 }),
    }).start();
    await pod.clock.run(60_000);
    expect(pod.phases).toEqual(['Pending', 'Running', 'Succeeded']);
    expect(pod.container('main')).toMatchObject({ restartCount: 2, state: { terminated: { reason: 'Completed' } } });
    expect(pod.finished).toBe(true);
  });

  it('restarts only the container that failed', async () => {
    const pod = await new PodSimulation({
      spec: {
        restartPolicy: 'OnFailure',
        containers: [
          { name: 'flaky', image: 'app' },
          { name: 'steady', image: 'app' },
        ],
      },
      behave: (name, attempt) =>
        name === 'steady' ? { exitAfterMs: 20_000 } : { exitAfterMs: 100, exitCode: attempt < 2 ? 1 : 0 },
    }).start();
    await pod.clock.run(60_000);
    expect([pod.startsOf('flaky').length, pod.startsOf('steady').length]).toEqual([3, 1]);
    expect(pod.phases).toEqual(['Pending', 'Running', 'Succeeded']);
  });

  it('Never fails the Pod when one container failed and all are done', async () => {
    const pod = await new PodSimulation({
      spec: {
        restartPolicy: 'Never',
        containers: [
          { name: 'bad', image: 'app' },
          { name: 'good', image: 'app' },
        ],
      },
      behave: (name) => ({ exitAfterMs: name === 'bad' ? 100 : 900, exitCode: name === 'bad' ? 3 : 0 }),
    }).start();
    await pod.clock.run(500);
    expect(pod.status.phase).toBe('Running');
    await pod.clock.run(1000);
    expect(pod.phases).toEqual(['Pending', 'Running', 'Failed']);
    expect(pod.condition('Ready')).toEqual([
      'False/ContainersNotReady',
      'True',
      'False/ContainersNotReady',
      'False/PodFailed',
    ]);
  });

  it('a rule of the container comes before its policy, and that before the policy of the Pod', async () => {
    const pod = await new PodSimulation({
      spec: {
        restartPolicy: 'Never',
        containers: [
          {
            name: 'main',
            image: 'app',
            restartPolicy: 'Never',
            restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
          },
        ],
      },
      behave: (_name, attempt) => ({ exitAfterMs: 0, exitCode: attempt === 0 ? 42 : 0 }),
    }).start();
    await pod.clock.run(1000);
    expect(pod.startsOf('main')).toEqual([0, 0]);
    expect(pod.status.phase).toBe('Succeeded');
  });
});

describe('a program that cannot be started', () => {
  it('is a StartError with code 128 that backs off like a crash; the phase is Running', async () => {
    const pod = await new PodSimulation({ spec: one, behave: () => ({ failToStart: 'no such program' }) }).start();
    await pod.clock.run(15_000);
    expect(pod.container('main')).toMatchObject({
      restartCount: 2,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: {
        terminated: {
          exitCode: 128,
          reason: 'StartError',
          message: 'no such program',
          startedAt: '1970-01-01T00:00:00Z',
        },
      },
    });
    expect(pod.status.phase).toBe('Running');
    expect(pod.events).toContain('Failed Error: no such program');
  });

  it('fails a Never Pod that was never Running', async () => {
    const pod = await new PodSimulation({
      spec: { ...one, restartPolicy: 'Never' },
      behave: () => ({ failToStart: 'no such program' }),
    }).start();
    await pod.clock.run(100);
    expect(pod.phases).toEqual(['Pending', 'Failed']);
  });
});

describe('RestartAllContainers', () => {
  it('removes every container and begins with the first init container, without back-off', async () => {
    const pod = await new PodSimulation({
      spec: {
        restartPolicy: 'Never',
        initContainers: [{ name: 'init', image: 'app' }],
        containers: [
          {
            name: 'source',
            image: 'app',
            restartPolicy: 'Never',
            restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
          },
          { name: 'other', image: 'app' },
        ],
      },
      behave: (name, attempt) => {
        if (name === 'init') return { exitAfterMs: 100 };
        return name === 'source' ? { exitAfterMs: 1000, exitCode: attempt === 0 ? 42 : 0 } : { exitAfterMs: 5000 };
      },
    }).start();
    await pod.clock.run(30_000);
    expect([pod.startsOf('init').length, pod.startsOf('source').length, pod.startsOf('other').length]).toEqual([
      2, 2, 2,
    ]);
    expect(pod.phases).toEqual(['Pending', 'Running', 'Pending', 'Running', 'Succeeded']);
    expect(pod.condition('AllContainersRestarting')).toEqual([
      'False',
      'True/RestartAllContainersStarted',
      'False',
      'False/PodCompleted',
    ]);
    expect(pod.condition('Initialized').slice(0, 2)).toEqual(['False/ContainersNotInitialized', 'True']);
    for (const name of ['init', 'source', 'other']) {
      expect(pod.container(name)).toMatchObject({
        restartCount: 1,
        lastState: { terminated: { exitCode: 137, reason: 'RestartingAllContainers' } },
      });
    }
    expect(pod.events.filter((event) => event.startsWith('Killing'))).toEqual(['Killing killing']);
  });

  it.each([
    { when: 'cannot be started', first: { failToStart: 'no such program' }, exitCode: 128 },
    { when: 'ends while its postStart hook runs', first: { exitAfterMs: 10, exitCode: 42 }, exitCode: 42 },
  ])('also follows when the container $when', async ({ first, exitCode }) => {
    const pod = await new PodSimulation({
      spec: {
        containers: [
          {
            name: 'source',
            image: 'app',
            restartPolicy: 'Never',
            restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [exitCode] } }],
            lifecycle: { postStart: { exec: { command: ['hook'] } } },
          },
          { name: 'other', image: 'app' },
        ],
      },
      behave: (name, attempt) => (name === 'source' && attempt === 0 ? first : {}),
      behaveExec: () => ({ afterMs: 50 }),
    }).start();
    await pod.clock.run(30_000);
    expect(pod.container('source').restartCount).toBe(1);
    expect(pod.container('source').lastState?.terminated?.reason).toBe('RestartingAllContainers');
    expect(pod.status.phase).toBe('Running');
  });

  it('has a sidecar pending until a regular container runs, and keeps states of ended containers', async () => {
    const pod = await new PodSimulation({
      spec: {
        restartPolicy: 'Never',
        initContainers: [
          { name: 'init', image: 'app' },
          { name: 'sidecar', image: 'app', restartPolicy: 'Always' },
        ],
        containers: [
          {
            name: 'source',
            image: 'app',
            restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
          },
        ],
      },
      behave: (name, attempt) => {
        if (name === 'init') return { exitAfterMs: 100 };
        return name === 'source' ? { exitAfterMs: 1000, exitCode: attempt === 0 ? 42 : 0 } : {};
      },
    }).start();
    await pod.clock.run(30_000);
    expect(pod.phases).toEqual(['Pending', 'Running', 'Pending', 'Running', 'Pending', 'Running', 'Succeeded']);
    const between = pod.seen
      .flatMap(({ status }) => status ?? [])
      .map((status) => allContainerStatuses(status))
      .find((all) => all.every(({ state }) => state?.waiting?.reason === 'RestartingAllContainers'));
    expect(between?.map(({ name, ready, imageID }) => [name, ready, imageID])).toEqual([
      ['init', true, 'app'],
      ['sidecar', false, ''],
      ['source', false, 'app'],
    ]);
  });

  it('starts no further container when the Pod is deleted meanwhile', async () => {
    const pod = await new PodSimulation({
      spec: {
        initContainers: [
          {
            name: 'source',
            image: 'app',
            restartPolicy: 'Always',
            restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
          },
        ],
        containers: [
          { name: 'hooked', image: 'app', lifecycle: { postStart: { exec: { command: ['hook'] } } } },
          { name: 'next', image: 'app' },
        ],
      },
      behave: (name) =>
        name === 'source'
          ? { exitAfterMs: 1000, exitCode: 42 }
          : { onSignal: () => ({ exitAfterMs: 4000, exitCode: 0 }) },
      behaveExec: () => ({ exitCode: 1 }),
    }).start();
    await pod.clock.run(2000);
    expect(pod.condition('AllContainersRestarting').at(-1)).toBe('True/RestartAllContainersStarted');
    pod.delete(30);
    await pod.clock.run(30_000);
    expect(pod.finished).toBe(true);
    expect(pod.startsOf('next')).toEqual([]);
  });
});

describe('a container that restarts in place, because the files that it runs have changed', () => {
  const spec = {
    initContainers: [{ name: 'first', image: 'app' }],
    containers: [
      { name: 'main', image: 'app', lifecycle: { preStop: { exec: { command: ['drain'] } } } },
      { name: 'side', image: 'app' },
    ],
  };

  it('has half a second to end, and starts again without init containers, preStop hook and back-off', async () => {
    const behave = (name: string) => (name === 'first' ? { exitAfterMs: 0 } : { onSignal: () => 'ignore' as const });
    const pod = await new PodSimulation({ spec, behave }).start();
    for (const _ of [1, 2]) {
      await pod.clock.run(3000);
      pod.worker.restart(['main']);
    }
    await pod.clock.run(3000);
    expect(pod.startsOf('main')).toEqual([0, 3500, 6500]);
    expect([pod.startsOf('first'), pod.startsOf('side')]).toEqual([[0], [0]]);
    expect(pod.events).toContain('Killing Container main program changed, will be restarted');
    expect(pod.container('main')).toMatchObject({ restartCount: 2, ready: true });
  });

  it('does not wait for the rest of its back-off', async () => {
    const behave = (name: string, attempt: number) =>
      name === 'first' || (name === 'main' && attempt < 2) ? { exitAfterMs: 0, exitCode: name === 'main' ? 1 : 0 } : {};
    const pod = await new PodSimulation({ spec, behave }).start();
    await pod.clock.run(5000);
    pod.worker.restart(['main']);
    await pod.clock.run(1000);
    expect(pod.startsOf('main')).toEqual([0, 0, 5000]);
  });

  it('stays as it is when its Pod ends, or when it never runs again', async () => {
    const never = {
      restartPolicy: 'Never' as const,
      containers: [
        { name: 'main', image: 'app' },
        { name: 'side', image: 'app' },
      ],
    };
    const pod = await new PodSimulation({
      spec: never,
      behave: (name) => (name === 'main' ? { exitAfterMs: 0 } : {}),
    }).start();
    await pod.clock.run(1000);
    pod.worker.restart(['main']);
    await pod.clock.run(1000);
    expect(pod.startsOf('main')).toEqual([0]);
    pod.worker.terminate({ force: false });
    pod.worker.restart(['side']);
    await pod.clock.run(60_000);
    expect(pod.startsOf('side')).toEqual([0]);
  });
});
