import type { JobStatus } from '../api/generated/types.ts';
import type { Workload } from '../api/workloads/stored-workloads.ts';
import { isSameJson } from '../api/json.ts';
import { statusActions } from './actions.ts';
import { withDeploymentCondition } from './deployment/deployment-status.ts';
import { finishedCondition } from '../api/workloads/job-conditions.ts';
import type { ControllerAction } from './reconcile.ts';
import { LACKS_AVAILABILITY } from './texts/deployment.ts';

/**
 * Writes that nothing of a workload runs any more: its agent has ended all Pods and goes. The counts of Pods fall, and
 * nothing else changes: the next agent goes on from there. A node that is shut down leaves the same behind.
 */
export function restingActions(workload: Workload, nowMs: number): ControllerAction[] {
  const status = restingStatus(workload, nowMs);
  return status === undefined || isSameJson(status, workload.status) ? [] : statusActions(workload, status);
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
    case 'Deployment': {
      const { replicas, updatedReplicas, readyReplicas, availableReplicas, ...rest } = status;
      const conditions = withDeploymentCondition(status.conditions, 'Available', LACKS_AVAILABILITY, nowMs);
      const unavailableReplicas = workload.spec.replicas || undefined;
      return { ...rest, unavailableReplicas, terminatingReplicas: 0, conditions };
    }
    case 'ReplicaSet':
    case 'ReplicationController': {
      const { readyReplicas, availableReplicas, fullyLabeledReplicas, ...rest } = status;
      return { ...rest, replicas: 0 };
    }
    case 'StatefulSet': {
      const { readyReplicas, currentReplicas, updatedReplicas, ...rest } = status;
      return { ...rest, replicas: 0, availableReplicas: 0 };
    }
    case 'DaemonSet': {
      const { numberAvailable, updatedNumberScheduled, ...rest } = status;
      const numberUnavailable = status.desiredNumberScheduled || undefined;
      return { ...rest, currentNumberScheduled: 0, numberReady: 0, numberUnavailable };
    }
    default:
      return workload satisfies never;
  }
}

/** A Job that has ended is left alone. */
function restingJob(status: JobStatus): JobStatus | undefined {
  if (finishedCondition(status) !== undefined) return undefined;
  const { active, ...rest } = status;
  return { ...rest, ready: 0, terminating: 0 };
}
