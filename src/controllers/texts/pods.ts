import type { ControllerEvent } from '../base/reconcile.ts';

// The names of controllers in events, and the events about the Pods of an owner.
// Source: pkg/controller/controller_utils.go; the names: the record.EventSource of each controller.

export const COMPONENT = {
  job: 'job-controller',
  cronJob: 'cronjob-controller',
  replicaSet: 'replicaset-controller',
  replicationController: 'replication-controller',
  deployment: 'deployment-controller',
  statefulSet: 'statefulset-controller',
  daemonSet: 'daemonset-controller',
} as const;

/** The reasons of the condition ReplicaFailure, too. */
export const FAILED = { create: 'FailedCreate', delete: 'FailedDelete' } as const;

export function createdPod(pod: string): ControllerEvent {
  return normal('SuccessfulCreate', `Created pod: ${pod}`);
}

export function deletedPod(pod: string): ControllerEvent {
  return normal('SuccessfulDelete', `Deleted pod: ${pod}`);
}

export function failedCreate(error: string): ControllerEvent {
  return warning(FAILED.create, `Error creating: ${error}`);
}

export function failedDelete(error: string): ControllerEvent {
  return warning(FAILED.delete, `Error deleting: ${error}`);
}

export function normal(reason: string, message: string): ControllerEvent {
  return { type: 'Normal', reason, message };
}

export function warning(reason: string, message: string): ControllerEvent {
  return { type: 'Warning', reason, message };
}
