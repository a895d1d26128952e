import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import type { Container, PodSpec, PodStatus } from '../../src/api/generated/types.ts';
import { isTerminalPhase } from '../../src/api/objects.ts';
import { PodSimulation } from './pod-simulation.ts';
import type { ProgramBehaviour } from './simulated-runtime.ts';

/**
 * Random Pods in random worlds: whatever programs do and whenever somebody deletes, these sentences hold after every
 * update. A failing case prints its seed; `fc.assert(..., { seed, path })` replays it.
 */

interface World {
  readonly spec: Partial<PodSpec>;
  readonly programs: ReadonlyMap<string, readonly ProgramBehaviour[]>;
  readonly endsAtMs: number;
  readonly end: 'delete' | 'terminate' | 'force';
  readonly graceSeconds: number;
  readonly clockJumpMs: number;
}

const policy = fc.constantFrom('Always', 'OnFailure', 'Never');

const program: fc.Arbitrary<ProgramBehaviour> = fc
  .record(
    {
      startDelayMs: fc.constantFrom(0, 5, 700),
      failToStart: fc.option(fc.constant('no such program'), { freq: 8, nil: undefined }),
      exitAfterMs: fc.option(fc.constantFrom(0, 30, 900, 20_000, 700_000), { freq: 2, nil: undefined }),
      exitCode: fc.constantFrom(0, 0, 1, 42),
      sweepMs: fc.constantFrom(0, 0, 400),
      reaction: fc.constantFrom('default', 'ignore', 'slow'),
    },
    { requiredKeys: ['exitCode', 'reaction'] },
  )
  .map(({ reaction, failToStart, exitAfterMs, ...rest }) => ({
    ...rest,
    ...(failToStart === undefined ? {} : { failToStart }),
    ...(exitAfterMs === undefined ? {} : { exitAfterMs }),
    ...(reaction === 'default'
      ? {}
      : { onSignal: () => (reaction === 'ignore' ? 'ignore' : { exitAfterMs: 1500, exitCode: 0 }) }),
  }));

const world: fc.Arbitrary<World> = fc
  .record({
    restartPolicy: policy,
    initKinds: fc.array(fc.constantFrom('init', 'sidecar'), { maxLength: 3 }),
    regular: fc.integer({ min: 1, max: 3 }),
    programs: fc.array(fc.array(program, { minLength: 1, maxLength: 4 }), { minLength: 6, maxLength: 6 }),
    endsAtMs: fc.constantFrom(0, 3, 1000, 45_000, 900_000),
    end: fc.constantFrom('delete', 'terminate', 'force'),
    graceSeconds: fc.constantFrom(0, 1, 30),
    clockJumpMs: fc.constantFrom(0, 3_600_000, -3_600_000),
    deadline: fc.option(fc.constantFrom(1, 60), { freq: 5, nil: undefined }),
  })
  .map(({ restartPolicy, initKinds, regular, programs, deadline, ...rest }) => {
    const initContainers = initKinds.map((kind, index): Container => ({
      name: `${kind}-${index}`,
      image: 'app',
      ...(kind === 'sidecar' ? { restartPolicy: 'Always' } : {}),
    }));
    const containers = Array.from({ length: regular }, (_, index): Container => ({ name: `c-${index}`, image: 'app' }));
    const names = [...initContainers, ...containers].map(({ name }) => name);
    return {
      ...rest,
      spec: {
        restartPolicy,
        initContainers,
        containers,
        terminationGracePeriodSeconds: 10,
        ...(deadline === undefined ? {} : { activeDeadlineSeconds: deadline }),
      },
      programs: new Map(names.map((name, index) => [name, programs[index] ?? []])),
    };
  });

async function live(setting: World): Promise<PodSimulation> {
  const pod = await new PodSimulation({
    spec: setting.spec,
    behave: (name, attempt) => {
      const programs = setting.programs.get(name) ?? [];
      return programs[Math.min(attempt, programs.length - 1)] ?? {};
    },
  }).start();
  await pod.clock.run(setting.endsAtMs);
  pod.clock.jumpWall(setting.clockJumpMs);
  if (setting.end === 'delete') pod.delete(setting.graceSeconds);
  else pod.worker.terminate({ force: setting.end === 'force' });
  await pod.clock.run(120_000);
  return pod;
}

function statusesOf(pod: PodSimulation): PodStatus[] {
  return pod.seen.flatMap(({ status }) => (status === undefined ? [] : [status]));
}

/** Calls back for every two statuses that follow each other. */
function forEachStep(pod: PodSimulation, check: (before: PodStatus, after: PodStatus) => void): void {
  const statuses = statusesOf(pod);
  for (let index = 1; index < statuses.length; index++) check(statuses[index - 1]!, statuses[index]!);
}

function holdsAlways(name: string, check: (pod: PodSimulation, setting: World) => void): void {
  it(
    name,
    async () => {
      await fc.assert(
        fc.asyncProperty(world, async (setting) => check(await live(setting), setting)),
        { numRuns: 150 },
      );
    },
    60_000,
  );
}

function must(holds: boolean, text: string): void {
  if (!holds) throw new Error(text);
}

