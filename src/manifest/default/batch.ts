import type { CronJob, Job, JobSpec, PodFailurePolicy } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { changeFields, fillAbsent, fillZero } from './fill.ts';
import { defaultTemplate } from './pod.ts';

const BACKOFF_LIMIT = 6;
/** The limit of the whole Job when each index has a limit: it is never reached. */
const NO_BACKOFF_LIMIT = 2 ** 31 - 1;

/** Defaults of a Job. Source: pkg/apis/batch/v1/defaults.go, SetDefaults_Job. */
export function defaultJob(job: Decoded<Job>): Decoded<Job> {
  const spec = defaultJobSpec(job.spec ?? {});
  const hasCounts = spec.completions !== undefined || spec.parallelism !== undefined;
  const filled = fillAbsent(spec, {
    completions: hasCounts ? undefined : 1,
    parallelism: 1,
    backoffLimit: spec.backoffLimitPerIndex === undefined ? BACKOFF_LIMIT : NO_BACKOFF_LIMIT,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
  });
  return { ...job, metadata: withLabelsOf(job.metadata, spec.template?.metadata?.labels), spec: filled };
}

/** Defaults of a CronJob. The Jobs that it makes get theirs later. */
export function defaultCronJob(cronJob: Decoded<CronJob>): Decoded<CronJob> {
  const valued = fillZero(cronJob.spec ?? {}, { concurrencyPolicy: 'Allow' });
  const filled = fillAbsent(valued, { suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 });
  const jobTemplate = { ...filled.jobTemplate, spec: defaultJobSpec(filled.jobTemplate?.spec ?? {}) };
  return { ...cronJob, spec: { ...filled, jobTemplate } };
}

/** Gives an object without labels the labels of its Pods. */
export function withLabelsOf<T extends { labels?: Record<string, string | undefined> | undefined }>(
  metadata: T | undefined,
  labels: Record<string, string | undefined> | undefined,
): T {
  const own: T = metadata ?? ({} as T);
  const needsLabels = Object.keys(own.labels ?? {}).length === 0 && Object.keys(labels ?? {}).length > 0;
  return needsLabels ? { ...own, labels } : own;
}

function defaultJobSpec(spec: Decoded<JobSpec>): Decoded<JobSpec> {
  const changed = changeFields(spec, { podFailurePolicy: defaultFailurePolicy });
  return { ...changed, template: defaultTemplate(spec.template) };
}

function defaultFailurePolicy(policy: Decoded<PodFailurePolicy>): Decoded<PodFailurePolicy> {
  return changeFields(policy, {
    rules: (rules) =>
      rules.map((rule) =>
        changeFields(rule, {
          onPodConditions: (patterns) => patterns.map((pattern) => fillZero(pattern, { status: 'True' })),
        }),
      ),
  });
}
