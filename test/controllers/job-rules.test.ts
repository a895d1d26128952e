import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PodFailurePolicyRule, PodStatus, SuccessPolicyRule } from '../../src/api/generated/types.ts';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { failureVerdict, finishedAtMs } from '../../src/controllers/job/failures.ts';
import { IndexSet } from '../../src/controllers/job/indexes.ts';
import { endOf } from '../../src/controllers/job/job-end.ts';
import { viewJob } from '../../src/controllers/job/job-view.ts';
import type { StoredJob } from '../../src/controllers/base/reconcile.ts';
import { newJob } from './manifests.ts';

describe('indexes', () => {
  it.each([
    [[], ''],
    [[3], '3'],
    [[3, 4], '3,4'],
    [[3, 4, 5], '3-5'],
    [[0, 2, 3, 4, 7, 8], '0,2-4,7,8'],
  ])('%j are %j', (indexes, text) => {
    expect(String(IndexSet.parse('', 9).with(indexes))).toBe(text);
  });

  it('are the same when they are read again, but for those beyond the completions', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(30)), fc.integer({ min: 1, max: 31 }), (indexes, completions) => {
        const kept = indexes.filter((index) => index < completions);
        const read = IndexSet.parse(String(IndexSet.parse('', 0).with(indexes)), completions);
        const all = Array.from({ length: completions + 1 }, (_, index) => index);
        expect(all.filter((index) => read.has(index))).toEqual(kept.toSorted((a, b) => a - b));
        expect(read.size).toBe(kept.length);
        expect(all.map((index) => read.firstWithout(index))).toEqual(
          all.map((from) => all.find((index) => index >= from && !kept.includes(index)) ?? completions),
        );
      }),
    );
  });

  it('of an intersection are in both sets', () => {
    const indexes = fc.uniqueArray(fc.nat(30));
    fc.assert(
      fc.property(indexes, indexes, (one, other) => {
        const none = IndexSet.parse('', 0);
        const both = one.filter((index) => other.includes(index)).length;
        expect(none.with(one).countIn(none.with(other))).toBe(both);
      }),
    );
  });

  it('take no more time when they are a thousand million', () => {
    const most = 1_000_000_000;
    const all = IndexSet.parse(`0-${most - 2}`, most);
    expect([all.size, all.firstWithout(0), String(all.with([most - 1]))]).toEqual([
      most - 1,
      most - 1,
      `0-${most - 1}`,
    ]);
    expect(all.countIn(IndexSet.parse('5-999999999', most))).toBe(most - 6);
    const spec = { completions: most, parallelism: 3, completionMode: 'Indexed' as const };
    const rules = [{ succeededIndexes: `0-${most - 1}` }];
    const job = { ...newJob({ ...spec, successPolicy: { rules } }), status: { completedIndexes: `0-${most - 2}` } };
    const view = viewJob(job as unknown as StoredJob, []);
    expect([view.succeeded, endOf(view, 0)]).toEqual([most - 1, undefined]);
  });
});

function failedPod(status: PodStatus): StoredPod {
  const metadata = { name: 'pi-x', namespace: 'default', uid: 'p', resourceVersion: '1', creationTimestamp: '' };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [] }, status: { phase: 'Failed', ...status } };
}

const ended = (name: string, exitCode: number): NonNullable<PodStatus['containerStatuses']>[number] => ({
  name,
  state: { terminated: { exitCode } },
  restartCount: 0,
  image: '',
  imageID: '',
  ready: false,
});

const onCode = (
  action: PodFailurePolicyRule['action'],
  operator: 'In' | 'NotIn',
  values: number[],
  containerName?: string,
): PodFailurePolicyRule => ({ action, onExitCodes: { operator, values, ...(containerName && { containerName }) } });

describe('a failure policy', () => {
  const main = failedPod({
    containerStatuses: [ended('main', 42), ended('proxy', 0)],
    initContainerStatuses: [ended('init', 7)],
  });

  it.each<[string, PodFailurePolicyRule[], PodFailurePolicyRule['action'] | undefined]>([
    ['the first rule that matches decides', [onCode('Ignore', 'In', [42]), onCode('FailJob', 'In', [42])], 'Ignore'],
    ['a code of no rule matches nothing', [onCode('FailJob', 'In', [1])], undefined],
    ['NotIn means other codes', [onCode('Count', 'NotIn', [1])], 'Count'],
    ['0 is no failure', [onCode('Ignore', 'NotIn', [7, 42])], undefined],
    ['init containers count', [onCode('FailIndex', 'In', [7])], 'FailIndex'],
    ['another container does not count', [onCode('FailJob', 'In', [42], 'proxy')], undefined],
  ])('%s', (_, rules, action) => {
    expect(failureVerdict({ rules }, main).action).toBe(action);
  });

  it('names the container, its code and the rule', () => {
    const rules = [onCode('Ignore', 'In', [1]), onCode('FailJob', 'In', [42])];
    expect(failureVerdict({ rules }, main).failure).toEqual({
      reason: 'PodFailurePolicy',
      message: 'Container main for pod default/pi-x failed with exit code 42 matching FailJob rule at index 1',
    });
  });

  it('looks at conditions', () => {
    const pod = failedPod({ conditions: [{ type: 'DisruptionTarget', status: 'True' }] });
    const rules: PodFailurePolicyRule[] = [{ action: 'FailJob', onPodConditions: [{ type: 'DisruptionTarget' }] }];
    expect(failureVerdict({ rules }, pod).failure?.message).toBe(
      'Pod default/pi-x has condition DisruptionTarget matching FailJob rule at index 0',
    );
    expect(failureVerdict({ rules }, failedPod({})).action).toBeUndefined();
  });
});

