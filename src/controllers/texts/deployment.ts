import { goQuote, PROGRESS_DEADLINE_EXCEEDED } from '../../api/index.ts';
import type { ControllerEvent } from '../base/reconcile.ts';
import { normal, warning } from './pods.ts';

// The conditions and events of Deployments.
// Source: pkg/controller/deployment/util/deployment_util.go, sync.go, progress.go, deployment_controller.go.

export interface ConditionText {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** The reasons of the condition Progressing that decide something. */
export const PROGRESS = {
  available: 'NewReplicaSetAvailable',
  timedOut: PROGRESS_DEADLINE_EXCEEDED as typeof PROGRESS_DEADLINE_EXCEEDED,
  paused: 'DeploymentPaused',
  resumed: 'DeploymentResumed',
} as const;

export const HAS_AVAILABILITY: ConditionText = {
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
};

export const LACKS_AVAILABILITY: ConditionText = {
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
};

export const PAUSED: ConditionText = { status: 'Unknown', reason: PROGRESS.paused, message: 'Deployment is paused' };

export const RESUMED: ConditionText = { status: 'Unknown', reason: PROGRESS.resumed, message: 'Deployment is resumed' };

export function createdReplicaSet(name: string): ConditionText {
  return { status: 'True', reason: 'NewReplicaSetCreated', message: `Created new replica set ${goQuote(name)}` };
}

export function foundReplicaSet(name: string): ConditionText {
  return { status: 'True', reason: 'FoundNewReplicaSet', message: `Found new replica set ${goQuote(name)}` };
}

export function failedReplicaSet(name: string, error: string): ConditionText {
  const message = `Failed to create new replica set ${goQuote(name)}: ${error}`;
  return { status: 'False', reason: 'ReplicaSetCreateError', message };
}

/** @param subject `ReplicaSet "web-1"`, or the Deployment when it has no new ReplicaSet */
export function progressing(subject: string): ConditionText {
  return { status: 'True', reason: 'ReplicaSetUpdated', message: `${subject} is progressing.` };
}

export function progressed(subject: string): ConditionText {
  return { status: 'True', reason: PROGRESS.available, message: `${subject} has successfully progressed.` };
}

export function timedOut(subject: string): ConditionText {
  return { status: 'False', reason: PROGRESS.timedOut, message: `${subject} has timed out progressing.` };
}

/** The subject of the three messages above. */
export function progressSubject(deployment: string, replicaSet: string | undefined): string {
  return replicaSet === undefined ? `Deployment ${goQuote(deployment)}` : `ReplicaSet ${goQuote(replicaSet)}`;
}

export function scaledReplicaSet(name: string, from: number, to: number): ControllerEvent {
  return normal('ScalingReplicaSet', `Scaled ${to > from ? 'up' : 'down'} replica set ${name} from ${from} to ${to}`);
}

export function replicaSetCreateError({ reason, message }: ConditionText): ControllerEvent {
  return warning(reason, message);
}

export function selectingAll(): ControllerEvent {
  return warning('SelectingAll', 'This deployment is selecting all pods. A non-empty selector is required.');
}
