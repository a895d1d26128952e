import { describe, expect, it } from 'vitest';
import type { CronJobSpec, CronJobStatus } from '../../src/api/generated/types.ts';
import { at, START_MS, templateOf } from './manifests.ts';
import { type Behaviour, SimulatedNode } from './simulated-node.ts';
import { World } from './world.ts';

const MINUTE_MS = 60_000;

function schedule(
  spec: Partial<CronJobSpec>,
  behaviour: Behaviour,
): { readonly world: World; readonly node: SimulatedNode } {
  const world = new World(START_MS);
  const jobTemplate = { metadata: { labels: { from: 'cron' } }, spec: { template: templateOf('1') } };
  const limits = { successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 };
  const shared = { schedule: '* * * * *', concurrencyPolicy: 'Allow' as const, suspend: false, jobTemplate, ...limits };
  const metadata = { name: 'tick', namespace: 'default' };
  world.create({ apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec: { ...shared, ...spec } }, 'tick');
  return { world, node: new SimulatedNode(world, () => behaviour) };
}

const QUICK: Behaviour = { readyAfterMs: 100, runsForMs: 1000, exitCode: 0 };
const FOREVER: Behaviour = { readyAfterMs: 100 };

const statusOf = (world: World): CronJobStatus => world.find('CronJob', 'tick')['status'] as CronJobStatus;
const jobNames = (world: World): string[] => world.list('Job').map(({ metadata }) => metadata.name);
const reasonsOf = (world: World): string[] =>
  world.events.filter(({ component }) => component === 'cronjob-controller').map(({ reason }) => reason);
const minute = (number: number): string => `tick-${START_MS / MINUTE_MS + number}`;

describe('a CronJob', () => {
  it('makes one Job for each minute, and keeps the last three', () => {
    const { world, node } = schedule({}, QUICK);
    node.run(5.5 * MINUTE_MS);
    expect(jobNames(world)).toEqual([minute(3), minute(4), minute(5)]);
    expect(statusOf(world)).toMatchObject({ lastScheduleTime: at(300) });
    expect(statusOf(world).active).toBeUndefined();
    expect(reasonsOf(world).filter((reason) => reason === 'SuccessfulDelete')).toHaveLength(2);
  });

  it('forgets times it has missed, but the latest', () => {
    const { world, node } = schedule({ suspend: true }, QUICK);
    node.run(3 * 60 * MINUTE_MS);
    expect(jobNames(world)).toEqual([]);
    world.update('tick', { spec: { suspend: false } });
    node.run(10_000);
    expect(jobNames(world)).toEqual([minute(180)]);
    expect(reasonsOf(world)).toContain('TooManyMissedTimes');
  });

  it('starts nothing when its times are followed by a long pause', () => {
    const { world, node } = schedule({ suspend: true, schedule: '*/5 12 * * *' }, QUICK);
    node.run(9 * 60 * MINUTE_MS);
    world.update('tick', { spec: { suspend: false } });
    node.run(MINUTE_MS);
    expect(jobNames(world)).toEqual([]);
    node.run(16 * 60 * MINUTE_MS);
    expect(jobNames(world)).toHaveLength(3);
  });

  it('makes no Job that is later than its deadline', () => {
    const { world, node } = schedule({ suspend: true, schedule: '0 * * * *', startingDeadlineSeconds: 30 }, QUICK);
    node.run(61 * MINUTE_MS);
    world.update('tick', { spec: { suspend: false } });
    node.run(MINUTE_MS);
    expect(jobNames(world)).toEqual([]);
  });

  it('with Forbid makes the Job late, when the other has ended', () => {
    const { world, node } = schedule({ concurrencyPolicy: 'Forbid' }, { ...QUICK, runsForMs: 90_000 });
    node.run(2.8 * MINUTE_MS);
    expect(jobNames(world)).toEqual([minute(1), minute(2)]);
    expect(statusOf(world).active).toMatchObject([{ name: minute(2) }]);
    expect(reasonsOf(world)).toContain('JobAlreadyActive');
  });

  it('with Replace deletes what runs', () => {
    const { world, node } = schedule({ concurrencyPolicy: 'Replace' }, FOREVER);
    node.run(2.5 * MINUTE_MS);
    expect(jobNames(world)).toEqual([minute(2)]);
    expect(statusOf(world).active).toMatchObject([{ name: minute(2), uid: world.list('Job')[0]?.metadata.uid }]);
    expect(reasonsOf(world)).toEqual(['SuccessfulCreate', 'SuccessfulDelete', 'SuccessfulCreate']);
  });

  it('reports a Job that a user created', () => {
    const { world, node } = schedule({ suspend: true }, FOREVER);
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'tick', uid: 'tick', controller: true };
    const metadata = { name: 'manual', namespace: 'default', ownerReferences: [owner] };
    world.create({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template: templateOf('1') } });
    node.run(1000);
    expect(new Set(reasonsOf(world))).toEqual(new Set(['UnexpectedJob']));
    expect(statusOf(world).active).toBeUndefined();
  });

  it('writes the time of a Job in its own time zone', () => {
    const { world, node } = schedule({ timeZone: 'Asia/Kolkata', schedule: '31 17 * * *' }, QUICK);
    node.run(2 * MINUTE_MS);
    expect(world.list('Job')[0]?.metadata).toMatchObject({
      labels: { from: 'cron' },
      annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-15T17:31:00+05:30' },
    });
  });

  it('runs @every once a minute at most: its Jobs are named by the minute', () => {
    const { world, node } = schedule({ schedule: '@every 10s' }, QUICK);
    node.run(59_000);
    expect(jobNames(world)).toEqual([minute(0)]);
  });

  it('tells of a schedule and of a time zone that it does not understand', () => {
    const bad = schedule({ schedule: '61 * * * *' }, QUICK);
    bad.node.run(1000);
    expect(reasonsOf(bad.world)).toEqual(['UnparseableSchedule']);
    const nowhere = schedule({ timeZone: 'Europe/Atlantis' }, QUICK);
    nowhere.node.run(1000);
    expect(nowhere.world.events[0]).toMatchObject({
      reason: 'UnknownTimeZone',
      message: 'invalid timeZone: "Europe/Atlantis": unknown time zone Europe/Atlantis',
    });
  });
});
