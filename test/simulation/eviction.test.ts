import { describe, expect, it } from 'vitest';
import { PodSimulation } from './pod-simulation.ts';

const MESSAGE = 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". ';
const volumes = [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }];
const main = { name: 'main', image: 'app' };

describe('a Pod that stores too much', () => {
  it('is evicted when the kubelet next looks, with two seconds for its containers', async () => {
    const pod = await new PodSimulation({
      spec: { containers: [main], volumes, terminationGracePeriodSeconds: 30 },
      behave: () => ({ onSignal: () => 'ignore' }),
    }).start();
    pod.usage = { volumes: { v: 2 * 1024 * 1024 }, logs: {}, layers: {} };
    await pod.clock.run(9999);
    expect(pod.events.at(-1)).toBe('Started Container started');
    await pod.clock.run(1);
    expect(pod.events.slice(-2)).toEqual([`Evicted ${MESSAGE}`, 'Killing Stopping container main']);
    expect(pod.status.phase).toBe('Running');
    expect(pod.condition('Ready')).toEqual(['False/ContainersNotReady', 'True']);
    await pod.clock.run(1999);
    expect(pod.finished).toBe(false);
    await pod.clock.run(1);
    expect(pod.finished).toBe(true);
    expect(pod.status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message: MESSAGE });
    expect(pod.condition('Ready').at(-1)).toBe('False/PodFailed');
    expect(pod.status.conditions?.map(({ type }) => type)).not.toContain('DisruptionTarget');
    expect(pod.clock.alarmCount).toBe(0);
  });

  it('forgets the ends of the containers that it stopped, as a node does', async () => {
    const done = { name: 'done', image: 'app' };
    const pod = await new PodSimulation({
      spec: { containers: [main, done], volumes, restartPolicy: 'Never' },
      behave: (name) => (name === 'done' ? { exitAfterMs: 5, exitCode: 0 } : {}),
    }).start();
    pod.usage = { volumes: { v: 2 * 1024 * 1024 }, logs: {}, layers: {} };
    await pod.clock.run(20_000);
    const lost = { exitCode: 137, reason: 'ContainerStatusUnknown', startedAt: null, finishedAt: null };
    expect(pod.container('main')).toEqual({
      name: 'main',
      image: 'app',
      imageID: '',
      ready: false,
      started: false,
      restartCount: 1,
      state: { terminated: { ...lost, message: 'The container could not be located when the pod was terminated' } },
      lastState: {
        terminated: {
          ...lost,
          message: 'The container could not be located when the pod was deleted.  The container used to be Running',
        },
      },
    });
    expect(pod.container('done').state?.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
  });

  it('is left alone when it ends by itself, or while it keeps its limits', async () => {
    const pod = await new PodSimulation({
      spec: { containers: [main], volumes, restartPolicy: 'Never' },
      behave: () => ({ exitAfterMs: 25_000, exitCode: 0 }),
    }).start();
    pod.usage = { volumes: { v: 1024 * 1024 }, logs: {}, layers: {} };
    await pod.clock.run(60_000);
    expect(pod.phases).toEqual(['Pending', 'Running', 'Succeeded']);
    expect(pod.clock.alarmCount).toBe(0);
  });
});

describe('a Pod whose node lacks memory', () => {
  const message = 'The node was low on resource: memory. ';

  it('is evicted with the condition DisruptionTarget, which comes with the terminal phase', async () => {
    const pod = await new PodSimulation({
      spec: { containers: [main] },
      behave: () => ({ onSignal: () => ({ exitAfterMs: 500, exitCode: 1 }) }),
    }).start();
    pod.evict(message, 1);
    await pod.clock.run(499);
    expect(pod.events.slice(-2)).toEqual([`Evicted ${message}`, 'Killing Stopping container main']);
    expect(pod.condition('DisruptionTarget')).toEqual([]);
    await pod.clock.run(1);
    expect(pod.status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message });
    expect(pod.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message }),
    );
  });

  it('has the grace period of a soft threshold', async () => {
    const pod = await new PodSimulation({
      spec: { containers: [main] },
      behave: () => ({ onSignal: () => 'ignore' }),
    }).start();
    pod.evict(message, 20);
    await pod.clock.run(19_999);
    expect(pod.finished).toBe(false);
    await pod.clock.run(1);
    expect(pod.finished).toBe(true);
  });
});
