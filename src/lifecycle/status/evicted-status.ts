import type { ContainerStatus } from '../../api/generated/types.ts';
import { unlocated } from './container-status.ts';
import { containerFacts, type PodFacts } from '../facts.ts';
import { TERMINATED, USED_TO_RUN } from '../texts/terminated.ts';

/**
 * The kubelet removes the dead containers of an evicted Pod at once, and when it then writes the last status it finds
 * no trace of those that it has just stopped: how they ended is lost, and counted as a restart.
 * Source: pkg/kubelet/kubelet.go cleanUpContainersInPod, kubelet_pods.go convertToAPIContainerStatuses.
 * @param statuses changed in place; their states are left open, for `closeStatuses`
 */
export function forgetStopped(facts: PodFacts, statuses: readonly ContainerStatus[]): void {
  for (const status of statuses) {
    const { current } = containerFacts(facts, status.name);
    if (current?.stop?.forPod !== true) continue;
    status.state = {};
    status.ready = false;
    status.imageID = '';
    delete status.containerID;
    delete status.resources;
    if (status.lastState?.terminated !== undefined) continue;
    status.lastState = { terminated: unlocated(TERMINATED.statusUnknown, USED_TO_RUN) };
    status.restartCount += 1;
  }
}
