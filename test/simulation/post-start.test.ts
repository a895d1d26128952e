import { describe, expect, it } from 'vitest';
import type { PodStatus } from '../../src/api/generated/types.ts';
import { PodSimulation } from './pod-simulation.ts';
import type { ProgramBehaviour } from '../../src/simulation/read-program.ts';

const isReady = (status: PodStatus | undefined): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
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

  it('that fail are reported when the container has ended, not before', async () => {
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

  const hooked = { ...main, lifecycle: { postStart } };
  const hookOf = (afterMs: number): ConstructorParameters<typeof PodSimulation>[0] => ({
    spec: { containers: [hooked, { name: 'next', image: 'app' }] },
    behave: () => exits(500),
    behaveExec: () => ({ afterMs }),
  });
  const stops = (pod: PodSimulation): [string, number][] =>
    pod.runtime.journal.filter(({ what }) => what === 'signal').map(({ name, atMs }) => [name, atMs]);

  it('run to their end when their Pod is deleted: later containers start, then all are stopped', async () => {
    const pod = await new PodSimulation(hookOf(15_000)).start();
    await pod.clock.run(1000);
    pod.delete(2);
    await pod.clock.run(13_999);
    expect(pod.container('main').state).toEqual({ waiting: { reason: 'ContainerCreating' } });
    expect(stops(pod)).toEqual([]);
    await pod.clock.run(1000);
    expect(pod.startsOf('next')).toEqual([15_000]);
    expect(stops(pod)).toEqual([
      ['main', 15_000],
      ['next', 15_000],
    ]);
    expect(pod.events.filter((event) => event.includes('PostStartHook'))).toEqual([]);
    expect(pod.phases).toEqual(['Pending', 'Running', 'Succeeded']);
  });

  it('run to their end when the deadline passes, which is reported afterwards', async () => {
    const { spec, ...behaviour } = hookOf(6000);
    const pod = await new PodSimulation({ ...behaviour, spec: { ...spec, activeDeadlineSeconds: 2 } }).start();
    await pod.clock.run(5999);
    expect(pod.events.filter((event) => event.startsWith('DeadlineExceeded'))).toEqual([]);
    await pod.clock.run(1000);
    expect(pod.status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
    expect(pod.phases).toEqual(['Pending', 'Failed']);
  });

  it('of the only container, too: it never runs where the deadline has passed by then', async () => {
    const spec = { containers: [hooked], activeDeadlineSeconds: 2 };
    const pod = await new PodSimulation({ ...hookOf(6000), spec }).start();
    await pod.clock.run(7000);
    expect(pod.phases).toEqual(['Pending', 'Failed']);
    expect(pod.seen.some(({ status }) => isReady(status))).toBe(false);
  });

  it('are waited for no longer than the grace period when podrun itself ends the run', async () => {
    const pod = await new PodSimulation(hookOf(60_000)).start();
    await pod.clock.run(1000);
    pod.worker.terminate({ force: false, graceSeconds: 5 });
    await pod.clock.run(4999);
    expect(stops(pod)).toEqual([]);
    await pod.clock.run(1);
    expect(stops(pod)).toEqual([['main', 6000]]);
    expect(pod.events).toContain('FailedPostStartHook PostStartHook failed');
  });

  it('that podrun waits for at the end of a run do not let a deadline become the reason of that end', async () => {
    const { spec, ...behaviour } = hookOf(6000);
    const pod = await new PodSimulation({ ...behaviour, spec: { ...spec, activeDeadlineSeconds: 2 } }).start();
    await pod.clock.run(1000);
    pod.worker.terminate({ force: false, graceSeconds: 600 });
    await pod.clock.run(9000);
    expect(pod.status.phase).toBe('Succeeded');
    expect(pod.status.reason).toBeUndefined();
  });

  it.each([
    ['force', { force: true }],
    ['the removal of the object', { force: false, graceSeconds: 1, breaksOffHook: true }],
  ])('are broken off by %s, also after a deletion, and have failed then', async (_what, how) => {
    const pod = await new PodSimulation(hookOf(60_000)).start();
    await pod.clock.run(1000);
    pod.delete(30);
    await pod.clock.run(1000);
    pod.worker.terminate(how);
    await pod.clock.run(500);
    expect(pod.runtime.journal).toContainEqual(
      expect.objectContaining({ what: 'execEnd', atMs: 2000, outcome: { type: 'aborted' } }),
    );
    expect(pod.events).toContain('FailedPostStartHook PostStartHook failed');
    expect(pod.container('main').state).toMatchObject({ terminated: {} });
  });
});
