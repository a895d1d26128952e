import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import type { Workload } from '../../../src/api/workloads/stored-workloads.ts';
import { workloadTransitions } from '../../../src/print/workloads/workload-transitions.ts';
import { condition, workload } from '../../controllers/goals/roots.ts';
import { at, container, ended, NOW_MS, webPod } from '../pods.ts';

type Step = readonly [what: string, before: Workload | undefined, after: Workload | undefined, lines: string[]];

const SIGNS = { good: '✓', bad: '✗', info: '›', muted: '·' };

function linesOf(before: Workload | undefined, after: Workload | undefined, pods: readonly StoredPod[] = []): string[] {
  const moment = { atMs: NOW_MS, pods, timeZone: () => 'UTC' };
  return workloadTransitions(before, after, moment).map(({ subject, text, why, tone }) => {
    return `${SIGNS[tone]} ${subject}  ${text}${why === undefined ? '' : `: ${why}`}`;
  });
}

const REVISION = 'deployment.kubernetes.io/revision';
const FULL = { replicas: 3, readyReplicas: 3, updatedReplicas: 3 };
const template = (value: string, image = 'busybox:1'): object => ({
  spec: { containers: [container('main', { image, env: [{ name: 'VERSION', value }] })] },
});
const deployment = (status: object = {}, spec: object = {}, revision = '1'): Workload =>
  workload(
    'Deployment',
    { ...status },
    { template: template('1'), ...spec },
    { annotations: { [REVISION]: revision } },
  );
const changed = (spec: object, generation = 3): Workload =>
  workload('Deployment', FULL, { template: template('1'), ...spec }, { generation, annotations: { [REVISION]: '1' } });
const LATE = { conditions: [condition('Progressing', 'ProgressDeadlineExceeded', 'False')] };
const failedPod = webPod({ status: { phase: 'Failed', containerStatuses: [ended('main', 3)] } });

