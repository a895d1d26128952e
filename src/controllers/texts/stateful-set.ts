import type { ControllerEvent } from '../base/reconcile.ts';
import { normal, warning } from './pods.ts';

// The events of StatefulSets: their words differ from those of other controllers.
// Source: pkg/controller/statefulset/stateful_pod_control.go recordPodEvent, recordClaimEvent.

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
