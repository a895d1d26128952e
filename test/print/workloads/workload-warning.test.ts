import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../src/api/base/objects.ts';
import type { Workload } from '../../../src/api/workloads/stored-workloads.ts';
import { whyPodsAreMissing, workloadWarning } from '../../../src/print/workloads/workload-warning.ts';
import { condition, workload } from '../../controllers/goals/roots.ts';
import { at, NOW_MS } from '../pods.ts';

const REFUSED = 'Error creating: pods "web-x" is forbidden: exceeded quota: q';
const event = (reason: string, message: string, seconds = 0, type = 'Warning'): StoredEvent =>
  ({ type, reason, message, firstTimestamp: at(seconds), lastTimestamp: at(seconds) }) as StoredEvent;
const refused = event('FailedCreate', REFUSED);
const failing = { conditions: [{ ...condition('ReplicaFailure', 'FailedCreate'), message: 'exceeded quota' }] };

describe('the line about a Warning of a controller', () => {
  it.each<[string, Workload, StoredEvent, string | undefined]>([
    ['a Job that may have no Pods', workload('Job'), refused, `job/web FailedCreate: ${REFUSED}`],
    ['a missed run', workload('CronJob'), event('MissSchedule', 'late'), 'cronjob/web MissSchedule: late'],
    ['a ReplicaSet, which has a condition', workload('ReplicaSet'), refused, undefined],
    [
      'a Job that has failed, which has a line',
      workload('Job', { conditions: [condition('Failed', 'BackoffLimitExceeded')] }),
      event('BackoffLimitExceeded', 'Job has reached the specified backoff limit'),
      undefined,
    ],
    ['no Warning', workload('Job'), event('Completed', 'Job completed', 0, 'Normal'), undefined],
  ])('%s', (_, about, warning, expected) => {
    const line = workloadWarning(warning, about, NOW_MS);
    expect(line && `${line.subject} ${line.text}: ${line.why}`).toBe(expected);
  });
});

describe('the reason why Pods are missing', () => {
  it.each<[string, Workload, StoredEvent[], string | undefined]>([
    ['the condition of a Deployment', workload('Deployment', failing), [], 'FailedCreate: exceeded quota'],
    ['the last Event of a StatefulSet', workload('StatefulSet'), [refused], `FailedCreate: ${REFUSED}`],
    ['none, after a success', workload('Job'), [refused, event('SuccessfulCreate', '', 1, 'Normal')], undefined],
    ['none without Events', workload('Job'), [], undefined],
  ])('%s', (_, object, events, expected) => {
    expect(whyPodsAreMissing({ object }, () => events)).toBe(expected);
  });
});
