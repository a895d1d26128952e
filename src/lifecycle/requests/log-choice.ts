import { allContainerStatuses, type ContainerStatus, type StoredPod } from '../../api/index.ts';

/** The log to show: an instance of the container by its restart count, or the reason why there is none. */
export type LogChoice =
  | { readonly ok: true; readonly restartCount: number; readonly isRunning: boolean }
  | { readonly ok: false; readonly message: string };

/** Waiting reasons with their own words. */
const WAITING_WORDS: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

/**
 * Chooses the instance whose log `logs` shows. For a container that waits for its restart this is the last instance.
 * Source: pkg/kubelet/kubelet_pods.go, validateContainerLogStatus.
 */
export function chooseLog(pod: StoredPod, container: string, previous: boolean): LogChoice {
  const status = allContainerStatuses(pod.status).find(({ name }) => name === container);
  const where = `container "${container}" in pod "${pod.metadata.name}"`;
  if (status === undefined) return refuse(`${where} is not available`);
  const { running, terminated, waiting } = status.state ?? {};
  const last = status.lastState?.terminated;
  if (previous) {
    if (!last?.containerID) return refuse(`previous terminated ${where} not found`);
    return { ok: true, restartCount: attemptOfLast(status), isRunning: false };
  }
  if (running) return { ok: true, restartCount: status.restartCount, isRunning: true };
  if (terminated?.containerID) return { ok: true, restartCount: status.restartCount, isRunning: false };
  if (last) {
    if (terminated && !last.containerID) return refuse(`${where} is terminated`);
    return { ok: true, restartCount: attemptOfLast(status), isRunning: false };
  }
  if (terminated) return refuse(`${where} is terminated`);
  if (waiting) return refuse(`${where} is waiting to start: ${WAITING_WORDS[waiting.reason ?? ''] ?? waiting.reason}`);
  return refuse(`${where} is waiting to start - no logs yet`);
}

/** The restart count of the last instance. A waiting container has the same restart count. */
function attemptOfLast({ restartCount, state }: ContainerStatus): number {
  return state?.waiting ? restartCount : Math.max(0, restartCount - 1);
}

function refuse(message: string): LogChoice {
  return { ok: false, message };
}
