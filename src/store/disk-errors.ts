import { PodrunError } from '../api/errors.ts';

/** What can be wrong with a disk, in the system's words. Everything else is a defect of podrun. */
const TROUBLES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'disk quota exceeded',
  EEXIST: 'file exists',
  EIO: 'input/output error',
  ENFILE: 'too many open files in system',
  EMFILE: 'too many open files',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
};

/** The name of an operating system error, for example `ENOENT`; undefined for other errors. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Runs something that reads or writes, so that trouble with the disk becomes one sentence.
 * @param what for example `the state folder /home/u/.local/state/podrun`
 * @throws {PodrunError} when the disk is full, read-only, …
 */
export function onDisk<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const trouble = TROUBLES[errorCode(error) ?? ''];
    if (trouble === undefined) throw error;
    throw new PodrunError(`cannot use ${what}: ${trouble}`, {
      hint: 'Repair it, or choose another folder with --state-dir or PODRUN_STATE_DIR.',
      cause: error,
    });
  }
}

/** Answers undefined where there is no such file or folder. */
export function ifPresent<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