describe('the end of a failed Pod', () => {
  const lastTransitionTime = '2026-11-23T10:00:05Z';
  const notReady = { type: 'Ready', status: 'False', lastTransitionTime } as const;
  const at = (finishedAt: string): object => ({ state: { terminated: { exitCode: 1, finishedAt } } });

  it.each<[string, object[], string]>([
    ['the end of its last container', [at('2026-11-23T10:00:01Z'), at('2026-11-23T10:00:03Z')], '2026-11-23T10:00:03Z'],
    ['while one runs, when it was no longer ready', [at('2026-11-23T10:00:01Z'), { state: {} }], lastTransitionTime],
  ])('is %s', (_, containers, time) => {
    const containerStatuses = containers.map((status) => ({ ...ended('main', 1), ...status }));
    expect(finishedAtMs(failedPod({ containerStatuses, conditions: [notReady] }))).toBe(Date.parse(time));
  });
});

describe('restarts in place', () => {
  it.each<['Never' | 'OnFailure', string | undefined]>([
    ['OnFailure', 'BackoffLimitExceeded'],
    // A sidecar restarts also in such a Pod.
    ['Never', undefined],
  ])('of a Pod that restarts %s', (restartPolicy, reason) => {
    const job = newJob({
      backoffLimit: 3,
      template: { spec: { restartPolicy, containers: [] } },
    }) as unknown as StoredJob;
    const sidecar = { ...ended('logs', 1), restartCount: 3 };
    const pod = failedPod({ phase: 'Running', initContainerStatuses: [sidecar] });
    expect(endOf(viewJob(job, [pod]), 0)?.reason).toBe(reason);
  });
});

describe('a Pod that is being deleted', () => {
  const finalizers = ['batch.kubernetes.io/job-tracking'];
  const rules = [onCode('Count', 'In', [1])];
  it.each<[string, object, PodStatus['phase'], number]>([
    ['has failed', { podReplacementPolicy: 'TerminatingOrFailed' }, 'Running', 1],
    ['has not failed when it succeeds', { podReplacementPolicy: 'TerminatingOrFailed' }, 'Succeeded', 0],
    ['has not failed before its end', { podReplacementPolicy: 'Failed' }, 'Running', 0],
    ['has not failed before its end with a failure policy', { podFailurePolicy: { rules } }, 'Running', 0],
    ['has failed at its end', { podReplacementPolicy: 'Failed' }, 'Failed', 1],
  ])('%s: %j', (_, spec, phase, failed) => {
    const pod = failedPod({ phase });
    const metadata = { ...pod.metadata, finalizers, deletionTimestamp: '2026-11-23T10:00:00Z' };
    expect(viewJob(newJob(spec) as unknown as StoredJob, [{ ...pod, metadata }]).failed).toBe(failed);
  });
});

describe('a Pod whose uid is written down, and that still has its finalizer', () => {
  it.each(['Succeeded', 'Failed'] as const)('counts once: %s', (phase) => {
    const pod = failedPod({ phase });
    const metadata = { ...pod.metadata, finalizers: ['batch.kubernetes.io/job-tracking'] };
    const uncountedTerminatedPods = { [phase.toLowerCase()]: [metadata.uid] };
    const job = { ...newJob({}), status: { uncountedTerminatedPods } } as unknown as StoredJob;
    const { succeeded, failed } = viewJob(job, [{ ...pod, metadata }]);
    expect([succeeded, failed]).toEqual(phase === 'Succeeded' ? [1, 0] : [0, 1]);
  });
});

describe('a success policy', () => {
  it.each<[SuccessPolicyRule[], string, string | undefined]>([
    [[{ succeededIndexes: '0' }], '0,3', 'Matched rules at index 0'],
    [[{ succeededIndexes: '0,1' }], '0,3', undefined],
    [[{ succeededIndexes: '0-2', succeededCount: 2 }], '1,2', 'Matched rules at index 0'],
    [[{ succeededIndexes: '0-2', succeededCount: 2 }], '1,3', undefined],
    [[{ succeededIndexes: '4' }, { succeededCount: 2 }], '1,3', 'Matched rules at index 1'],
  ])('%j with %s succeeded', (rules, completedIndexes, message) => {
    const job = newJob({ completionMode: 'Indexed', completions: 5, successPolicy: { rules } });
    const view = viewJob({ ...job, status: { completedIndexes } } as unknown as StoredJob, []);
    expect(endOf(view, 0)?.message).toBe(message);
  });
});
