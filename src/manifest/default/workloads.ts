import type {
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  JobSpec,
  PersistentVolumeClaim,
  PodFailurePolicy,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
  StatefulSetUpdateStrategy,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { changeFields, fillAbsent, fillZero } from './fill.ts';
import { defaultTemplate } from './pod.ts';
import { defaultClaimSpec } from './volume.ts';

const HISTORY_LIMIT = 10;
const PROGRESS_DEADLINE_SECONDS = 600;
/** The share of Pods that a rolling update may add, and the share that may be missing. */
const ROLLING_SHARE = '25%';

/** Source of all functions here: pkg/apis/apps/v1/defaults.go. */
export function defaultDeployment(deployment: Decoded<Deployment>): Decoded<Deployment> {
  const spec = fillAbsent(deployment.spec ?? {}, {
    replicas: 1,
    strategy: {},
    revisionHistoryLimit: HISTORY_LIMIT,
    progressDeadlineSeconds: PROGRESS_DEADLINE_SECONDS,
  });
  const strategy = fillZero(spec.strategy ?? {}, { type: 'RollingUpdate' });
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate = fillAbsent(strategy.rollingUpdate ?? {}, {
      maxUnavailable: ROLLING_SHARE,
      maxSurge: ROLLING_SHARE,
    });
  }
  return { ...deployment, spec: { ...spec, strategy, template: defaultTemplate(spec.template) } };
}

export function defaultReplicaSet(replicaSet: Decoded<ReplicaSet>): Decoded<ReplicaSet> {
  const spec = fillAbsent(replicaSet.spec ?? {}, { replicas: 1 });
  return { ...replicaSet, spec: { ...spec, template: defaultTemplate(spec.template) } };
}

export function defaultStatefulSet(statefulSet: Decoded<StatefulSet>): Decoded<StatefulSet> {
  const valued = fillZero(statefulSet.spec ?? {}, { podManagementPolicy: 'OrderedReady' });
  const spec = fillAbsent(valued, {
    replicas: 1,
    revisionHistoryLimit: HISTORY_LIMIT,
    updateStrategy: {},
    persistentVolumeClaimRetentionPolicy: {},
  });
  const changed = changeFields(spec, {
    updateStrategy: defaultStatefulSetStrategy,
    persistentVolumeClaimRetentionPolicy: (policy) => fillZero(policy, { whenDeleted: 'Retain', whenScaled: 'Retain' }),
    // Source: pkg/apis/apps/v1/conversion.go.
    volumeClaimTemplates: (claims) =>
      claims.map((claim) => ({ ...defaultClaim(claim), apiVersion: 'v1', kind: 'PersistentVolumeClaim' })),
  });
  return { ...statefulSet, spec: { ...changed, template: defaultTemplate(spec.template) } };
}

function defaultStatefulSetStrategy(strategy: Decoded<StatefulSetUpdateStrategy>): Decoded<StatefulSetUpdateStrategy> {
  const filled = strategy.type
    ? strategy
    : { ...strategy, type: 'RollingUpdate', rollingUpdate: strategy.rollingUpdate ?? {} };
  if (filled.type !== 'RollingUpdate') return filled;
  return changeFields(filled, { rollingUpdate: (update) => fillAbsent(update, { partition: 0 }) });
}

export function defaultDaemonSet(daemonSet: Decoded<DaemonSet>): Decoded<DaemonSet> {
  const spec = fillAbsent(daemonSet.spec ?? {}, { revisionHistoryLimit: HISTORY_LIMIT, updateStrategy: {} });
  const updateStrategy = fillZero(spec.updateStrategy ?? {}, { type: 'RollingUpdate' });
  if (updateStrategy.type === 'RollingUpdate') {
    updateStrategy.rollingUpdate = fillAbsent(updateStrategy.rollingUpdate ?? {}, { maxUnavailable: 1, maxSurge: 0 });
  }
  return { ...daemonSet, spec: { ...spec, updateStrategy, template: defaultTemplate(spec.template) } };
}

/** Source: pkg/apis/core/v1/defaults.go, SetDefaults_PersistentVolumeClaim. */
export function defaultClaim(claim: Decoded<PersistentVolumeClaim>): Decoded<PersistentVolumeClaim> {
  return { ...claim, spec: defaultClaimSpec(claim.spec ?? {}) };
}

/**
 * Defaults of a ReplicationController: selector and labels default to the labels of its Pods. Source:
 * pkg/apis/core/v1/defaults.go, SetDefaults_ReplicationController.
 */
export function defaultReplicationController(
  controller: Decoded<ReplicationController>,
): Decoded<ReplicationController> {
  const spec = fillAbsent(controller.spec ?? {}, { replicas: 1 });
  const labels = spec.template?.metadata?.labels;
  const hasSelector = Object.keys(spec.selector ?? {}).length > 0;
  const selected = hasSelector || labels === undefined ? spec : { ...spec, selector: labels };
  const filled = spec.template === undefined ? selected : { ...selected, template: defaultTemplate(spec.template) };
  return { ...controller, metadata: withLabelsOf(controller.metadata, labels), spec: filled };
}

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
  const jobTemplate = { metadata: {}, ...filled.jobTemplate, spec: defaultJobSpec(filled.jobTemplate?.spec ?? {}) };
  return { ...cronJob, spec: { ...filled, jobTemplate } };
}

/** Gives an object without labels the labels of its Pods. */
function withLabelsOf<T extends { labels?: Record<string, string | undefined> | undefined }>(
  metadata: T | undefined,
  labels: Record<string, string | undefined> | undefined,
): T {
  const own: T = metadata ?? ({} as T);
  const needsLabels = Object.keys(own.labels ?? {}).length === 0 && Object.keys(labels ?? {}).length > 0;
  return needsLabels ? { ...own, labels } : own;
}

function defaultJobSpec(spec: Decoded<JobSpec>): Decoded<JobSpec> {
  const changed = changeFields(spec, { podFailurePolicy: defaultFailurePolicy });
  return { ...changed, template: { metadata: {}, ...defaultTemplate(spec.template) } };
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
