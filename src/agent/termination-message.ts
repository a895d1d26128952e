import {
  chmodSync,
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Container } from '../api/generated/types.ts';
import { allContainers, type StoredPod } from '../api/objects.ts';
import { inFolder } from '../store/atomic-file.ts';

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
  /** The last lines of its log, as they were written. */
  readonly logTail: (lines: number) => string;
}

/** Makes the file of an instance, empty. */
export function makeTerminationLog(file: string): void {
  inFolder(path.dirname(file), () => writeFileSync(file, ''));
  // Whoever the container runs as. Source: kuberuntime_container.go makeMounts.
  chmodSync(file, 0o666);
}

/**
 * A container that names a path of its own finds its file there too, as a link, where nothing else is and the folder
 * may be written to. Nothing that the user has is replaced, and nothing is put into /dev: for the default path see
 * {@link withTerminationLog}.
 * @returns false where a path of its own cannot lead to the file: then only the variable names it
 */
export function linkTerminationLog(container: Container, file: string): boolean {
  const wanted = container.terminationMessagePath ?? DEFAULT_PATH;
  if (wanted === DEFAULT_PATH || wanted === '') return true;
  if (!path.isAbsolute(wanted)) return false;
  removeLink(wanted, file);
  try {
    symlinkSync(file, wanted);
    return true;
  } catch {
    // Something is there, or the folder is not ours.
    return false;
  }
}

/** The text of the event TerminationLogNotAtPath. */
export function notAtTerminationPath({ terminationMessagePath = DEFAULT_PATH }: Container): string {
  return (
    `terminationMessagePath ${terminationMessagePath} does not lead to the termination log, as something else is ` +
    `there or its folder cannot be written to: use $${TERMINATION_LOG_VARIABLE}`
  );
}

/** The default path as a word of its own, or in the text of a script; not as the end or the beginning of another. */
const DEFAULT_PATH_IN_TEXT = /(?<![\w./-])\/dev\/termination-log(?![\w./-])/g;
/** What may stand in a script without quotes. */
const PLAIN_PATH = /^[\w./@%+,:-]+$/;

/**
 * The words of a command, or the values of variables, for a host that has no /dev/termination-log and must not get
 * one: what names the default path names the file instead. A script could not hold the path of a file with a blank or
 * a quote in it; it is then left as it is.
 */
export function withTerminationLog(text: string, container: Container, file: string): string {
  if ((container.terminationMessagePath ?? DEFAULT_PATH) !== DEFAULT_PATH) return text;
  if (text === DEFAULT_PATH) return file;
  return PLAIN_PATH.test(file) ? text.replaceAll(DEFAULT_PATH_IN_TEXT, () => file) : text;
}

/** Takes the link away again; a link that leads elsewhere is not ours. */
export function closeTerminationLog(container: Container, file: string): void {
  const wanted = container.terminationMessagePath ?? DEFAULT_PATH;
  if (wanted !== DEFAULT_PATH && path.isAbsolute(wanted)) removeLink(wanted, file);
}

/** Removes the files of runs that nobody can ask about any more: the status shows two. */
export function forgetTerminationLog(file: string): void {
  rmSync(file, { force: true });
}

/** Removes a link to a file of that container, also of another of its runs. */
function removeLink(link: string, file: string): void {
  try {
    if (lstatSync(link).isSymbolicLink() && withoutRun(readlinkSync(link)) === withoutRun(file)) unlinkSync(link);
  } catch {
    // There is none.
  }
}

/** FOLDER/CONTAINER of FOLDER/CONTAINER.N: names of containers have no dots. */
const withoutRun = (file: string): string => file.replace(/\.\d+$/, '');

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
  return Buffer.from(logTail(LOG_LINES_MAX)).subarray(-LOG_BYTES_MAX).toString();
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
