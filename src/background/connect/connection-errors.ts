import { PodrunError } from '../../api/errors.ts';
import type { StoredPod } from '../../api/objects.ts';

/** The kubelet's error about a container that does not run. */
export function containerNotRunning(container: string): PodrunError {
  return new PodrunError(`error: unable to upgrade connection: container not found (${JSON.stringify(container)})`);
}

/** The error of a connection that broke before its end. */
export function connectionLost(pod: StoredPod, container: string, why: string | undefined): PodrunError {
  const detail = why === undefined ? '' : `: ${why}`;
  return new PodrunError(`error: lost connection to container "${container}" of pod "${pod.metadata.name}"${detail}`);
}
