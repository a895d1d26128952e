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
import { inFolder } from '../store/disk/atomic-file.ts';

/** The default path of the termination log. Images have it; hosts do not. */
const DEFAULT_PATH = '/dev/termination-log';

/** The variable with the path of the file on the host. */
export const TERMINATION_LOG_VARIABLE = 'PODRUN_TERMINATION_LOG';

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

/** Creates the empty termination log of an instance. */
export function makeTerminationLog(file: string): void {
  inFolder(path.dirname(file), () => writeFileSync(file, ''));
  // Any user must be able to write it. Source: kuberuntime_container.go makeMounts.
  chmodSync(file, 0o666);
}

/**
 * Links the path of the manifest to the termination log, where the path is free and its folder can be written. No file
 * of the user is replaced, and nothing is put into /dev: for the default path see {@link withTerminationLog}.
 * @returns false when the path cannot lead to the file: then only the variable names it
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
    // A file is there already, or podrun may not write the folder.
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

/** The default path as a word of its own, or in the text of a script. Longer paths do not match. */
const DEFAULT_PATH_IN_TEXT = /(?<![\w./-])\/dev\/termination-log(?![\w./-])/g;
/** A path that needs no quotes in a script. */
const PLAIN_PATH = /^[\w./@%+,:-]+$/;

/**
 * The words of a command, or the values of variables, with the path of the file in place of the default path: the host
 * has no /dev/termination-log and must not get one. A script is left as it is when the path has a blank or a quote.
 */
export function withTerminationLog(text: string, container: Container, file: string): string {
  if ((container.terminationMessagePath ?? DEFAULT_PATH) !== DEFAULT_PATH) return text;
  if (text === DEFAULT_PATH) return file;
  return PLAIN_PATH.test(file) ? text.replaceAll(DEFAULT_PATH_IN_TEXT, () => file) : text;
}

/** Removes the link at the path of the manifest. A link that leads elsewhere stays. */
export function closeTerminationLog(container: Container, file: string): void {
  const wanted = container.terminationMessagePath ?? DEFAULT_PATH;
  if (wanted !== DEFAULT_PATH && path.isAbsolute(wanted)) removeLink(wanted, file);
}

/** Removes the file of an old run: the status shows only the last two. */
export function forgetTerminationLog(file: string): void {
  rmSync(file, { force: true });
}

/** Removes a link to a termination log of this container, also of another run. */
function removeLink(link: string, file: string): void {
  try {
    if (lstatSync(link).isSymbolicLink() && withoutRun(readlinkSync(link)) === withoutRun(file)) unlinkSync(link);
  } catch {
    // The link does not exist.
  }
}

/** FOLDER/CONTAINER of FOLDER/CONTAINER.N. Names of containers have no dots. */
const withoutRun = (file: string): string => file.replace(/\.\d+$/, '');

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
  const message = written === '' && fallsBack ? endOfLog(sources) : written;
  if (message === '') return undefined;
  const containers = allContainers(pod.spec).length;
  return Buffer.from(message)
    .subarray(0, Math.floor(POD_BYTES_MAX / containers))
    .toString();
}

function endOfLog({ logTail }: MessageSources): string {
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
