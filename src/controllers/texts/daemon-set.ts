import type { ControllerEvent } from '../base/reconcile.ts';
import { normal, warning } from './pods.ts';

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
