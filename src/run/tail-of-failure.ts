import { PodrunError } from '../api/errors.ts';
import { allContainerStatuses, type StoredPod } from '../api/objects.ts';
import { causeOf } from '../print/live/first-cause.ts';
import type { FileStore } from '../store/file-store.ts';
import { instanceLogPath } from '../store/logs/log-files.ts';
import { lastLogLines } from '../store/logs/log-reader.ts';

const LINES = 10;

/**
 * The last lines of the container that is to blame for how the Pod ended; none when there is no such container, or when
 * they cannot be read: who is to blame is to be told all the same.
 */
export function tailOfFailure(store: FileStore, pod: StoredPod): string[] {
  const container = causeOf(pod)?.container;
  if (container === undefined) return [];
  const { namespace, name } = pod.metadata;
  const status = allContainerStatuses(pod.status).find((one) => one.name === container);
  const log = instanceLogPath(store.paths(namespace, name).logs, container, status?.restartCount ?? 0);
  try {
    return lastLogLines(log, LINES);
  } catch (error) {
    if (error instanceof PodrunError) return [];
    throw error;
  }
}
