import { describe, expect, it } from 'vitest';
import type { PodMachine } from '../../src/kubelet/pod-machine.ts';
import type { Container } from '../../src/api/generated/types.ts';
import { PodSimulation } from './pod-simulation.ts';
import type { ProgramBehaviour } from '../../src/simulation/read-program.ts';

const main = { name: 'main', image: 'app' };
const sidecar = (name: string): Container => ({ name, image: 'app', restartPolicy: 'Always' });
const stubborn: ProgramBehaviour = { onSignal: () => 'ignore' };
const exits = (exitAfterMs: number, exitCode: number): ProgramBehaviour => ({
  onSignal: () => ({ exitAfterMs, exitCode }),
});

/** Runs for a second, then deletes. */
async function deleted(
  options: ConstructorParameters<typeof PodSimulation>[0],
  graceSeconds: number,
): Promise<PodSimulation> {
  const pod = await new PodSimulation(options).start();
  await pod.clock.run(1000);
  pod.delete(graceSeconds);
  await pod.clock.run(0);
  return pod;
}

const times = (pod: PodSimulation, what: string): [string, number][] =>
  pod.runtime.journal.filter((entry) => entry.what === what).map(({ name, atMs }) => [name, atMs - 1000]);

describe('deleting a Pod', () => {
  it('that stops well makes it Succeeded, whatever its restart policy', async () => {
    const pod = await deleted({ spec: { containers: [main] }, behave: () => exits(200, 0) }, 30);
    await pod.clock.run(1000);
    expect(pod.phases).toEqual(['Pending', 'Running', 'Succeeded']);
    expect(pod.events.at(-1)).toBe('Killing Stopping container main');
    expect(pod.startsOf('main')).toEqual([0]);
    expect(pod.finished).toBe(true);
    expect(pod.clock.alarmCount).toBe(0);
  });

  it('shows the end of the Pod with the end of its last container, not before', async () => {
    const pod = await deleted(
      {
        spec: { containers: [main, { name: 'slow', image: 'app' }] },
        behave: (name) => exits(name === 'main' ? 100 : 200, 0),
      },
      30,
    );
    const ended = ['False/ContainersNotReady', 'True', 'False/ContainersNotReady'];
    await pod.clock.run(100);
    expect(pod.condition('Ready')).toEqual(ended);
    await pod.clock.run(1000);
    expect(pod.condition('Ready')).toEqual([...ended, 'False/PodCompleted']);
  });

  it('kills a container that ignores the stop signal when the grace period is over', async () => {
    const pod = await deleted({ spec: { containers: [main] }, behave: () => stubborn }, 5);
    await pod.clock.run(60_000);
    expect([times(pod, 'signal'), times(pod, 'kill')]).toEqual([[['main', 0]], [['main', 5000]]]);
    expect(pod.container('main').state?.terminated).toMatchObject({ exitCode: 137, reason: 'Error' });
    expect(pod.status.phase).toBe('Failed');
  });

  it('asks a container to stop with the signal that it wants', async () => {
    const asked: string[] = [];
    const program = (name: string): ProgramBehaviour => ({
      onSignal: (signal) => (asked.push(`${name} ${signal}`), { exitAfterMs: 0, exitCode: 0 }),
    });
    const quitting = { name: 'quitting', image: 'app', lifecycle: { stopSignal: 'SIGQUIT' } };
    const pod = await deleted({ spec: { os: { name: 'linux' }, containers: [main, quitting] }, behave: program }, 30);
    await pod.clock.run(1000);
    expect(asked).toEqual(['main SIGTERM', 'quitting SIGQUIT']);
    expect([pod.container('main'), pod.container('quitting')].map(({ stopSignal }) => stopSignal)).toEqual([
      undefined,
      'SIGQUIT',
    ]);
  });

  it('leaves at least two seconds between signal and kill', async () => {
    const pod = await deleted({ spec: { containers: [main] }, behave: () => stubborn }, 1);
    await pod.clock.run(60_000);
    expect(times(pod, 'kill')).toEqual([['main', 2000]]);
  });

  it('signals all regular containers at once', async () => {
    const containers = ['a', 'b', 'c'].map((name) => ({ name, image: 'app' }));
    const pod = await deleted({ spec: { containers }, behave: () => exits(2000, 0) }, 30);
    await pod.clock.run(2000);
    expect(times(pod, 'signal')).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 0],
    ]);
    expect(pod.status.phase).toBe('Succeeded');
  });

  it('a second time with less grace shortens the stop', async () => {
    const pod = await deleted({ spec: { containers: [main] }, behave: () => stubborn }, 60);
    await pod.clock.run(3000);
    pod.delete(4);
    await pod.clock.run(60_000);
    expect(times(pod, 'kill')).toEqual([['main', 7000]]);
  });

  it('gives sidecars that are still waiting two seconds when the grace period is used up', async () => {
    const pod = await deleted(
      {
        spec: { initContainers: [sidecar('s1'), sidecar('s2')], containers: [main] },
        behave: () => stubborn,
      },
      3,
    );
    await pod.clock.run(60_000);
    expect(times(pod, 'kill')).toEqual([
      ['main', 3000],
      ['s1', 5000],
      ['s2', 5000],
    ]);
  });

  it('runs preStop hooks within the grace period, before the signal', async () => {
    const preStop = { exec: { command: ['bye'] } };
    const pod = await deleted(
      {
        spec: { containers: [{ ...main, lifecycle: { preStop } }] },
        behave: () => stubborn,
        behaveExec: () => ({ afterMs: 2500 }),
      },
      10,
    );
    await pod.clock.run(60_000);
    // Two whole seconds of the hook's 2.5 s are deducted from the grace period.
    expect([times(pod, 'signal'), times(pod, 'kill')]).toEqual([[['main', 2500]], [['main', 10_500]]]);
  });

  it.each([
    ['reports it', { exec: { command: ['bye'] } }, true],
    ['reports no sleep, as a node', { sleep: { seconds: 600 } }, false],
  ])('does not wait for a preStop hook beyond the grace period, and %s', async (_, preStop, isReported) => {
    const pod = await deleted(
      {
        spec: { containers: [{ ...main, lifecycle: { preStop } }] },
        behave: () => exits(0, 0),
        behaveExec: () => ({ afterMs: 600_000 }),
      },
      4,
    );
    await pod.clock.run(60_000);
    expect(times(pod, 'signal')).toEqual([['main', 4000]]);
    expect(pod.finished).toBe(true);
    expect(pod.clock.alarmCount).toBe(0);
    expect(pod.events.includes('FailedPreStopHook PreStopHook failed')).toBe(isReported);
  });

  it('reports a failed preStop hook, and continues', async () => {
    const preStop = { exec: { command: ['bye'] } };
    const pod = await deleted(
      {
        spec: { containers: [{ ...main, lifecycle: { preStop } }] },
        behave: () => exits(0, 0),
        behaveExec: () => ({ exitCode: 1 }),
      },
      30,
    );
    await pod.clock.run(0);
    expect(pod.events).toContain('FailedPreStopHook PreStopHook failed');
    expect(pod.status.phase).toBe('Succeeded');
  });

  it('during initialization stops the init container and fails the Pod', async () => {
    const pod = await deleted({ spec: { initContainers: [{ name: 'init', image: 'app' }], containers: [main] } }, 30);
    await pod.clock.run(1000);
    expect(pod.phases).toEqual(['Pending', 'Failed']);
    expect(pod.container('init').state?.terminated?.exitCode).toBe(143);
    expect(pod.startsOf('main')).toEqual([]);
  });

  it('before any start shows that the container was never seen', async () => {
    const images = () => ({ main: { type: 'absent', pullError: 'no such image' } as const });
    const pod = await deleted({ spec: { containers: [main] }, images }, 30);
    await pod.clock.run(0);
    expect(pod.phases).toEqual(['Pending', 'Failed']);
    expect(pod.container('main').state?.terminated).toEqual({
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'The container could not be located when the pod was terminated',
      startedAt: null,
      finishedAt: null,
    });
  });

  it('whose environment never gets ready ends at once, and never was ready to start', async () => {
    let given = new AbortController().signal;
    const createSandbox: PodMachine['createSandbox'] = (_pod, { signal }) => {
      given = signal;
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
    };
    const pod = await deleted({ spec: { containers: [main] }, createSandbox }, 30);
    await pod.clock.run(0);
    expect(given.aborted).toBe(true);
    expect(pod.phases).toEqual(['Pending', 'Failed']);
    expect(pod.condition('PodReadyToStartContainers')).toEqual(['False']);
    expect(pod.seen.filter(({ status }) => status?.podIP !== undefined)).toEqual([]);
    expect(pod.container('main').state?.terminated?.reason).toBe('ContainerStatusUnknown');
    expect([pod.finished, pod.clock.alarmCount]).toEqual([true, 0]);
  });

  it('whose environment cannot be made ends the attempts', async () => {
    const createSandbox = (): Promise<undefined> => Promise.reject(new Error('no space left on device'));
    const pod = await deleted({ spec: { containers: [main] }, createSandbox }, 30);
    await pod.clock.run(0);
    expect(pod.events).toEqual(['FailedCreatePodSandBox Failed to create pod sandbox: no space left on device']);
    expect([pod.finished, pod.clock.alarmCount]).toEqual([true, 0]);
  });

  it('while a container is being created stops it as soon as it runs', async () => {
    const pod = await new PodSimulation({
      spec: { containers: [main] },
      behave: () => ({ startDelayMs: 5000 }),
    }).start();
    pod.delete(30);
    await pod.clock.run(5000);
    expect(pod.runtime.journal.map(({ what }) => what)).toEqual(['start', 'running', 'signal', 'exit', 'swept']);
    expect(pod.status.phase).toBe('Failed');
  });

  it('waits until every process has ended before it shows the end of the Pod', async () => {
    const pod = await deleted({ spec: { containers: [main] }, behave: () => ({ ...exits(0, 0), sweepMs: 700 }) }, 30);
    await pod.clock.run(600);
    expect(pod.status.phase).toBe('Running');
    await pod.clock.run(100);
    expect(pod.status.phase).toBe('Succeeded');
  });

  it('does not stop a container again whose postStart hook has failed', async () => {
    const pod = await deleted(
      {
        spec: { containers: [{ ...main, lifecycle: { postStart: { exec: { command: ['hello'] } } } }] },
        behave: () => stubborn,
        behaveExec: () => ({ afterMs: 500, exitCode: 1 }),
      },
      3,
    );
    await pod.clock.run(40_000);
    expect(times(pod, 'signal')).toEqual([['main', -500]]);
    expect(times(pod, 'kill')).toEqual([['main', 29_500]]);
    expect(pod.events.filter((event) => event.startsWith('Killing'))).toEqual(['Killing FailedPostStartHook']);
  });

  it('shows no coming starts: waiting containers have ended, or are about to be created', async () => {
    const pod = await new PodSimulation({
      spec: { containers: [{ ...main }, { name: 'lacks', image: 'gone' }] },
      images: () => ({ lacks: { type: 'absent', pullError: 'no such image' } }),
      behave: (name) => (name === 'main' ? { exitAfterMs: 0, exitCode: 3 } : {}),
    }).start();
    await pod.clock.run(1500);
    const reasons = (): unknown[] => ['main', 'lacks'].map((name) => pod.container(name).state?.waiting?.reason);
    expect(reasons()).toEqual(['CrashLoopBackOff', 'ImagePullBackOff']);
    const known = pod.seen.length;
    pod.delete(5);
    await pod.clock.run(0);
    const changed = pod.seen.slice(known).find(({ status }) => status !== undefined);
    const states = changed?.status?.containerStatuses?.map(
      ({ state }) => state?.waiting?.reason ?? state?.terminated?.exitCode,
    );
    expect(states).toEqual(['ContainerCreating', 3]);
  });
});

describe('ending a run', () => {
  it('by force kills every container at once, also containers that wait for their turn', async () => {
    const pod = await new PodSimulation({
      spec: { initContainers: [sidecar('s')], containers: [main] },
      behave: () => stubborn,
    }).start();
    await pod.clock.run(1000);
    pod.worker.terminate({ force: false });
    await pod.clock.run(500);
    pod.worker.terminate({ force: true });
    await pod.clock.run(0);
    expect(times(pod, 'kill')).toEqual([
      ['s', 500],
      ['main', 500],
    ]);
    expect(pod.finished).toBe(true);
  });

  it('by its deadline fails the Pod with DeadlineExceeded, also when its programs end well', async () => {
    const pod = await new PodSimulation({
      spec: { activeDeadlineSeconds: 5, containers: [main] },
      behave: () => exits(300, 0),
    }).start();
    await pod.clock.run(5100);
    expect(pod.status.phase).toBe('Running');
    expect(pod.condition('Ready').at(-1)).toBe('False/PodFailed');
    await pod.clock.run(1000);
    expect(pod.status).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
  });
});