describe('transitions of workloads', () => {
  it.each<Step>([
    ['a new Deployment', undefined, deployment(), ['· deployment/web  0/3 ready, rolling out revision 1']],
    [
      'one that is taken up again',
      undefined,
      deployment(FULL, {}, '4'),
      ['· deployment/web  0/3 ready, rolling out revision 4'],
    ],
    [
      'one that has changed meanwhile',
      undefined,
      changed({ replicas: 5 }),
      ['· deployment/web  0/5 ready, rolling out'],
    ],
    ['a paused one', undefined, deployment({}, { paused: true }), ['· deployment/web  0/3 ready, paused']],
    ['no change', deployment(), deployment(), []],
    ['a part of its Pods is Ready', deployment(), deployment({ ...FULL, readyReplicas: 2 }), []],
    ['all Pods are Ready', deployment(), deployment(FULL), ['✓ deployment/web  3/3 ready']],
    [
      'a later revision exists',
      deployment({ ...FULL, updatedReplicas: 2 }, {}, '2'),
      deployment(FULL, {}, '2'),
      ['✓ deployment/web  revision 2: 3/3 ready'],
    ],
    [
      'a Pod is not Ready any more',
      deployment(FULL),
      deployment({ ...FULL, readyReplicas: 2 }),
      ['› deployment/web  2/3 ready'],
    ],
    [
      'another Pod is not Ready any more',
      deployment({ ...FULL, readyReplicas: 2 }),
      deployment({ ...FULL, readyReplicas: 1 }),
      ['› deployment/web  1/3 ready'],
    ],
    [
      'a rollout has ended a Ready Pod',
      deployment({ ...FULL, replicas: 4, updatedReplicas: 2, readyReplicas: 3 }),
      deployment({ ...FULL, updatedReplicas: 2, readyReplicas: 2 }),
      [],
    ],
    [
      'another template',
      deployment(FULL),
      changed({ template: template('2', 'busybox:2') }),
      ['· deployment/web  rolling out revision 2 (image busybox:2, env VERSION)'],
    ],
    ['another size', deployment(FULL), changed({ replicas: 5 }), ['· deployment/web  scaled from 3 to 5']],
    ['a pause', deployment(FULL), changed({ paused: true }), ['› deployment/web  paused']],
    [
      'a missed deadline',
      deployment({ replicas: 3, readyReplicas: 1 }, { progressDeadlineSeconds: 10 }),
      deployment({ replicas: 3, readyReplicas: 1, updatedReplicas: 3, ...LATE }, { progressDeadlineSeconds: 10 }),
      ['✗ deployment/web  ProgressDeadlineExceeded: 1/3 ready, no progress for 10s'],
    ],
    [
      'Pods that cannot be created',
      workload('ReplicaSet'),
      workload('ReplicaSet', { conditions: [condition('ReplicaFailure', 'FailedCreate')] }),
      ['✗ replicaset/web  FailedCreate: a message'],
    ],
    ['a StatefulSet', undefined, workload('StatefulSet'), ['· statefulset/web  0/3 ready']],
    [
      'all Pods of a StatefulSet',
      workload('StatefulSet'),
      workload('StatefulSet', FULL),
      ['✓ statefulset/web  3/3 ready'],
    ],
    [
      'its deletion',
      workload('StatefulSet'),
      workload('StatefulSet', {}, {}, { deletionTimestamp: at(0) }),
      ['› statefulset/web  Terminating'],
    ],
    ['its removal', workload('StatefulSet'), undefined, ['· statefulset/web  deleted']],
    ['a DaemonSet', undefined, workload('DaemonSet'), ['· daemonset/web  rolling out']],
    ['a new Job', undefined, workload('Job'), ['· job/web  0/5 complete']],
    ['a suspended Job', undefined, workload('Job', {}, { suspend: true }), ['· job/web  suspended']],
    ['a Pod that succeeded', workload('Job'), workload('Job', { succeeded: 1 }), ['· job/web  1/5 complete']],
    [
      'one of very many',
      workload('Job', { succeeded: 100 }, { completions: 1000 }),
      workload('Job', { succeeded: 101 }, { completions: 1000 }),
      [],
    ],
    [
      'a Pod that failed',
      workload('Job', { succeeded: 1 }),
      workload('Job', { succeeded: 1, failed: 1 }),
      ['› job/web  1/5 complete, 1 failed'],
    ],
    [
      'the end of a Job',
      workload('Job', { succeeded: 4 }),
      workload('Job', {
        succeeded: 5,
        conditions: [condition('Complete')],
        startTime: at(-2.3),
        completionTime: at(0),
      }),
      ['✓ job/web  Complete, 5/5 in 2.3s'],
    ],
    [
      'what is written after the end',
      workload('Job', { conditions: [condition('Complete')] }),
      workload('Job', { conditions: [condition('Complete')], succeeded: 5 }),
      [],
    ],
    [
      'a CronJob',
      undefined,
      workload('CronJob', {}, { schedule: '5 * * * *' }),
      ['· cronjob/web  next run at 12:05:00'],
    ],
    [
      'a run of a CronJob',
      workload('CronJob', {}, { schedule: '5 9 * * *', timeZone: 'Asia/Tokyo' }),
      workload('CronJob', { lastScheduleTime: at(0) }, { schedule: '5 9 * * *', timeZone: 'Asia/Tokyo' }),
      ['· cronjob/web  next run at 2026-01-16 09:05:00 Asia/Tokyo'],
    ],
    [
      'a CronJob that was not looked after for a while',
      undefined,
      workload('CronJob', { lastScheduleTime: at(-3605) }, { schedule: '@every 10s' }),
      ['· cronjob/web  next run at 12:00:05'],
    ],
  ])('%s', (_, before, after, lines) => {
    expect(linesOf(before, after)).toEqual(lines);
  });

  it('names the reason and the last exit code of a Job that failed', () => {
    const failed = workload('Job', { failed: 2, conditions: [condition('Failed', 'BackoffLimitExceeded')] });
    expect(linesOf(workload('Job'), failed, [failedPod])).toEqual([
      '✗ job/web  Failed: BackoffLimitExceeded, 2 Pods failed (last: exit code 3)',
    ]);
  });
});
