import type { Container, EnvVar, PodTemplateSpec, StoredPod } from '../../api/index.ts';
import { generatedName, podPrefix } from '../base/names.ts';
import { type NewPod, podFromTemplate } from '../base/pod-from-template.ts';
import type { StoredJob } from '../base/reconcile.ts';
import { countsAsFailure } from './failure-policy.ts';
import {
  FAILURE_COUNT_KEY,
  failureCountOf,
  IGNORED_COUNT_KEY,
  ignoredCountOf,
  INDEX_KEY,
  isIndexed,
  JOB_FINALIZER,
} from './job-pods.ts';

const INDEX_VARIABLE: EnvVar = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX_KEY}']` } },
};

/**
 * A Pod of the Job, with the finalizer that keeps it until it is counted. One of an Indexed Job also has its index as
 * label, annotation, host name and variable. Source: pkg/controller/job/job_controller.go manageJob,
 * indexed_job_utils.go addCompletionIndexEnvVariables.
 * @param index undefined: the Job is not Indexed
 * @param replaced the failed Pod of this index whose failures the new one carries on
 */
export function newJobPod(
  job: StoredJob,
  suffix: string,
  index: number | undefined,
  replaced: StoredPod | undefined,
): NewPod {
  const prefix = podPrefix(index === undefined ? job.metadata.name : `${job.metadata.name}-${index}`);
  const template = index === undefined ? job.spec.template : indexedTemplate(job, index, replaced);
  const pod = podFromTemplate(job, template, { name: generatedName(prefix, suffix), generateName: prefix });
  const finalizers = [...(pod.metadata.finalizers ?? []), JOB_FINALIZER];
  return { ...pod, metadata: { ...pod.metadata, finalizers } };
}

function indexedTemplate(job: StoredJob, index: number, replaced: StoredPod | undefined): PodTemplateSpec {
  const { metadata, spec = { containers: [] } } = job.spec.template;
  const own = { [INDEX_KEY]: String(index) };
  const { initContainers } = spec;
  return {
    metadata: {
      ...metadata,
      labels: { ...metadata?.labels, ...own },
      annotations: { ...metadata?.annotations, ...own, ...failureCounts(job, replaced) },
    },
    spec: {
      ...spec,
      hostname: `${job.metadata.name}-${index}`,
      containers: spec.containers.map(withIndexVariable),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withIndexVariable) }),
    },
  };
}

function withIndexVariable(container: Container): Container {
  const { env = [] } = container;
  return env.some(({ name }) => name === INDEX_VARIABLE.name)
    ? container
    : { ...container, env: [...env, INDEX_VARIABLE] };
}

/** Source: indexed_job_utils.go getNewIndexFailureCounts. */
function failureCounts(job: StoredJob, replaced: StoredPod | undefined): Record<string, string> {
  if (!isIndexed(job) || job.spec.backoffLimitPerIndex === undefined) return {};
  if (replaced === undefined) return { [FAILURE_COUNT_KEY]: '0' };
  const counts = countsAsFailure(job.spec.podFailurePolicy, replaced);
  const ignored = ignoredCountOf(replaced) + (counts ? 0 : 1);
  return {
    [FAILURE_COUNT_KEY]: String(failureCountOf(replaced) + (counts ? 1 : 0)),
    ...(ignored === 0 ? {} : { [IGNORED_COUNT_KEY]: String(ignored) }),
  };
}
