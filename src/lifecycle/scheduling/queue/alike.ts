import { type Container, controllerOf, type StoredPod } from '../../../api/index.ts';

/**
 * A text that is the same for Pods which are the same to the scheduler, such as most replicas of a workload: while the
 * cluster stays the same, such Pods fit, or do not fit, for the same reasons.
 */
export function schedulingKey(pod: StoredPod): string {
  const { metadata, spec, status } = pod;
  const { volumes = [], containers, initContainers = [] } = spec;
  return JSON.stringify([
    metadata.namespace,
    metadata.labels,
    controllerOf(pod)?.uid,
    {
      ...spec,
      // The volume for the token of its ServiceAccount has another name in each Pod.
      volumes: volumes.filter(({ projected }) => projected === undefined),
      containers: containers.map(withoutMounts),
      initContainers: initContainers.map(withoutMounts),
    },
    status.nominatedNodeName,
    status.resourceClaimStatuses,
  ]);
}

/** No filter looks at the places in a container where its volumes are. */
function withoutMounts(container: Container): object {
  return { ...container, volumeMounts: undefined };
}
