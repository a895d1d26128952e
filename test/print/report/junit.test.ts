import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { timelineOf } from '../../../src/history/timeline/critical-path.ts';
import { parseGoal } from '../../../src/lifecycle/requests/goal.ts';
import { renderJunit } from '../../../src/print/report/junit.ts';
import { type DecidedPod, podCases } from '../../../src/print/report/cases.ts';
import { recordedIn } from '../../history/simulated-run.ts';
import { PodSimulation, type PodSimulationOptions } from '../../simulation/pod-simulation.ts';
import { checkJunit } from './check-junit.ts';

const HOSTILE = 'a <b> & "c"\n\u001b[31mred\u001b[0m \u0000 \u009b ]]> \ud800 \u{1F600}';

async function decided(options: PodSimulationOptions, ms: number, more: Partial<DecidedPod> = {}): Promise<DecidedPod> {
  const simulation = await new PodSimulation(options).start();
  await simulation.clock.run(ms);
  const decidedAtMs = simulation.clock.now().wallMs;
  const pod: StoredPod = simulation.worker.pod;
  const logs = new Map([['main', { lines: ['cannot find it'], isOfPreviousRun: false }]]);
  const evidence = { attempts: simulation.attempts, hooks: [], logs, events: [] };
  const timeline = timelineOf(recordedIn(simulation), decidedAtMs);
  return { pod, evidence, timeline, goal: undefined, decidedAtMs, isInterrupted: false, ...more };
}

const resultLines = (pod: DecidedPod): string[] => podCases(pod).map(({ name, result }) => `${name}: ${result.type}`);

const exec = (name: string): { exec: { command: string[] } } => ({ exec: { command: [name] } });

describe('junit.xml', () => {
  it('is what the common schema asks for, whatever the texts are', () => {
    const cases = [
      { about: HOSTILE, name: HOSTILE, seconds: 1, result: { type: 'passed' as const } },
      { about: 'a', name: 'b', seconds: 0.0004, result: { type: 'failed' as const, message: HOSTILE, text: HOSTILE } },
      { about: 'a', name: 'c', seconds: 0, result: { type: 'skipped' as const, message: HOSTILE } },
      { about: 'a', name: 'd', place: `${HOSTILE}:7`, result: { type: 'passed' as const, remark: HOSTILE } },
    ];
    const xml = renderJunit('podrun', [{ name: HOSTILE, startedAt: '2026-01-01T00:00:00.123456Z', seconds: 2, cases }]);
    const read = checkJunit(xml);
    expect(read.errors).toEqual([]);
    const shown = 'a <b> & "c"\nred ^@ \\u009b ]]> \uFFFD \u{1F600}';
    expect(read.texts).toEqual([shown, shown]);
    expect(read.attributes.filter(({ name }) => name === 'message').map(({ value }) => value)).toEqual([shown, shown]);
    expect(xml).toContain('<testsuites name="podrun" tests="4" failures="1" errors="0" time="2.000">');
    expect(xml).toContain('skipped="1" time="2.000" timestamp="2026-01-01T00:00:00">');
  });

  it('has nothing to say about no Pods', () => {
    expect(checkJunit(renderJunit('podrun', [])).errors).toEqual([]);
    const cases = [{ about: 'a', name: 'b', result: { type: 'passed' as const } }];
    expect(renderJunit('podrun', [{ name: 'a', cases }])).not.toContain('time');
  });
});

describe('the cases of a Pod', () => {
  it('are itself, its containers, probes and hooks', async () => {
    const pod = await decided(
      {
        spec: {
          restartPolicy: 'Never',
          initContainers: [{ name: 'fetch', image: 'app' }],
          containers: [
            {
              name: 'main',
              image: 'app',
              lifecycle: { postStart: exec('register') },
              readinessProbe: { ...exec('ready'), periodSeconds: 1 },
            },
          ],
        },
        behave: (name) => ({ exitAfterMs: 3000, exitCode: name === 'main' ? 3 : 0 }),
        behaveExec: (_, [command]) => ({ exitCode: command === 'ready' ? 1 : 0, stdout: 'not yet' }),
      },
      10_000,
    );
    expect(resultLines(pod)).toEqual([
      'Pod web: failed',
      'init container fetch: passed',
      'container main: failed',
      'readiness probe of main: failed',
      'postStart hook of main: passed',
    ]);
    const [ofPod, , ofMain] = podCases(pod).map(({ result }) => result);
    expect(ofPod).toMatchObject({ message: expect.stringContaining('exited with code 3') });
    expect(ofPod).toMatchObject({ text: expect.stringMatching(/^\S/) });
    expect(ofMain).toMatchObject({ text: expect.stringContaining('cannot find it') });
  });

  it.each([
    ['ready', {}, ['Pod web: passed', 'goal ready: passed', 'container main: passed']],
    ['succeeded', {}, ['Pod web: failed', 'goal Succeeded: failed', 'container main: passed']],
    ['succeeded', { isInterrupted: true }, ['Pod web: skipped', 'goal Succeeded: skipped', 'container main: passed']],
  ] as const)('say whether the goal %s was met: %j', async (goal, more, cases) => {
    const spec = { containers: [{ name: 'main', image: 'app' }] };
    expect(resultLines(await decided({ spec }, 1000, { goal: parseGoal(goal), ...more }))).toEqual(cases);
  });

  it('list the earlier runs of a container that is well again', async () => {
    const spec = { containers: [{ name: 'main', image: 'app' }] };
    const pod = await decided(
      { spec, behave: (_, attempt) => (attempt === 0 ? { exitAfterMs: 100, exitCode: 7 } : {}) },
      5000,
    );
    expect(podCases(pod).find(({ name }) => name === 'container main')?.result).toEqual({
      type: 'passed',
      remark: 'restarted once\nattempt 1 ended after 0.10s: exit code 7',
    });
  });

  it('say nothing of what becomes of a Pod that another podrun runs', async () => {
    const spec = { containers: [{ name: 'main', image: 'app' }] };
    expect(resultLines(await decided({ spec }, 1000, { isRunByOthers: true }))).toEqual(['Pod web: skipped']);
  });
});