describe('whatever happens', () => {
  holdsAlways('a Pod that is ended comes to its end, with nothing left behind', (pod) => {
    must(pod.finished, 'the worker is not finished');
    must(['Succeeded', 'Failed'].includes(pod.status.phase ?? ''), `the phase is ${pod.status.phase}`);
    must(pod.clock.alarmCount === 0, `${pod.clock.alarmCount} alarms are still set`);
    const { journal } = pod.runtime;
    const count = (what: string): number => journal.filter((entry) => entry.what === what).length;
    must(count('running') === count('exit'), 'a process is left');
  });

  holdsAlways('a terminal phase is never left, and told only when every process is gone', (pod) => {
    forEachStep(pod, (before, after) => {
      if (isTerminalPhase(before.phase)) must(after.phase === before.phase, 'phase went back');
    });
    const told = pod.seen.find(({ status }) => isTerminalPhase(status?.phase));
    const lastSwept = pod.runtime.journal.findLast(({ what }) => what === 'swept');
    must(lastSwept === undefined || (told?.atMs ?? 0) >= lastSwept.atMs, 'the end was told too early');
  });

  holdsAlways('restart counts never fall, and count starts', (pod) => {
    forEachStep(pod, (before, after) => {
      for (const list of ['initContainerStatuses', 'containerStatuses'] as const) {
        for (const status of before[list] ?? []) {
          const next = after[list]?.find(({ name }) => name === status.name);
          must((next?.restartCount ?? 0) >= status.restartCount, `${status.name} lost a restart`);
        }
      }
    });
    for (const { name } of pod.worker.pod.spec.containers) {
      const attempts = pod.runtime.journal.filter((entry) => entry.name === name && entry.what === 'start').length;
      must(pod.container(name).restartCount === Math.max(0, attempts - 1), `${name} miscounts`);
    }
  });

  holdsAlways('the time of a condition moves exactly when its status changes', (pod) => {
    forEachStep(pod, (before, after) => {
      for (const old of before.conditions ?? []) {
        const now = after.conditions?.find(({ type }) => type === old.type);
        if (now?.status === old.status) {
          must(now.lastTransitionTime === old.lastTransitionTime, `${old.type} moved without a change`);
        }
      }
    });
  });

  holdsAlways('Ready is True only when every container that serves does', (pod) => {
    for (const status of statusesOf(pod)) {
      const isReady = status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
      if (isReady)
        must(
          (status.containerStatuses ?? []).every(({ ready }) => ready),
          'Ready without its containers',
        );
    }
  });

  holdsAlways('no regular container starts before the last init container is done', (pod) => {
    const init = pod.worker.pod.spec.initContainers?.filter(({ restartPolicy }) => restartPolicy !== 'Always') ?? [];
    const { journal } = pod.runtime;
    const firstRegular = journal.findIndex(({ name, what }) => name.startsWith('c-') && what === 'start');
    if (firstRegular < 0) return;
    for (const { name } of init) {
      const lastExit = journal.findLastIndex((entry) => entry.name === name && entry.what === 'exit');
      must(lastExit >= 0 && lastExit < firstRegular, `${name} was not done`);
    }
  });

  holdsAlways('a sidecar is not signalled while a main container runs, unless its grace is used up', (pod, setting) => {
    if (setting.end === 'force') return;
    const { journal } = pod.runtime;
    for (const entry of journal) {
      if (entry.what !== 'signal' || !entry.name.startsWith('sidecar')) continue;
      const before = journal.slice(0, journal.indexOf(entry));
      const running = new Set<string>();
      for (const { name, what } of before) {
        if (!name.startsWith('c-')) continue;
        if (what === 'running') running.add(name);
        if (what === 'exit') running.delete(name);
      }
      const killing = pod.seen.find(({ event }) => event?.message === `Stopping container ${entry.name}`);
      const waitedMs = entry.atMs - (killing?.atMs ?? 0);
      const graceMs = 1000 * (setting.end === 'delete' ? Math.max(1, Math.min(10, setting.graceSeconds)) : 10);
      must(running.size === 0 || waitedMs >= graceMs, `${entry.name} was signalled too early`);
    }
  });

  holdsAlways('a container is never started again sooner than its back-off allows', (pod) => {
    for (const { name } of pod.worker.pod.spec.containers) {
      const journal = pod.runtime.journal.filter((entry) => entry.name === name);
      const ends = journal.filter(({ what }) => what === 'exit' || what === 'failedToStart').map(({ atMs }) => atMs);
      const starts = journal.filter(({ what }) => what === 'start').map(({ atMs }) => atMs);
      // The first restart is immediate; from then on at least 10 s, unless the container ran for ten minutes.
      for (let index = 2; index < starts.length; index++) {
        const ranMs = (ends[index - 1] ?? 0) - (starts[index - 1] ?? 0);
        const waitedMs = (starts[index] ?? 0) - (ends[index - 1] ?? 0);
        must(ranMs > 600_000 || waitedMs >= 10_000, `${name} waited ${waitedMs} ms only`);
      }
    }
  });
});
