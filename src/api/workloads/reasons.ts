// Reasons of conditions that decide something, for all who read them.

/** A rollout without progress. Source: pkg/controller/deployment/util/deployment_util.go TimedOutReason. */
export const PROGRESS_DEADLINE_EXCEEDED = 'ProgressDeadlineExceeded';

/** A Job that a rule of its podFailurePolicy failed. Source: k8s.io/api/batch/v1 JobReasonPodFailurePolicy. */
export const POD_FAILURE_POLICY = 'PodFailurePolicy';
