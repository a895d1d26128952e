import { allContainerStatuses, type ContainerStatus, type PodSpec, type StoredPod } from '../../api/index.ts';

/** The container that a command uses when the user names none, and a note about the choice. */
interface DefaultContainer {
  readonly name: string;
  /** The note for standard error. Undefined when there was no choice. */
  readonly note: string | undefined;
}

const ANNOTATION = 'kubectl.kubernetes.io/default-container';

/** Source: kubectl/pkg/cmd/util/podcmd/podcmd.go. */
export function chooseDefaultContainer({ metadata, spec }: StoredPod): DefaultContainer {
  const names = containerNames(spec);
  const annotated = metadata.annotations?.[ANNOTATION];
  if (annotated && names.includes(annotated)) return { name: annotated, note: undefined };
  const name = spec.containers[0]?.name ?? '';
  const missing = annotated ? `Default container name "${annotated}" not found in pod ${metadata.name}\n` : '';
  const choice = names.length > 1 ? `Defaulted container "${name}" out of: ${listContainers(spec)}\n` : '';
  return { name, note: missing + choice || undefined };
}

/** Names of all containers, in the order in which they start. */
export function containerNames({ initContainers = [], containers, ephemeralContainers = [] }: PodSpec): string[] {
  return [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name);
}

/** The containers as kubectl lists them: `main, debugger (ephem), setup (init)`. */
export function listContainers({ initContainers = [], containers, ephemeralContainers = [] }: PodSpec): string {
  return [
    ...containers.map(({ name }) => name),
    ...ephemeralContainers.map(({ name }) => `${name} (ephem)`),
    ...initContainers.map(({ name }) => `${name} (init)`),
  ].join(', ');
}

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
