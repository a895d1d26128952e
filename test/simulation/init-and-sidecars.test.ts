import { describe, expect, it } from 'vitest';
import type { Container } from '../../src/api/generated/types.ts';
import { PodSimulation } from './pod-simulation.ts';
import type { ProgramBehaviour } from '../../src/simulation/read-program.ts';

const init = (name: string): Container => ({ name, image: 'app' });
const sidecar = (name: string): Container => ({ name, image: 'app', restartPolicy: 'Always' });
const main = { name: 'main', image: 'app' };
const graceful: ProgramBehaviour = { onSignal: () => ({ exitAfterMs: 500, exitCode: 0 }) };

function behaviours(map: Record<string, ProgramBehaviour>): (name: string) => ProgramBehaviour {
  return (name) => map[name] ?? graceful;
}

describe('init containers', () => {
  it('run one after the other, each to its end, before any regular container', async () => {
    const pod = await new PodSimulation({
      spec: { restartPolicy: 'Never', initContainers: [init('a'), init('b')], containers: [main] },
      behave: behaviours({ a: { exitAfterMs: 100 }, b: { exitAfterMs: 200 }, main: { exitAfterMs: 50 } }),
    }).start();
    expect(pod.condition('Initialized')).toEqual(['False/ContainersNotInitialized']);
    expect(pod.status.conditions?.find(({ type }) => type === 'Initialized')?.message).toBe(
      'containers with incomplete status: [a b]',
    );
    await pod.clock.run(1000);
    expect([pod.startsOf('a'), pod.startsOf('b'), pod.startsOf('main')]).toEqual([[0], [100], [300]]);
    expect(pod.phases).toEqual(['Pending', 'Running', 'Succeeded']);
    expect(pod.condition('Initialized')).toEqual(['False/ContainersNotInitialized', 'True', 'True/PodCompleted']);
    expect(pod.container('a')).toMatchObject({ ready: true, started: false, restartCount: 0 });
  });

  it('that fail under Never fail the Pod; the later ones were never started', async () => {
    const pod = await new PodSimulation({
      spec: { restartPolicy: 'Never', initContainers: [init('a'), init('b')], containers: [main] },
      behave: behaviours({ a: { exitAfterMs: 100, exitCode: 4 } }),
    }).start();
    await pod.clock.run(1000);
    expect(pod.phases).toEqual(['Pending', 'Failed']);
    expect([pod.startsOf('b'), pod.startsOf('main')]).toEqual([[], []]);
    expect(pod.container('main').state).toEqual({ waiting: { reason: 'PodInitializing' } });
    expect(pod.condition('Initialized')).toEqual(['False/ContainersNotInitialized']);
    expect(pod.condition('Ready')).toEqual(['False/ContainersNotReady', 'False/PodFailed']);
  });

  it('that fail otherwise are tried again with back-off, those before them are not', async () => {
    const pod = await new PodSimulation({
      spec: { restartPolicy: 'OnFailure', initContainers: [init('a'), init('b')], containers: [main] },
      behave: (name, attempt) => {
        if (name === 'a') return { exitAfterMs: 100 };
        return name === 'b' ? { exitAfterMs: 0, exitCode: attempt < 3 ? 1 : 0 } : { exitAfterMs: 10 };
      },
    }).start();
    await pod.clock.run(60_000);
    expect(pod.startsOf('a')).toEqual([0]);
    expect(pod.startsOf('b')).toEqual([100, 100, 10_100, 30_100]);
    expect(pod.phases).toEqual(['Pending', 'Running', 'Succeeded']);
  });

  it('do not run again when a regular container restarts', async () => {
    const pod = await new PodSimulation({
      spec: { initContainers: [init('a')], containers: [main] },
      behave: behaviours({ a: { exitAfterMs: 100 }, main: { exitAfterMs: 300, exitCode: 1 } }),
    }).start();
    await pod.clock.run(20_000);
    expect(pod.startsOf('a')).toEqual([0]);
    expect(pod.startsOf('main').length).toBeGreaterThan(1);
  });
});

describe('sidecars', () => {
  it('start in order, each as soon as the one before it has started', async () => {
    const pod = await new PodSimulation({
      spec: { initContainers: [sidecar('s1'), init('i'), sidecar('s2')], containers: [main] },
      behave: behaviours({ i: { exitAfterMs: 250 } }),
    }).start();
    await pod.clock.run(1000);
    const started = pod.runtime.journal.filter(({ what }) => what === 'running').map(({ name, atMs }) => [name, atMs]);
    expect(started).toEqual([
      ['s1', 0],
      ['i', 0],
      ['s2', 250],
      ['main', 250],
    ]);
  });

  it('do not keep the Pod alive, and stop one by one in reverse order', async () => {
    const pod = await new PodSimulation({
      spec: { restartPolicy: 'Never', initContainers: [sidecar('s1'), sidecar('s2')], containers: [main] },
      behave: behaviours({ main: { exitAfterMs: 1000 } }),
    }).start();
    await pod.clock.run(10_000);
    const signals = pod.runtime.journal.filter(({ what }) => what === 'signal').map(({ name, atMs }) => [name, atMs]);
    expect(signals).toEqual([
      ['s2', 1000],
      ['s1', 1500],
    ]);
    const killing = pod.seen.filter(({ event }) => event?.reason === 'Killing').map(({ atMs }) => atMs);
    expect(killing).toEqual([1000, 1000]);
    expect(pod.phases).toEqual(['Pending', 'Running', 'Succeeded']);
  });

  it('do not decide how the Pod ended', async () => {
    const pod = await new PodSimulation({
      spec: { restartPolicy: 'Never', initContainers: [sidecar('s')], containers: [main] },
      behave: behaviours({ main: { exitAfterMs: 100 }, s: { onSignal: () => ({ exitAfterMs: 0, exitCode: 9 }) } }),
    }).start();
    await pod.clock.run(10_000);
    expect(pod.status.phase).toBe('Succeeded');
    expect(pod.container('s').state?.terminated?.exitCode).toBe(9);
  });

  it('are restarted for ever, also in a Never Pod, and the Pod is not ready meanwhile', async () => {
    const pod = await new PodSimulation({
      spec: { restartPolicy: 'Never', initContainers: [sidecar('s')], containers: [main] },
      behave: behaviours({ s: { exitAfterMs: 400, exitCode: 1 }, main: { exitAfterMs: 120_000 } }),
    }).start();
    await pod.clock.run(40_000);
    expect(pod.startsOf('s')).toEqual([0, 400, 10_800, 31_200]);
    expect(pod.status.phase).toBe('Running');
    expect(pod.condition('Initialized')).toEqual(['False/ContainersNotInitialized', 'True']);
    expect(pod.condition('Ready').slice(0, 4)).toEqual([
      'False/ContainersNotReady',
      'True',
      'False/ContainersNotReady',
      'True',
    ]);
  });

  it('that never become started hold back the regular containers', async () => {
    const startupProbe = { exec: { command: ['check'] }, periodSeconds: 1, failureThreshold: 100, timeoutSeconds: 1 };
    const pod = await new PodSimulation({
      spec: { initContainers: [{ ...sidecar('s'), startupProbe }], containers: [main] },
      behaveExec: () => ({ exitCode: 1 }),
    }).start();
    await pod.clock.run(20_000);
    expect(pod.startsOf('main')).toEqual([]);
    expect(pod.container('s')).toMatchObject({ started: false, ready: false, state: { running: {} } });
    expect(pod.phases).toEqual(['Pending']);
  });
});
