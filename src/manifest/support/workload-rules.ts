import { checked, DROPPED, FIELD_BY_FIELD, noEffect, partly, READ_ONLY, type SupportTable, works } from './rule.ts';

const OBJECT = { ...works('apiVersion', 'kind', 'metadata'), spec: FIELD_BY_FIELD, status: READ_ONLY };
const TEMPLATE = { template: FIELD_BY_FIELD };
const NOT_EVICTED = 'nothing evicts Pods here';

/** The rules of the kinds that make Pods, and of the kinds about those Pods. */
export const WORKLOAD_RULES: SupportTable = {
  'batch.Job': OBJECT,
  'batch.JobSpec': {
    ...works('parallelism', 'completions', 'completionMode', 'activeDeadlineSeconds', 'ttlSecondsAfterFinished'),
    ...works('backoffLimit', 'backoffLimitPerIndex', 'maxFailedIndexes', 'podFailurePolicy', 'successPolicy'),
    ...works('selector', 'suspend', 'podReplacementPolicy'),
    manualSelector: { treatment: 'works', note: 'unless it is true, selector and labels are made' },
    ...TEMPLATE,
    managedBy: partly('podrun leaves a Job of another controller alone'),
    scheduling: DROPPED,
  },
  'batch.PodFailurePolicy': works('rules'),
  'batch.PodFailurePolicyRule': works('action', 'onExitCodes', 'onPodConditions'),
  'batch.PodFailurePolicyOnExitCodesRequirement': works('containerName', 'operator', 'values'),
  'batch.PodFailurePolicyOnPodConditionsPattern': works('type', 'status'),
  'batch.SuccessPolicy': works('rules'),
  'batch.SuccessPolicyRule': works('succeededIndexes', 'succeededCount'),
  'batch.CronJob': OBJECT,
  'batch.CronJobSpec': {
    ...works('schedule', 'timeZone', 'startingDeadlineSeconds', 'concurrencyPolicy', 'suspend'),
    ...works('successfulJobsHistoryLimit', 'failedJobsHistoryLimit'),
    jobTemplate: FIELD_BY_FIELD,
  },
  'batch.JobTemplateSpec': { ...works('metadata'), spec: FIELD_BY_FIELD },
  'apps.Deployment': OBJECT,
  'apps.DeploymentSpec': {
    ...works('replicas', 'selector', 'minReadySeconds', 'revisionHistoryLimit', 'paused', 'progressDeadlineSeconds'),
    ...works('strategy'),
    ...TEMPLATE,
  },
  'apps.DeploymentStrategy': works('type', 'rollingUpdate'),
  'apps.RollingUpdateDeployment': works('maxUnavailable', 'maxSurge'),
  'apps.ReplicaSet': OBJECT,
  'apps.ReplicaSetSpec': { ...works('replicas', 'minReadySeconds', 'selector'), ...TEMPLATE },
  ReplicationController: OBJECT,
  ReplicationControllerSpec: { ...works('replicas', 'minReadySeconds', 'selector'), ...TEMPLATE },
  'apps.StatefulSet': OBJECT,
  'apps.StatefulSetSpec': {
    ...works('replicas', 'selector', 'serviceName', 'podManagementPolicy', 'updateStrategy', 'ordinals'),
    ...works('minReadySeconds', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy'),
    ...TEMPLATE,
    volumeClaimTemplates: partly('a folder of the host for each claim'),
  },
  'apps.StatefulSetUpdateStrategy': works('type', 'rollingUpdate'),
  'apps.RollingUpdateStatefulSetStrategy': { ...works('partition'), maxUnavailable: DROPPED },
  'apps.StatefulSetOrdinals': works('start'),
  'apps.StatefulSetPersistentVolumeClaimRetentionPolicy': works('whenDeleted', 'whenScaled'),
  'apps.DaemonSet': OBJECT,
  'apps.DaemonSetSpec': {
    ...works('selector', 'updateStrategy', 'minReadySeconds', 'revisionHistoryLimit'),
    ...TEMPLATE,
  },
  'apps.DaemonSetUpdateStrategy': works('type', 'rollingUpdate'),
  'apps.RollingUpdateDaemonSet': works('maxUnavailable', 'maxSurge'),
  'meta.LabelSelector': works('matchLabels', 'matchExpressions'),
  'meta.LabelSelectorRequirement': works('key', 'operator', 'values'),
  PodTemplateSpec: { ...works('metadata'), spec: FIELD_BY_FIELD },
  PodTemplate: { ...works('apiVersion', 'kind', 'metadata'), template: checked('stored: no controller uses it') },
  'apps.ControllerRevision': {
    ...works('apiVersion', 'kind', 'metadata', 'revision'),
    data: { treatment: 'works', note: 'the template of a StatefulSet or DaemonSet' },
  },
  'policy.PodDisruptionBudget': { ...OBJECT, spec: noEffect(NOT_EVICTED) },
  'scheduling.PriorityClass': {
    ...works('apiVersion', 'kind', 'metadata'),
    ...works('value', 'globalDefault', 'preemptionPolicy'),
    description: checked('only shown'),
  },
  LimitRange: works('apiVersion', 'kind', 'metadata', 'spec'),
  LimitRangeSpec: works('limits'),
  LimitRangeItem: works('type', 'max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'),
  ResourceQuota: OBJECT,
  ResourceQuotaSpec: works('hard', 'scopes', 'scopeSelector'),
  ScopeSelector: works('matchExpressions'),
  ScopedResourceSelectorRequirement: works('scopeName', 'operator', 'values'),
};
