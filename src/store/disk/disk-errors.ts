import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import { isNativeError } from 'node:util/types';
import { PodrunError } from '../../api/index.ts';

const { EBADF, EDQUOT, EEXIST, EFAULT, EIO, EISDIR, ENFILE, ESTALE } = constants.errno;

/** Errors that no disk causes: they are defects of podrun. */
const DEFECTS: ReadonlySet<number> = new Set([EBADF, EFAULT]);

/** The system's descriptions of errors that Node describes differently or not at all. */
const WORDS: ReadonlyMap<number, string> = new Map([
  [EDQUOT, 'disk quota exceeded'],
  [EEXIST, 'file exists'],
  [EIO, 'input/output error'],
  [EISDIR, 'is a directory'],
  [ENFILE, 'too many open files in system'],
  [ESTALE, 'stale file handle'],
]);

/** The code of an operating system error, for example `ENOENT`. Undefined for other errors. */
export function errorCode(error: unknown): string | undefined {
  // In the vm contexts of some test runners, errors of Node are no instances of Error.
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Runs something that reads or writes, and turns any failed system call into one sentence: file systems answer with
 * more error codes than a list could hold.
 * @param what for example `the state folder /home/u/.local/state/podrun`
 * @throws {PodrunError} (Disk) when the disk is full, read-only, broken, …
 */
export function onDisk<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const trouble = troubleOf(error);
    if (trouble === undefined) throw error;
    throw new PodrunError('Disk', `cannot use ${what}: ${trouble}`, {
      path: (error as NodeJS.ErrnoException).path,
      hint: 'Repair it, or choose another folder with --state-dir or PODRUN_STATE_DIR.',
      cause: error,
    });
  }
}

/** The description of a failed system call. Undefined for any other error, which is a defect of podrun. */
export function troubleOf(error: unknown): string | undefined {
  if (!isNativeError(error) || !('syscall' in error) || !('errno' in error)) return undefined;
  const number = Math.abs(Number(error.errno));
  if (DEFECTS.has(number)) return undefined;
  return WORDS.get(number) ?? getSystemErrorMap().get(-number)?.[1] ?? `system error ${number}`;
}

/** Runs something that podrun repeats later anyway. Ignores failed system calls. */
export function ifPossible(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (troubleOf(error) === undefined) throw error;
  }
}

/** Runs a read. Returns undefined when there is no such file or folder. */
export function ifPresent<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
