import { describe, expect, it } from 'vitest';
import type { Container, PodStatus } from '../../src/api/generated/types.ts';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { PodSimulation } from './pod-simulation.ts';

const container = (image: string, more: Partial<Container> = {}): Container => ({ name: 'main', image, ...more });
const images = (pod: StoredPod) =>
  Object.fromEntries(
    [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map(({ name, image }) => [
      name,
      image === 'missing' ? { type: 'absent' as const, pullError: 'no program' } : { type: 'present' as const },
    ]),
  );

describe('a changed image', () => {
  it.each(['Always', 'OnFailure', 'Never'] as const)(
    'restarts a running container at once under %s',
    async (restartPolicy) => {
      const pod = await new PodSimulation({ spec: { restartPolicy, containers: [container('app:1')] } }).start();
      await pod.clock.run(60_000);
      pod.change({ containers: [container('app:2')] });
      expect(pod.container('main')).toMatchObject({ image: 'app:1', state: { running: {} } });
      await pod.clock.run(0);
      expect(pod.startsOf('main')).toEqual([0, 60_000]);
      expect(pod.events).toContain('Killing Container main definition changed, will be restarted');
      expect(pod.container('main')).toMatchObject({ restartCount: 1, image: 'app:2', state: { running: {} } });
      expect(pod.status.observedGeneration).toBe(2);
      expect(pod.phases).toEqual(['Pending', 'Running']);
    },
  );

  it('lets the old program have its grace period', async () => {
    const spec = { containers: [container('app:1')], terminationGracePeriodSeconds: 5 };
    const pod = await new PodSimulation({ spec, behave: () => ({ onSignal: () => 'ignore' }) }).start();
    pod.change({ containers: [container('app:2')] });
    await pod.clock.run(10_000);
    expect(pod.startsOf('main')).toEqual([0, 5000]);
  });

  it('is tried at once, whatever the back-off of the old image is', async () => {
    const behave = () => ({ exitAfterMs: 0, exitCode: 1 });
    const pod = await new PodSimulation({ spec: { containers: [container('app:1')] }, behave }).start();
    await pod.clock.run(75_000);
    expect(pod.container('main').state?.waiting?.reason).toBe('CrashLoopBackOff');
    pod.change({ containers: [container('app:2')] });
    await pod.clock.run(11_000);
    // The back-off of the next start is that of a new container's first restart.
    expect(pod.startsOf('main')).toEqual([0, 0, 10_000, 30_000, 70_000, 75_000, 85_000]);
  });

  it('that is not here is shown as such, and the next one is tried at once', async () => {
    const pod = await new PodSimulation({ spec: { containers: [container('app:1')] }, images }).start();
    pod.change({ containers: [container('missing')] });
    await pod.clock.run(5000);
    expect(pod.container('main').state?.waiting?.reason).toBe('ImagePullBackOff');
    expect(pod.container('main').image).toBe('app:1');
    pod.change({ containers: [container('app:3')] });
    await pod.clock.run(0);
    expect(pod.startsOf('main')).toEqual([0, 5000]);
    expect(pod.container('main')).toMatchObject({ restartCount: 1, image: 'app:3' });
  });

  it('of a Pod that waits for its image lets it start', async () => {
    const pod = await new PodSimulation({ spec: { containers: [container('missing')] }, images }).start();
    await pod.clock.run(200_000);
    pod.change({ containers: [container('app:1')] });
    await pod.clock.run(0);
    expect(pod.startsOf('main')).toEqual([200_000]);
    expect(pod.container('main').restartCount).toBe(0);
  });

  it('restarts a sidecar, and leaves a finished init container alone', async () => {
    const init = (image: string): Container[] => [
      { name: 'setup', image },
      { name: 'side', image, restartPolicy: 'Always' },
    ];
    const spec = { initContainers: init('app:1'), containers: [container('app:1')] };
    const behave = (name: string) => (name === 'setup' ? { exitAfterMs: 100 } : {});
    const pod = await new PodSimulation({ spec, behave }).start();
    await pod.clock.run(1000);
    pod.change({ initContainers: init('app:2') });
    await pod.clock.run(1000);
    expect([pod.startsOf('setup'), pod.startsOf('side'), pod.startsOf('main')]).toEqual([[0], [100, 1000], [100]]);
    expect(pod.container('side').restartCount).toBe(1);
  });

  it('does not bring an ended Pod back', async () => {
    const spec = { restartPolicy: 'Never' as const, containers: [container('app:1')] };
    const pod = await new PodSimulation({ spec, behave: () => ({ exitAfterMs: 100 }) }).start();
    await pod.clock.run(1000);
    pod.change({ containers: [container('app:2')] });
    await pod.clock.run(1000);
    expect(pod.startsOf('main')).toEqual([0]);
    expect(pod.status.phase).toBe('Succeeded');
  });
});

describe('a resize', () => {
  const sized = (cpu: string, restartPolicy: 'NotRequired' | 'RestartContainer'): Container =>
    container('app', { resources: { requests: { cpu } }, resizePolicy: [{ resourceName: 'cpu', restartPolicy }] });

  it('shows in the status, and lets the container run on', async () => {
    const pod = await new PodSimulation({ spec: { containers: [sized('1', 'NotRequired')] } }).start();
    await pod.clock.run(1000);
    pod.change({ containers: [sized('2', 'NotRequired')] });
    await pod.clock.run(1000);
    expect(pod.container('main')).toMatchObject({ restartCount: 0, resources: { requests: { cpu: '2' } } });
    const what = '{"containers":[{"name":"main","resources":{"requests":{"cpu":"2"}}}],"generation":2}';
    expect(pod.events.slice(-2)).toEqual([
      `ResizeStarted Pod resize started: ${what}`,
      `ResizeCompleted Pod resize completed: ${what}`,
    ]);
  });

  it('that is under way is a condition, and the container has its previous resources', async () => {
    const pod = await new PodSimulation({
      spec: { containers: [sized('1', 'RestartContainer')] },
      behave: () => ({ onSignal: () => 'ignore' }),
    }).start();
    await pod.clock.run(1000);
    pod.change({ containers: [sized('2', 'RestartContainer')] });
    await pod.clock.run(1000);
    expect(pod.status.conditions?.[0]).toMatchObject({ type: 'PodResizeInProgress', status: 'True' });
    expect(pod.container('main')).toMatchObject({
      allocatedResources: { cpu: '2' },
      resources: { requests: { cpu: '1' } },
    });
    await pod.clock.run(60_000);
    expect(pod.status.conditions?.map(({ type }) => type)).not.toContain('PodResizeInProgress');
    expect(pod.container('main')).toMatchObject({ restartCount: 1, resources: { requests: { cpu: '2' } } });
  });

  it('restarts a container with this resizePolicy, a sidecar too', async () => {
    const spec = (cpu: string) => ({
      initContainers: [{ ...sized(cpu, 'RestartContainer'), name: 'side', restartPolicy: 'Always' as const }],
      containers: [sized(cpu, 'RestartContainer')],
    });
    const pod = await new PodSimulation({ spec: spec('1') }).start();
    await pod.clock.run(1000);
    pod.change(spec('2'));
    await pod.clock.run(1000);
    expect([pod.startsOf('side'), pod.startsOf('main')]).toEqual([
      [0, 1000],
      [0, 1000],
    ]);
    expect(pod.events).toContain('Killing Container main resize requires restart');
  });
});

describe('a resize of the whole Pod', () => {
  const limits = { cpu: '2', memory: '1Gi' };
  const resources = { requests: { cpu: '1' }, limits };
  const restarts = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];
  const containers = [
    container('app', { resizePolicy: restarts }),
    { ...container('app', { resizePolicy: restarts, resources: { limits: { memory: '64Mi' } } }), name: 'limited' },
  ];

  it('shows in the status, has its events, and lets containers run on that need no restart', async () => {
    const pod = await new PodSimulation({ spec: { containers, resources } }).start();
    await pod.clock.run(1000);
    expect(pod.status).toMatchObject({ allocatedResources: { cpu: '1' }, resources });
    const more = { requests: { cpu: '3' }, limits: { ...limits, cpu: '4' } };
    pod.change({ containers, resources: more });
    await pod.clock.run(1000);
    expect(pod.status).toMatchObject({ allocatedResources: { cpu: '3' }, resources: more });
    expect(pod.container('main').restartCount).toBe(0);
    expect(pod.events.slice(-2).map((text) => text.split(' ')[0])).toEqual(['ResizeStarted', 'ResizeCompleted']);
  });

  it('restarts a container by its resizePolicy where it has the limit of the Pod', async () => {
    const pod = await new PodSimulation({ spec: { containers, resources } }).start();
    await pod.clock.run(1000);
    pod.change({ containers, resources: { ...resources, limits: { ...limits, memory: '2Gi' } } });
    expect(pod.status.resources?.limits?.['memory']).toBe('1Gi');
    await pod.clock.run(1000);
    expect(pod.status.resources?.limits?.['memory']).toBe('2Gi');
    expect([pod.container('main').restartCount, pod.container('limited').restartCount]).toEqual([1, 0]);
  });
});

