import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Container } from '../api/generated/types.ts';
import { allContainers, type StoredPod } from '../api/objects.ts';

/** Where a container is told to write its last words; a path of the image, which no host has. */
const DEFAULT_PATH = '/dev/termination-log';

/** Name of the variable that says where the file really is. */
export const TERMINATION_LOG_VARIABLE = 'PODRUN_TERMINATION_LOG';

// Source of the limits: pkg/kubelet/container/runtime.go, pkg/kubelet/status/status_manager.go.
const FILE_BYTES_MAX = 4096;
const LOG_BYTES_MAX = 2048;
const LOG_LINES_MAX = 80;
const POD_BYTES_MAX = 12_288;

/** What a container leaves behind to say why it ended. */
export interface LastWords {
  /** The file of this instance. */
  readonly file: string;
  /** The last lines of its log. */
  readonly logTail: (lines: number) => readonly string[];
}

/**
 * Makes the file of an instance, empty. A container that names a path of its own finds it there too, as a link, where
 * nothing else is and the folder may be written to. Nothing that the user has is replaced.
 */
export function openTerminationLog(container: Container, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, '', { mode: 0o666 });
  const wanted = container.terminationMessagePath ?? DEFAULT_PATH;
  if (wanted === DEFAULT_PATH || !path.isAbsolute(wanted)) return;
  removeLink(wanted, path.dirname(file));
  try {
    symlinkSync(file, wanted);
  } catch {
    // Something is there, or the folder is not ours: the variable names the file.
  }
}

/** Takes the link away again; a link that leads elsewhere is not ours. */
export function closeTerminationLog(container: Container, file: string): void {
  const wanted = container.terminationMessagePath ?? DEFAULT_PATH;
  if (wanted !== DEFAULT_PATH && path.isAbsolute(wanted)) removeLink(wanted, path.dirname(file));
}

function removeLink(link: string, folder: string): void {
  try {
    if (lstatSync(link).isSymbolicLink() && path.dirname(readlinkSync(link)) === folder) unlinkSync(link);
  } catch {
    // There is none.
  }
}

/**
 * The termination message: the end of the file; for FallbackToLogsOnError, when the file is empty and the container
 * failed, the end of its log. Source: kuberuntime_container.go getTerminationMessage.
 */
export function terminationMessage(
  pod: StoredPod,
  container: Container,
  exitCode: number,
  lastWords: LastWords,
): string | undefined {
  const written = endOfFile(lastWords.file, FILE_BYTES_MAX);
  const fallsBack = container.terminationMessagePolicy === 'FallbackToLogsOnError' && exitCode !== 0;
  const message = written === '' && fallsBack ? endOfLog(lastWords) : written;
  if (message === '') return undefined;
  const containers = allContainers(pod.spec).length;
  return Buffer.from(message)
    .subarray(0, Math.floor(POD_BYTES_MAX / containers))
    .toString();
}

function endOfLog({ logTail }: LastWords): string {
  const text = logTail(LOG_LINES_MAX)
    .map((line) => `${line}\n`)
    .join('');
  return Buffer.from(text).subarray(-LOG_BYTES_MAX).toString();
}

function endOfFile(file: string, bytesMax: number): string {
  try {
    const fd = openSync(file, 'r');
    try {
      const { size } = fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(size, bytesMax));
      readSync(fd, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString();
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}
