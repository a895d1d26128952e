import type { ContainerStatus } from '../../api/index.ts';
import { lostState } from './container-status.ts';
import { containerFacts, type PodFacts } from '../base/facts.ts';
import { TERMINATED, USED_TO_RUN } from '../texts/container-states.ts';

/**
 * Clears the statuses of the containers that an eviction has stopped. The kubelet removes their dead containers before
 * it writes the last status: their exit codes are lost, and the loss counts as a restart. Source:
 * pkg/kubelet/kubelet.go cleanUpContainersInPod, kubelet_pods.go convertToAPIContainerStatuses.
 * @param statuses changed in place; `closeStatuses` sets their states
 */
export function clearStoppedStatuses(facts: PodFacts, statuses: readonly ContainerStatus[]): void {
  for (const status of statuses) {
    const { current } = containerFacts(facts, status.name);
    if (current?.stop?.purpose !== 'endPod') continue;
    status.state = {};
    status.ready = false;
    status.imageID = '';
    delete status.containerID;
    delete status.resources;
    delete status.user;
    if (status.lastState?.terminated !== undefined) continue;
    status.lastState = { terminated: lostState(TERMINATED.statusUnknown, USED_TO_RUN) };
    status.restartCount += 1;
  }
}
