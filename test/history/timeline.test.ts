import { describe, expect, it } from 'vitest';
import type { RecordedTransition } from '../../src/history/base/recorded-run.ts';
import { timelineOf } from '../../src/history/timeline/critical-path.ts';
import type { Stretch } from '../../src/history/story/model.ts';
import type { PathStep, Timeline } from '../../src/history/timeline/model.ts';
import { PodSimulation, type PodSimulationOptions } from '../simulation/pod-simulation.ts';
import { recordedScenarios } from '../traces/recorded.ts';
import { recordedIn } from './simulated-run.ts';
import { recordedOnNode } from './traces.ts';

const exec = (name: string): { exec: { command: string[] } } => ({ exec: { command: [name] } });

/** Runs a Pod for a while. */
async function lived(
  options: PodSimulationOptions,
  ms: number,
  stop?: (pod: PodSimulation) => void,
): Promise<Timeline> {
  const pod = await new PodSimulation(options).start();
  await pod.clock.run(ms);
  stop?.(pod);
  if (stop !== undefined) await pod.clock.run(60_000);
  const timeline = timelineOf(recordedIn(pod));
  if (timeline === undefined) throw new Error('there is no timeline');
  return timeline;
}

function isRunningIn(object: RecordedTransition['object']): boolean {
  if (object.kind !== 'Pod') return false;
  return object.status.containerStatuses?.[0]?.state?.running !== undefined;
}

const range = ({ fromMs, toMs }: Stretch): string => `${fromMs}-${toMs}`;

/** Steps as `kind container from-to`. */
function pathOf({ criticalPath }: Timeline): string[] {
  return criticalPath.steps.map((step: PathStep) => {
    return [step.kind, step.container, range(step)].filter((part) => part !== undefined).join(' ');
  });
}

