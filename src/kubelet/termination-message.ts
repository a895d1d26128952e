import { fstatSync, openSync, readSync } from 'node:fs';
import { allContainers, type Container, type StoredPod } from '../api/index.ts';
import { closing } from '../runtime/index.ts';
import { quietly, statQuietly } from '../quietly.ts';

// Source of the limits: pkg/kubelet/container/runtime.go, pkg/kubelet/status/status_manager.go.
const FILE_BYTES_MAX = 4096;
const LOG_BYTES_MAX = 2048;
const LOG_LINES_MAX = 80;
const POD_BYTES_MAX = 12_288;

/** The sources of a termination message. */
export interface MessageSources {
  /** The termination log of this instance. */
  readonly file: string;
  /** Returns the last lines of the log, unchanged. */
  readonly logTail: (lines: number) => string;
}

/**
 * The termination message: the end of the file. With FallbackToLogsOnError, the end of the log of a failed container
 * without such a text.
 * Source: kuberuntime_container.go getTerminationMessage.
 */
export function terminationMessage(
  pod: StoredPod,
  container: Container,
  exitCode: number,
  sources: MessageSources,
): string | undefined {
  const written = endOfFile(sources.file, FILE_BYTES_MAX);
  const fallsBack = container.terminationMessagePolicy === 'FallbackToLogsOnError' && exitCode !== 0;
  const endOfLog = (): string => Buffer.from(sources.logTail(LOG_LINES_MAX)).subarray(-LOG_BYTES_MAX).toString();
  const message = written === '' && fallsBack ? endOfLog() : written;
  if (message === '') return undefined;
  const containers = allContainers(pod.spec).length;
  return Buffer.from(message)
    .subarray(0, Math.floor(POD_BYTES_MAX / containers))
    .toString();
}

function endOfFile(file: string, bytesMax: number): string {
  // Few programs write one.
  if (!statQuietly(file)?.size) return '';
  const read = (fd: number): string => {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, bytesMax));
    readSync(fd, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString();
  };
  return quietly(() => closing(openSync(file, 'r'), read)) ?? '';
}
