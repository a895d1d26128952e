import { describe, expect, it } from 'vitest';
import type { ContainerLaunch, ProcessExit, RunningContainer } from '../../src/runtime/base/runtime.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import type { ExecBehaviour, ProgramBehaviour } from '../../src/simulation/read-program.ts';
import { SimulatedRuntime } from '../../src/simulation/simulated-runtime.ts';

interface Seen {
  readonly output: string[];
  readonly exits: ProcessExit[];
}

function launchOf(name: string, seen: Seen = { output: [], exits: [] }): ContainerLaunch {
  return {
    id: `${name}-id`,
    argv: [name],
    env: {},
    cwd: '/',
    stdin: false,
    onOutput: (stream, chunk) => seen.output.push(`${stream}:${chunk.toString()}`),
    onExit: (exit) => seen.exits.push(exit),
  };
}

async function startOne(behaviour: ProgramBehaviour) {
  const clock = new ManualClock();
  const runtime = new SimulatedRuntime({ clock, behave: () => behaviour });
  const seen: Seen = { output: [], exits: [] };
  const outcome = await runtime.start(launchOf('app', seen));
  if (!outcome.ok) throw new Error(outcome.error);
  const container: RunningContainer = outcome.container;
  return { clock, runtime, seen, container };
}

describe('SimulatedRuntime.start()', () => {
  it('ends a program when its time has come, not before', async () => {
    const { clock, seen } = await startOne({ exitAfterMs: 500, exitCode: 3 });
    await clock.run(499);
    expect(seen.exits).toEqual([]);
    await clock.run(1);
    expect(seen.exits).toMatchObject([{ exitCode: 3, signal: undefined, at: { monotonicMs: 500 } }]);
    expect(clock.alarmCount).toBe(0);
  });

  it('reports a start before an exit at the same instant', async () => {
    const { clock, seen } = await startOne({ exitAfterMs: 0 });
    expect(seen.exits).toEqual([]);
    await clock.run(0);
    expect(seen.exits).toHaveLength(1);
  });

  it('takes the given time to start, or to fail', async () => {
    const clock = new ManualClock();
    const runtime = new SimulatedRuntime({ clock, behave: () => ({ startDelayMs: 70, failToStart: 'no such file' }) });
    const outcome = runtime.start(launchOf('app'));
    await clock.run(100);
    expect(await outcome).toMatchObject({ ok: false, error: 'no such file', at: { monotonicMs: 70 } });
  });

  it('gives every attempt its own behaviour', async () => {
    const clock = new ManualClock();
    const runtime = new SimulatedRuntime({
      clock,
      behave: (_name, attempt) => ({ exitAfterMs: 0, exitCode: attempt }),
    });
    const seen: Seen = { output: [], exits: [] };
    for (let attempt = 0; attempt < 3; attempt++) {
      await runtime.start(launchOf('app', seen));
      await clock.run(0);
    }
    expect(seen.exits.map(({ exitCode }) => exitCode)).toEqual([0, 1, 2]);
  });

  it('delivers output in order and none after the exit', async () => {
    const { clock, seen } = await startOne({
      exitAfterMs: 20,
      output: [
        { afterMs: 10, text: 'b' },
        { text: 'a', stream: 'stderr' },
        { afterMs: 30, text: 'late' },
      ],
    });
    await clock.run(100);
    expect(seen.output).toEqual(['stderr:a', 'stdout:b']);
  });
});

describe('SimulatedRuntime signals', () => {
  it.each<{ name: string; behaviour: ProgramBehaviour; signal: NodeJS.Signals; want: number[] }>([
    { name: 'a program without a handler dies of SIGTERM', behaviour: {}, signal: 'SIGTERM', want: [143] },
    {
      name: 'nothing survives SIGKILL',
      behaviour: { onSignal: () => 'ignore' },
      signal: 'SIGKILL',
      want: [137],
    },
    {
      name: 'a signal may be ignored',
      behaviour: { onSignal: () => 'ignore' },
      signal: 'SIGTERM',
      want: [],
    },
    {
      name: 'a handler may take its time',
      behaviour: { onSignal: () => ({ exitAfterMs: 900, exitCode: 7 }) },
      signal: 'SIGTERM',
      want: [7],
    },
  ])('$name', async ({ behaviour, signal, want }) => {
    const { clock, seen, container } = await startOne(behaviour);
    container.signal(signal);
    expect(seen.exits).toEqual([]);
    await clock.run(1000);
    expect(seen.exits.map(({ exitCode }) => exitCode)).toEqual(want);
  });

  it('kill ends it with 137, once, and the journal tells the story', async () => {
    const { clock, runtime, seen, container } = await startOne({ sweepMs: 5 });
    await clock.run(10);
    container.kill();
    container.kill();
    await clock.run(10);
    container.kill();
    expect(seen.exits).toHaveLength(1);
    expect(runtime.runningNames).toEqual([]);
    expect(runtime.journal.map(({ atMs, what }) => `${atMs} ${what}`)).toEqual([
      '0 start',
      '0 running',
      '10 kill',
      '10 kill',
      '10 exit',
      '15 swept',
    ]);
  });
});

describe('SimulatedRuntime.exec()', () => {
  const request = { id: 'x', argv: ['probe'] as const, env: {}, cwd: '/', maxOutputBytes: 100 };

  it.each<{ name: string; behaviour: ExecBehaviour; timeoutMs?: number; want: object; atMs: number }>([
    { name: 'exits at once', behaviour: { exitCode: 4, stdout: 'hi' }, want: { exitCode: 4, stdout: 'hi' }, atMs: 0 },
    { name: 'exits in time', behaviour: { afterMs: 10 }, timeoutMs: 11, want: { type: 'exited' }, atMs: 10 },
    { name: 'runs out of time', behaviour: { afterMs: 10 }, timeoutMs: 9, want: { type: 'timedOut' }, atMs: 9 },
    {
      name: 'cannot be started',
      behaviour: { failToStart: 'no' },
      want: { type: 'failedToStart', error: 'no' },
      atMs: 0,
    },
  ])('a command $name', async ({ behaviour, timeoutMs, want, atMs }) => {
    const clock = new ManualClock();
    const runtime = new SimulatedRuntime({ clock, behaveExec: () => behaviour });
    const outcome = runtime.exec({ ...request, timeoutMs });
    await clock.run(1000);
    expect(await outcome).toMatchObject(want);
    expect(runtime.journal.at(-1)).toMatchObject({ what: 'execEnd', atMs });
    expect(clock.alarmCount).toBe(0);
  });

  it('can be aborted', async () => {
    const clock = new ManualClock();
    const runtime = new SimulatedRuntime({ clock, behaveExec: () => ({ afterMs: 1000 }) });
    const abort = new AbortController();
    const outcome = runtime.exec({ ...request, timeoutMs: undefined, signal: abort.signal });
    await clock.run(10);
    abort.abort();
    expect(await outcome).toEqual({ type: 'aborted' });
    expect(clock.alarmCount).toBe(0);
  });
});
