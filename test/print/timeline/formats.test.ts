import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { timelineOf } from '../../../src/history/timeline/critical-path.ts';
import { renderTimelineJson } from '../../../src/print/timeline/json.ts';
import { type NamedTimeline, renderTrace } from '../../../src/print/timeline/trace.ts';
import { recordedIn } from '../../history/simulated-run.ts';
import { recordedOnNode } from '../../history/traces.ts';
import { PodSimulation } from '../../simulation/pod-simulation.ts';
import { recordedScenarios } from '../../traces/recorded.ts';

interface Event {
  readonly name: string;
  readonly ph: string;
  readonly ts?: number;
  readonly dur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A run with hooks and probes, a failed attempt, and a deletion. */
async function busyPod(): Promise<NamedTimeline> {
  const exec = (name: string): { exec: { command: string[] } } => ({ exec: { command: [name] } });
  const lifecycle = { postStart: exec('register'), preStop: exec('drain') };
  const readinessProbe = { ...exec('ok'), periodSeconds: 1 };
  const simulation = new PodSimulation({
    spec: { containers: [{ name: 'main', image: 'app', lifecycle, readinessProbe }] },
    behave: (_, attempt) => (attempt === 0 ? { exitAfterMs: 1234.5678, exitCode: 3 } : {}),
    behaveExec: () => ({ afterMs: 200 }),
  });
  await simulation.start();
  await simulation.clock.run(15_000);
  simulation.delete(5);
  await simulation.clock.run(10_000);
  return { run: 'web', timeline: timelineOf(recordedIn(simulation))! };
}

it('a trace has a process for each Pod; periods of one thread are nested or apart', async () => {
  const runs = recordedScenarios.flatMap(recordedOnNode).map((run) => ({ run: run.name, timeline: timelineOf(run)! }));
  const { traceEvents } = JSON.parse(renderTrace([await busyPod(), ...runs])) as { traceEvents: Event[] };
  const pods = traceEvents.filter(({ name }) => name === 'process_name').map(({ args }) => args['name']);
  expect(pods.slice(0, 2)).toEqual(['Pod web', `Pod ${runs[0]?.run}`]);
  const spans = traceEvents.filter(({ ph }) => ph === 'X');
  const threads = new Map<string, Event[]>();
  for (const span of spans) {
    const thread = `${span.pid} ${span.tid}`;
    threads.set(thread, [...(threads.get(thread) ?? []), span]);
  }
  const crossing = [...threads.values()].flatMap((thread) =>
    thread.flatMap((one) =>
      thread.filter((other) => {
        const [end, otherEnd] = [one.ts! + one.dur!, other.ts! + other.dur!];
        return one.ts! < other.ts! && other.ts! < end && end < otherEnd;
      }),
    ),
  );
  expect(crossing).toEqual([]);
  const numbers = traceEvents.flatMap(({ ts = 0, dur = 0 }) => [ts, dur]);
  expect(numbers.every((number) => Number.isInteger(number) && number >= 0)).toBe(true);
});

it('a trace names what happened', async () => {
  const { traceEvents } = JSON.parse(renderTrace([await busyPod()])) as { traceEvents: Event[] };
  const names = traceEvents.filter(({ ph }) => ph === 'X').map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['Running', 'attempt 1', 'attempt 2', 'postStart', 'preStop', 'stopping']),
  );
  expect(traceEvents.find(({ name }) => name === 'attempt 1')).toMatchObject({ ts: 0, args: { end: 'exit code 3' } });
  expect(traceEvents.map(({ name }) => name)).toContain('readiness: success');
});

it('every field of the JSON is documented', async () => {
  const nodeRuns = ['gate-opens-when-condition-is-set', 'vol-missing-configmap-blocks'].flatMap(recordedOnNode);
  const runs = nodeRuns.map((run) => ({ run: run.name, timeline: timelineOf(run)! }));
  const text = renderTimelineJson([await busyPod(), ...runs]);
  const page = readFileSync(new URL('../../../docs/timeline.md', import.meta.url), 'utf8');
  const keys = new Set<string>();
  const lines = text.trimEnd().split('\n');
  for (const line of lines) {
    JSON.parse(line, (key, value: unknown) => {
      if (!/^\d*$/.test(key)) keys.add(key);
      return value;
    });
  }
  expect(lines).toHaveLength(3);
  expect([...keys].filter((key) => !page.includes(`\`${key}\``) && !page.includes(`${key}[]`))).toEqual([]);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    run: 'web',
    createdAt: '2026-01-01T00:00:00.000000Z',
    isOver: true,
    criticalPath: { isReady: true, fromMs: 0 },
    containers: [{ name: 'main', role: 'regular', attempts: [{ attempt: 0, fromMs: 0, toMs: 1234.568 }, {}] }],
  });
});