describe('a timeline', () => {
  it('has every attempt of a container, with the back-off between them', async () => {
    const timeline = await lived(
      {
        spec: { containers: [{ name: 'main', image: 'app' }] },
        behave: (_, attempt) => (attempt < 2 ? { exitAfterMs: 1000, exitCode: 3 } : {}),
      },
      30_000,
    );
    const [main] = timeline.containers;
    expect(main?.attempts.map((one) => [one.attempt, range(one), one.exit?.exitCode, one.isRunning])).toEqual([
      [0, '0-1000', 3, false],
      [1, '1000-2000', 3, false],
      [2, '12000-12000', undefined, true],
    ]);
    expect(main?.attempts.map(({ ready }) => ready.map(range))).toEqual([['0-1000'], ['1000-2000'], ['12000-12000']]);
    expect(main?.waits.map((wait) => [wait.reason, range(wait)])).toEqual([['CrashLoopBackOff', '2000-12000']]);
    expect(timeline.conditions.filter(({ type }) => type === 'Ready').map((one) => [one.status, range(one)])).toEqual([
      ['False', '0-0'],
      ['True', '0-1000'],
      ['False', '1000-1000'],
      ['True', '1000-2000'],
      ['False', '2000-12000'],
      ['True', '12000-12000'],
    ]);
  });

  it('shows nothing of a run beyond its end, also when its start was recorded late', async () => {
    const simulation = new PodSimulation({
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'app' }] },
      behave: () => ({ exitAfterMs: 100, exitCode: 0 }),
    });
    const pod = await simulation.start();
    await pod.clock.run(1000);
    const run = recordedIn(pod);
    const late = run.transitions.map((one) => ({ ...one, at: one.at + (one.type === 'MODIFIED' ? 50 : 0) }));
    const lateEnough = late.map((one) => (isRunningIn(one.object) ? { ...one, at: one.at + 60 } : one));
    const [main] = timelineOf({ ...run, transitions: lateEnough })?.containers ?? [];
    expect(main?.attempts).toMatchObject([{ fromMs: 0, toMs: 100, startedUpMs: 100, ready: [] }]);
  });

  it('reaches to the present for a Pod that lives', async () => {
    const pod = await new PodSimulation({ spec: { containers: [{ name: 'main', image: 'app' }] } }).start();
    const timeline = timelineOf(recordedIn(pod), Date.UTC(2026, 0, 1, 0, 1));
    expect(timeline).toMatchObject({ endMs: 60_000, isOver: false });
    expect(timeline?.containers[0]?.attempts.map((one) => [range(one), one.isRunning])).toEqual([['0-60000', true]]);
  });

  it('has hooks, probes and the way to the end', async () => {
    const timeline = await lived(
      {
        spec: {
          terminationGracePeriodSeconds: 9,
          containers: [
            {
              name: 'main',
              image: 'app',
              lifecycle: { postStart: exec('register'), preStop: exec('drain') },
              livenessProbe: { ...exec('alive'), periodSeconds: 2, failureThreshold: 5 },
            },
          ],
        },
        behave: () => ({ onSignal: () => ({ exitAfterMs: 500, exitCode: 0 }) }),
        behaveExec: (_, [command]) => (command === 'alive' ? { exitCode: 1 } : { afterMs: 250 }),
      },
      5000,
      (pod) => pod.delete(9),
    );
    const [main] = timeline.containers;
    expect(main?.hooks.map((hook) => [hook.hook, range(hook), hook.result])).toEqual([
      ['postStart', '0-250', 'success'],
      ['preStop', '5000-5250', 'success'],
    ]);
    expect(main?.probes.map(({ fromMs, result, count, threshold }) => [fromMs, result, count, threshold])).toEqual([
      [2000, 'failure', 1, 5],
      [4000, 'failure', 2, 5],
    ]);
    expect(main?.stops.map(({ fromMs, graceSeconds }) => [fromMs, graceSeconds])).toEqual([[5000, 9]]);
    expect(main?.stops[0]?.toMs).toBe(main?.attempts[0]?.toMs);
    expect(timeline.isOver).toBe(true);
  });

  it.each(recordedScenarios)('of what a node did (%s) is whole', (scenario) => {
    for (const run of recordedOnNode(scenario)) {
      const timeline = timelineOf(run);
      expect(timeline).toBeDefined();
      const { phases, conditions, containers, criticalPath, endMs, events } = timeline!;
      const spans = [
        phases,
        conditions,
        ...containers.flatMap(({ waits, attempts, stops }) => [waits, attempts, stops]),
      ];
      for (const { fromMs, toMs } of spans.flat()) {
        expect(fromMs).toBeGreaterThanOrEqual(0);
        expect(toMs).toBeGreaterThanOrEqual(fromMs);
        expect(toMs).toBeLessThanOrEqual(endMs);
      }
      expectEndToEnd(phases, endMs);
      expectEndToEnd(criticalPath.steps, criticalPath.toMs);
      expect(criticalPath.steps.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
      // The record of a Pod that is deleted by force ends while its containers run.
      const isForced = phases.at(-1)?.phase === 'Running';
      for (const { attempts } of containers) {
        expect(attempts.map(({ attempt }) => attempt)).toEqual(attempts.map((_, index) => index));
        expect(attempts.some(({ isRunning }) => isRunning)).toBe(isForced);
      }
      expect(events.length).toBe(run.transitions.filter(({ object }) => object.kind === 'Event').length);
    }
  });
});

function expectEndToEnd(spans: readonly Stretch[], toMs: number): void {
  expect(spans[0]?.fromMs).toBe(0);
  expect(spans.at(-1)?.toMs).toBe(toMs);
  expect(spans.slice(1).map(({ fromMs }) => fromMs)).toEqual(spans.slice(0, -1).map((span) => span.toMs));
}

let answered = 0;

