import * as fc from 'fast-check';
import { type Draft, isRejected, maybe } from './arbitrary-happening.ts';
import type { PodProgram } from './workload-scenario.ts';

/** A program that ends, mostly well. With restartPolicy OnFailure it ends well at some time. */
const task: fc.Arbitrary<PodProgram> = fc.record({
  isRejected,
  startDelayMs: fc.nat(500),
  exitAfterMs: fc.nat(4000),
  exitCode: fc.constantFrom(0, 0, 0, 1),
  stopsAfterMs: fc.nat(2000),
});
const longTask: fc.Arbitrary<PodProgram> = task.chain((short) =>
  fc.constantFrom(1000, 30_000, 90_000).map((exitAfterMs) => ({ ...short, exitAfterMs })),
);

const restartPolicy = fc.constantFrom('Never', 'Never', 'OnFailure');
const podTemplate = (policy: string): object => ({
  spec: { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: policy, terminationGracePeriodSeconds: 2 },
});

const jobFields = fc.record({
  parallelism: fc.integer({ min: 1, max: 4 }),
  completions: maybe(fc.integer({ min: 1, max: 5 })),
  completionMode: fc.constantFrom(undefined, undefined, 'Indexed'),
  backoffLimit: fc.nat(3),
  backoffLimitPerIndex: maybe(fc.nat(1)),
  podReplacementPolicy: fc.constantFrom(undefined, 'Failed', 'TerminatingOrFailed'),
  activeDeadlineSeconds: fc.constantFrom(undefined, undefined, undefined, 4),
  ttlSecondsAfterFinished: fc.constantFrom(undefined, undefined, undefined, 0, 5),
  restartPolicy,
  failureAction: fc.constantFrom(undefined, undefined, 'FailJob', 'FailIndex', 'Count'),
  maxFailedIndexes: maybe(fc.nat(1)),
  successPolicy: maybe(fc.constantFrom({ succeededCount: 1 }, { succeededIndexes: '0' })),
});

export const arbitraryJob: Draft = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  spec: jobFields.map(({ restartPolicy: policy, completions, backoffLimitPerIndex, ...fields }) => {
    const { failureAction: action, maxFailedIndexes, successPolicy, ...spec } = fields;
    const isIndexed = spec.completionMode === 'Indexed';
    const isPerIndex = isIndexed && policy === 'Never' && backoffLimitPerIndex !== undefined;
    const mayAct = action !== undefined && policy === 'Never' && (action !== 'FailIndex' || isPerIndex);
    const onExitCodes = { operator: 'In', values: [1] };
    return {
      ...spec,
      completions: isIndexed ? (completions ?? 3) : completions,
      ...(isIndexed && successPolicy && { successPolicy: { rules: [successPolicy] } }),
      ...(isPerIndex && { backoffLimitPerIndex, maxFailedIndexes }),
      ...(mayAct && {
        podFailurePolicy: { rules: [{ action, onExitCodes }] },
        podReplacementPolicy: 'Failed',
      }),
      template: podTemplate(policy),
    };
  }),
  changes: [
    { weight: 1, arbitrary: fc.nat(4).map((parallelism) => ({ parallelism })) },
    { weight: 1, arbitrary: fc.boolean().map((suspend) => ({ suspend })) },
  ],
  programs: fc.array(task, { minLength: 1, maxLength: 6 }),
  deletes: ['Pod'],
  restsWith: { suspend: false, parallelism: 2 },
};

export const arbitraryCronJob: Draft = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  spec: fc
    .record({
      concurrencyPolicy: fc.constantFrom('Allow', 'Forbid', 'Replace'),
      startingDeadlineSeconds: fc.constantFrom(undefined, undefined, 10, 100),
      successfulJobsHistoryLimit: fc.constantFrom(undefined, 0, 1),
      failedJobsHistoryLimit: fc.constantFrom(undefined, 0, 2),
      restartPolicy,
    })
    .map(({ restartPolicy: policy, ...spec }) => ({
      schedule: '* * * * *',
      ...spec,
      jobTemplate: { spec: { backoffLimit: 1, template: podTemplate(policy) } },
    })),
  changes: [
    { weight: 1, arbitrary: fc.boolean().map((suspend) => ({ suspend })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('Allow', 'Forbid', 'Replace').map((concurrencyPolicy) => ({ concurrencyPolicy })),
    },
  ],
  programs: fc.array(longTask, { minLength: 1, maxLength: 4 }),
  deletes: ['Pod', 'Job'],
  restsWith: { suspend: true },
  pauseMs: 90_000,
};