describe('a changed deadline', () => {
  const spec = { containers: [container('app')], activeDeadlineSeconds: 3600 };

  it('counts from the start of the Pod', async () => {
    const pod = await new PodSimulation({ spec }).start();
    await pod.clock.run(10_000);
    pod.change({ activeDeadlineSeconds: 30 });
    await pod.clock.run(19_000);
    expect(pod.status.phase).toBe('Running');
    await pod.clock.run(1000);
    expect(pod.status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });

  it('that has passed already ends the Pod at once', async () => {
    const pod = await new PodSimulation({ spec }).start();
    await pod.clock.run(10_000);
    pod.change({ activeDeadlineSeconds: 5 });
    await pod.clock.run(0);
    expect(pod.status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });
});

describe('a status of another writer', () => {
  const gate = 'example.com/lb';
  const spec = { containers: [container('app')], readinessGates: [{ conditionType: gate }] };
  const withGate = (status: PodStatus, value: string): PodStatus => ({
    ...status,
    conditions: [{ type: gate, status: value }, ...(status.conditions ?? []).filter(({ type }) => type !== gate)],
  });

  it('opens a readiness gate and closes it again', async () => {
    const pod = await new PodSimulation({ spec }).start();
    for (const value of ['False', 'True', 'Unknown']) pod.writeStatus(withGate(pod.status, value));
    expect(pod.status.conditions?.[0]).toEqual({ type: gate, status: 'Unknown' });
    const texts = pod.seen.flatMap(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready') ?? []);
    expect([...new Set(texts.map(({ status, message }) => message ?? status))].slice(-4)).toEqual([
      `corresponding condition of pod readiness gate "${gate}" does not exist.`,
      `the status of pod readiness gate "${gate}" is not "True", but False`,
      'True',
      `the status of pod readiness gate "${gate}" is not "True", but Unknown`,
    ]);
  });

  it('is put right where it is the agent that knows', async () => {
    const pod = await new PodSimulation({ spec: { containers: [container('app')] } }).start();
    const before = pod.status;
    const ready = (before.conditions ?? []).map((one) => (one.type === 'Ready' ? { ...one, status: 'False' } : one));
    const published = pod.seen.length;
    pod.writeStatus({ ...before, phase: 'Pending', message: 'mine', conditions: ready });
    expect(pod.status).toEqual(before);
    expect(pod.seen.slice(published).map(({ status }) => status)).toEqual([before]);
  });

  it('without a change has no effect', async () => {
    const pod = await new PodSimulation({ spec }).start();
    const published = pod.seen.length;
    pod.writeStatus(pod.status);
    expect(pod.seen.length).toBe(published);
  });
});
