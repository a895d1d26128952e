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
  node: 'node-controller',
  taintEviction: 'taint-eviction-controller',
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

// The events of DaemonSets, beside those about Pods.
// Source: pkg/controller/daemon/daemon_controller.go.

/** @param pod `namespace/name` */
export function failedDaemonPod(pod: string, node: string): ControllerEvent {
  return warning('FailedDaemonPod', `Found failed daemon pod ${pod} on node ${node}, will try to kill it`);
}

/** @param pod `namespace/name` */
export function succeededDaemonPod(pod: string, node: string): ControllerEvent {
  return normal('SucceededDaemonPod', `Found succeeded daemon pod ${pod} on node ${node}, will try to delete it`);
}

export function daemonSelectsAll(): ControllerEvent {
  return warning('SelectingAll', 'This daemon set is selecting all pods. A non-empty selector is required.');
}

// The events of StatefulSets: their words differ from the words of other controllers. Source:
// pkg/controller/statefulset/stateful_pod_control.go recordPodEvent, recordClaimEvent.
type PodVerb = 'Create' | 'Update' | 'Delete';

export function podDone(verb: PodVerb, pod: string, set: string): ControllerEvent {
  return normal(`Successful${verb}`, `${verb} Pod ${pod} in StatefulSet ${set} successful`);
}

export function podFailed(verb: PodVerb, pod: string, set: string, error: string): ControllerEvent {
  return warning(`Failed${verb}`, `${verb} Pod ${pod} in StatefulSet ${set} failed error: ${error}`);
}

export function claimCreated(claim: string, pod: string, set: string): ControllerEvent {
  return normal('SuccessfulCreate', `Create Claim ${claim} Pod ${pod} in StatefulSet ${set} success`);
}

export function claimFailed(claim: string, pod: string, set: string, error: string): ControllerEvent {
  return warning('FailedCreate', `Create Claim ${claim} for Pod ${pod} in StatefulSet ${set} failed error: ${error}`);
}
