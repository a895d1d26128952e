import { finishedCondition, type JobStatus, type StoredDeployment, type Workload } from '../api/index.ts';
import { statusActions } from './base/actions.ts';
import { progressOf, withDeploymentCondition } from './deployment/deployment-status.ts';
import type { ControllerAction } from './base/reconcile.ts';
import { LACKS_AVAILABILITY, PROGRESS, RESUMED } from './texts/deployment.ts';

/** A status leaves out counts of 0. */
const NO_PODS = { readyReplicas: undefined, availableReplicas: undefined, updatedReplicas: undefined };

/**
 * Writes that nothing of a workload runs any more: its agent has ended all Pods and goes. The counts of Pods fall, and
 * nothing else changes: the next agent continues from there. A node that is shut down leaves the same behind.
 */
export function restingActions(workload: Workload, nowMs: number): ControllerAction[] {
  const status = restingStatus(workload, nowMs);
  return status === undefined ? [] : statusActions(workload, status);
}

function restingStatus(workload: Workload, nowMs: number): object | undefined {
  const { kind, status } = workload;
  // No controller has looked at it yet.
  if (status === undefined || Object.keys(status).length === 0) return undefined;
  switch (kind) {
    case 'CronJob':
      return undefined;
    case 'Job':
      return restingJob(status);
    case 'Deployment':
      return {
        ...status,
        ...NO_PODS,
        replicas: undefined,
        unavailableReplicas: workload.spec.replicas || undefined,
        terminatingReplicas: 0,
        conditions: withDeploymentCondition(status.conditions, 'Available', LACKS_AVAILABILITY, nowMs),
      };
    case 'ReplicaSet':
    case 'ReplicationController':
      return { ...status, ...NO_PODS, replicas: 0, fullyLabeledReplicas: undefined };
    case 'StatefulSet':
      return { ...status, ...NO_PODS, replicas: 0, availableReplicas: 0, currentReplicas: undefined };
    case 'DaemonSet':
      return {
        ...status,
        currentNumberScheduled: 0,
        numberReady: 0,
        numberAvailable: undefined,
        updatedNumberScheduled: undefined,
        numberUnavailable: status.desiredNumberScheduled || undefined,
      };
    default:
      return workload satisfies never;
  }
}

/** A Job that has ended is left alone. */
function restingJob(status: JobStatus): JobStatus | undefined {
  if (finishedCondition(status) !== undefined) return undefined;
  return { ...status, active: undefined, ready: 0, terminating: 0 };
}

/**
 * The status of a Deployment that an earlier run left without progress, as a new run begins: the progress deadline
 * starts anew, as after a pause. Undefined: the Deployment has not missed its deadline.
 */
export function resumedStatus({ status }: StoredDeployment, nowMs: number): StoredDeployment['status'] {
  if (status === undefined || progressOf(status)?.reason !== PROGRESS.timedOut) return undefined;
  return { ...status, conditions: withDeploymentCondition(status.conditions, 'Progressing', RESUMED, nowMs) };
}
