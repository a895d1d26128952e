import { describe, expect, it } from 'vitest';
import { PodSimulation } from './pod-simulation.ts';
import type { ProgramBehaviour } from './simulated-program.ts';

const main = { name: 'main', image: 'app' };
const exits = (exitAfterMs: number): ProgramBehaviour => ({ onSignal: () => ({ exitAfterMs, exitCode: 0 }) });

describe('postStart hooks', () => {
  const postStart = { exec: { command: ['hello'] } };

  it('hold back Running, and the start of the next container', async () => {
    const pod = await new PodSimulation({
      spec: {
        containers: [
          { ...main, lifecycle: { postStart } },
          { name: 'next', image: 'app' },
        ],
      },
      behaveExec: () => ({ afterMs: 3000 }),
    }).start();
    await pod.clock.run(2999);
    expect(pod.container('main').state).toEqual({ waiting: { reason: 'ContainerCreating' } });
    expect(pod.startsOf('next')).toEqual([]);
    await pod.clock.run(1);
    expect(pod.status.phase).toBe('Running');
    expect(pod.startsOf('next')).toEqual([3000]);
  });

  it('that fail are told of when the container has ended, not before', async () => {
    const pod = await new PodSimulation({
      spec: { containers: [{ ...main, lifecycle: { postStart } }] },
      behave: () => exits(2000),
      behaveExec: () => ({ exitCode: 1 }),
    }).start();
    await pod.clock.run(1999);
    expect(pod.container('main').state).toEqual({ waiting: { reason: 'ContainerCreating' } });
    await pod.clock.run(1);
    const states = pod.seen.flatMap(({ status }) => status?.containerStatuses?.[0] ?? []);
    expect(states).toContainEqual(
      expect.objectContaining({
        state: { waiting: { reason: 'PostStartHookError', message: expect.stringContaining('[hello]') as string } },
        lastState: { terminated: expect.objectContaining({ exitCode: 0 }) as unknown },
      }),
    );
  });

  it('that fail kill the container; a Never Pod whose program then exits well has succeeded', async () => {
    const pod = await new PodSimulation({
      spec: { restartPolicy: 'Never', containers: [{ ...main, lifecycle: { postStart } }] },
      behave: () => exits(0),
      behaveExec: () => ({ exitCode: 1 }),
    }).start();
    await pod.clock.run(5000);
    expect(pod.events.slice(-2)).toEqual(['FailedPostStartHook PostStartHook failed', 'Killing FailedPostStartHook']);
    expect(pod.phases).toEqual(['Pending', 'Succeeded']);
  });

  it('that fail otherwise lead to a restart, which the status explains', async () => {
    const pod = await new PodSimulation({
      spec: { containers: [{ ...main, lifecycle: { postStart } }] },
      behave: () => exits(0),
      behaveExec: (_name, argv) => (argv[0] === 'hello' ? { exitCode: 1 } : {}),
    }).start();
    await pod.clock.run(5000);
    expect(pod.container('main')).toMatchObject({
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      restartCount: 1,
    });
  });

  it('are broken off when their Pod is deleted, and have failed then', async () => {
    const pod = await new PodSimulation({
      spec: { containers: [{ ...main, lifecycle: { postStart } }] },
      behave: () => exits(500),
      behaveExec: () => ({ afterMs: 60_000 }),
    }).start();
    await pod.clock.run(1000);
    pod.delete(30);
    await pod.clock.run(499);
    expect(pod.runtime.journal.at(-1)).toMatchObject({ what: 'execEnd', atMs: 1000, outcome: { type: 'aborted' } });
    await pod.clock.run(1);
    expect(pod.events.slice(-3)).toEqual([
      'FailedPostStartHook PostStartHook failed',
      'Killing FailedPostStartHook',
      'Killing Stopping container main',
    ]);
    expect(pod.container('main').state).toMatchObject({ terminated: { exitCode: 0 } });
    expect(pod.status.phase).toBe('Succeeded');
  });
});