describe('the critical path', () => {
  it('leads through init containers and sidecars to the container that was ready last', async () => {
    const timeline = await lived(
      {
        spec: {
          initContainers: [
            { name: 'fetch', image: 'app' },
            { name: 'proxy', image: 'app', restartPolicy: 'Always', startupProbe: { ...exec('up'), periodSeconds: 2 } },
          ],
          containers: [
            { name: 'early', image: 'app' },
            {
              name: 'late',
              image: 'app',
              startupProbe: { ...exec('late'), periodSeconds: 1, initialDelaySeconds: 3, failureThreshold: 30 },
            },
          ],
        },
        behave: (name) => (name === 'fetch' ? { exitAfterMs: 900 } : {}),
        behaveExec: (name) => ({ exitCode: name === 'proxy' || answered++ > 2 ? 0 : 1 }),
      },
      30_000,
    );
    expect(pathOf(timeline)).toEqual([
      'run fetch 0-900',
      'firstTick proxy 900-2000',
      'initialDelay late 2000-5000',
      'failing late 5000-7000',
      'lastPeriod late 7000-8000',
    ]);
    expect(timeline.criticalPath.steps.map(({ field }) => field).slice(1, 3)).toEqual([
      'spec.initContainers[1].startupProbe.periodSeconds',
      'spec.containers[1].startupProbe.initialDelaySeconds',
    ]);
  });

  it('counts the attempts that failed, with their back-off, and the hooks of containers that start first', async () => {
    const timeline = await lived(
      {
        spec: {
          containers: [
            { name: 'first', image: 'app', lifecycle: { postStart: exec('wait') } },
            { name: 'second', image: 'app', readinessProbe: { ...exec('ok'), initialDelaySeconds: 5 } },
          ],
        },
        behave: (name, attempt) => (name === 'second' && attempt < 2 ? { exitAfterMs: 100, exitCode: 1 } : {}),
        behaveExec: (_, [command]) => (command === 'wait' ? { afterMs: 400 } : {}),
      },
      40_000,
    );
    const kinds = timeline.criticalPath.steps.map(({ kind, container, toMs, fromMs }) => [
      kind,
      container,
      toMs - fromMs,
    ]);
    expect(kinds.slice(0, 5)).toEqual([
      ['postStart', 'first', 400],
      ['run', 'second', 100],
      ['run', 'second', 100],
      ['backOff', 'second', 10_000],
      ['initialDelay', 'second', 5000],
    ]);
    expect(timeline.criticalPath.isReady).toBe(true);
  });

  it('ends with the wait of a Pod that was never Ready', async () => {
    const timeline = await lived(
      {
        spec: {
          initContainers: [{ name: 'migrate', image: 'app' }],
          containers: [{ name: 'main', image: 'app' }],
        },
        behave: () => ({ exitAfterMs: 500, exitCode: 9 }),
      },
      15_000,
    );
    expect(timeline.criticalPath.isReady).toBe(false);
    expect(timeline.criticalPath.steps.map(({ kind, container, exitCode }) => [kind, container, exitCode])).toEqual([
      ['run', 'migrate', 9],
      ['run', 'migrate', 9],
      ['backOff', 'migrate', undefined],
      ['run', 'migrate', 9],
    ]);
  });

  it('leads to the container that never became ready, not to one that was stopped with it', async () => {
    const simulation = await new PodSimulation({
      spec: {
        initContainers: [{ name: 'side', image: 'app', restartPolicy: 'Always' }],
        containers: [
          { name: 'main', image: 'app', readinessProbe: { exec: { command: ['ready'] }, periodSeconds: 2 } },
        ],
      },
      behaveExec: () => ({ exitCode: 1 }),
    }).start();
    await simulation.clock.run(15_000);
    simulation.delete(30);
    await simulation.clock.run(5000);
    const path = timelineOf(recordedIn(simulation), simulation.clock.now().wallMs)?.criticalPath;
    expect(path?.isReady).toBe(false);
    const longest = path?.steps.toSorted((a, b) => b.share - a.share)[0];
    expect(longest).toMatchObject({ kind: 'failing', container: 'main' });
  });

  it('ends with the readiness gates', () => {
    const [run] = recordedOnNode('gate-opens-when-condition-is-set');
    const gate = timelineOf(run!)?.criticalPath.steps.find(({ kind }) => kind === 'readinessGate');
    expect(gate).toMatchObject({ reason: 'example.com/gate1', field: 'spec.readinessGates[0]' });
    expect(gate?.share).toBeGreaterThan(0.5);
  });

  it('gives the reason why the sandbox of a Pod could not be created', () => {
    const [run] = recordedOnNode('vol-missing-configmap-blocks');
    const last = timelineOf(run!)?.criticalPath.steps.at(-1);
    expect(last).toMatchObject({
      kind: 'sandbox',
      reason: 'FailedMount',
      message: expect.stringContaining('configmap'),
    });
  });
});
