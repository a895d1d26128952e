import type { ContainerStatus } from '../../api/generated/types.ts';
import { allContainerStatuses, type StoredPod } from '../../api/objects.ts';

/** Whose log to show: an instance of the container by its restart count, or why there is none. */
export type LogChoice =
  | { readonly ok: true; readonly restartCount: number; readonly isRunning: boolean }
  | { readonly ok: false; readonly message: string };

/** Reasons to wait that are told in words. */
const WAITING_WORDS: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

/**
 * Which instance's log `logs` shows. A container that waits to be restarted shows the instance that ended last.
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

/** While a container waits, its restart count is that of the instance that ended last. */
function attemptOfLast({ restartCount, state }: ContainerStatus): number {
  return state?.waiting ? restartCount : Math.max(0, restartCount - 1);
}

function refuse(message: string): LogChoice {
  return { ok: false, message };
}
