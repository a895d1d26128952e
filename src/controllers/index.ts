/** Controllers of workloads, for the loop that runs them. */
export { deleteAction, PODS_PER_SYNC, refOf, statusActions } from './base/actions.ts';
export { expectedPods } from './expected-pods.ts';
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
export { changedNode, changedPod } from './node/apply-action.ts';
export { type ClusterNode, type NodeAction, NODE_TIMING, type NodeTiming } from './node/model.ts';
export { NO_NODES_MEMORY, planNodes } from './node/plan-nodes.ts';
export { evictByTaints, type EvictionMemory, isNoExecute } from './node/taint-evictions.ts';
export { missedTimes } from './cron-job/missed-times.ts';
export { retireOldRevisions } from './deployment/reconcile-deployment.ts';
export { revisionsOf } from './deployment/revisions.ts';
export {
  defaultPropagation,
  finalizersAfterDelete,
  FOREGROUND_FINALIZER,
  garbageActions,
  ORPHAN_FINALIZER,
  type PropagationPolicy,
} from './garbage/collect.ts';
export { whyNotReady } from './goals/readiness.ts';
export { rolloutAnswer } from './goals/rollout-answer.ts';
export { podGoal } from './goals/root-goal.ts';
export {
  ALL_READY,
  goalsOf,
  keptGoal,
  keptGoalOf,
  mustHold,
  parseRunGoal,
  READY_OR_SUCCEEDED,
  type RunGoal,
  runGoalState,
  runGoalText,
  unknownCondition,
  type UnknownCondition,
  UP,
  wantedOf,
} from './goals/run-goal.ts';
export { type UnservedService, unservedServices } from './goals/service-goal.ts';
export type {
  MetricAnswer,
  AutoscalerMemory,
  OtherMetrics,
  PodValue,
  TargetScale,
  UsageSample,
} from './horizontal-pod-autoscaler/model.ts';
export { NO_OTHER_METRICS } from './horizontal-pod-autoscaler/no-other-metrics.ts';
export { endSync, planSync } from './horizontal-pod-autoscaler/sync-autoscaler.ts';
export { JOB_BACKOFF } from './job/failures.ts';
export { hasJobFinalizer, withoutJobFinalizer } from './job/job-pods.ts';
export { jobExpiryMs, releaseOrphanedPods } from './job/reconcile-job.ts';
export { PolicyCompiler, type PolicyGroup } from './network-policy/compile.ts';
export {
  type ConnectionVerdict,
  endAt,
  type IsolationVerdict,
  judgeConnection,
  type PolicyEnd,
  type RuleVerdict,
  type SideVerdict,
} from './network-policy/judge.ts';
export { type AddressedConnection, PolicyGate } from './network-policy/policy-gate.ts';
export { dnsPod, type PolicyPod, policyPodOf, type PolicyProtocol } from './network-policy/policy-pods.ts';
export {
  type DirectedRule,
  type PolicyDirection,
  type PolicyNamespace,
  type PolicyObject,
  policyRules,
} from './network-policy/rules.ts';
export type { PolicyRange } from './network-policy/ranges.ts';
export { restingActions, resumedStatus } from './resting-status.ts';
export {
  historyResourceOf,
  revisionToRestore,
  rolledBack,
  shownTemplate,
  templateHistory,
  type TemplateRevision,
} from './rollback.ts';
export { selectsPod } from './service/reconcile-service.ts';
export { isLaterReplica } from './stateful-set/set-pods.ts';
export { claimActions, classActions, placeClaim, releaseActions } from './volumes/volume-actions.ts';
export { AUTOSCALER, hasJustRescaled } from './texts/autoscaler.ts';
export { NO_SCALE, noMatchForKind, notStored } from './texts/autoscaler-metrics.ts';
