import { PodrunError, type StoredPod } from '../../../api/index.ts';

/** The kubelet's error about a container that does not run. */
export function containerNotRunning(container: string): PodrunError {
  const message = `unable to upgrade connection: container not found (${JSON.stringify(container)})`;
  return new PodrunError('NotFound', message);
}

/** The error of a connection that broke before its end. */
export function connectionLost(pod: StoredPod, container: string, why: string | undefined): PodrunError {
  const detail = why === undefined ? '' : `: ${why}`;
  return new PodrunError(
    'Unreachable',
    `lost connection to container "${container}" of pod "${pod.metadata.name}"${detail}`,
  );
}
