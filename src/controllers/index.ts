/** Controllers of workloads, for the loop that runs them. */
export { isWorkload, type Workload } from '../api/workloads/stored-workloads.ts';
export { reconcileWorkload, type WorkloadInput } from './controllers.ts';
export { garbageActions } from './garbage/collect.ts';
export { missedTimes } from './cron-job/missed-times.ts';
export { isLookedAt, podGoal, rootGoalState } from './goals/root-goal.ts';
export { unservedServices } from './goals/service-goal.ts';
export { defaultPropagation, finalizersAfterDelete } from './garbage/deletion.ts';
export { JOB_BACKOFF } from './job/failure-delay.ts';
export { jobExpiryMs, releaseOrphanedPods } from './job/reconcile-job.ts';
export { NAME_ALPHABET, SUFFIX_LENGTH } from './base/names.ts';
export { revisionToRestore, rolledBack } from './rollback.ts';
export { rolloutAnswer, type RolloutAnswer } from './goals/rollout-answer.ts';
export { historyResourceOf, shownTemplate, templateHistory, type TemplateRevision } from './template-history.ts';
