/** Controllers of workloads, for the loop that runs them. */
export { deleteAction, PODS_PER_SYNC } from './base/actions.ts';
export { generatedName, NAME_ALPHABET, SUFFIX_LENGTH } from './base/names.ts';
export { hasDeletionTimestamp, isControlledBy } from './base/ownership.ts';
export { isActive, isTerminating } from './base/pod-state.ts';
export type {
  ActionFailure,
  ActionTarget,
  ControllerAction,
  DeleteAction,
  NewObject,
  Owned,
  StoredClaim,
  StoredJob,
  StoredReplicaSet,
  StoredVolume,
  UpdateAction,
} from './base/reconcile.ts';
export { reconcileWorkload, type WorkloadInput } from './controllers.ts';
export { missedTimes } from './cron-job/missed-times.ts';
export { revisionsOf } from './deployment/revisions.ts';
export { garbageActions } from './garbage/collect.ts';
export {
  defaultPropagation,
  finalizersAfterDelete,
  FOREGROUND_FINALIZER,
  ORPHAN_FINALIZER,
  type PropagationPolicy,
} from './garbage/deletion.ts';
export { rolloutAnswer } from './goals/rollout-answer.ts';
export { isLookedAt, podGoal, rootGoalState } from './goals/root-goal.ts';
export { unservedServices } from './goals/service-goal.ts';
export { JOB_BACKOFF } from './job/failure-delay.ts';
export { hasJobFinalizer, withoutJobFinalizer } from './job/job-pods.ts';
export { jobExpiryMs, releaseOrphanedPods } from './job/reconcile-job.ts';
export { restingActions } from './resting-status.ts';
export { revisionToRestore, rolledBack } from './rollback.ts';
export { selectsPod } from './service/reconcile-service.ts';
export { isLaterReplica } from './stateful-set/set-pods.ts';
export { historyResourceOf, shownTemplate, templateHistory, type TemplateRevision } from './template-history.ts';
export { claimActions, releaseActions } from './volumes/volume-actions.ts';
