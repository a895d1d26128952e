import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import { isNativeError } from 'node:util/types';
import { PodrunError } from '../api/errors.ts';

const { EBADF, EDQUOT, EEXIST, EFAULT, EIO, EISDIR, ENFILE, ESTALE } = constants.errno;

/** What no disk answers, however broken it is: podrun has asked for something that makes no sense. */
const DEFECTS: ReadonlySet<number> = new Set([EBADF, EFAULT]);

/** The system's words where Node has others, or none. */
const WORDS: ReadonlyMap<number, string> = new Map([
  [EDQUOT, 'disk quota exceeded'],
  [EEXIST, 'file exists'],
  [EIO, 'input/output error'],
  [EISDIR, 'is a directory'],
  [ENFILE, 'too many open files in system'],
  [ESTALE, 'stale file handle'],
]);

/** The name of an operating system error, for example `ENOENT`; undefined for other errors. */
export function errorCode(error: unknown): string | undefined {
  // Where tests run in contexts of their own, what Node throws is no Error of theirs.
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Something could not be read or written: the disk is full, read-only, broken, … */
export class DiskError extends PodrunError {
  override readonly name: string = 'DiskError';
}

/**
 * Runs something that reads or writes, so that trouble with the disk becomes one sentence. Whatever the system answers
 * to a call is such trouble: file systems answer with more errors than anybody lists.
 * @param what for example `the state folder /home/u/.local/state/podrun`
 * @throws {DiskError} when the disk is full, read-only, broken, …
 */
export function onDisk<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const trouble = troubleOf(error);
    if (trouble === undefined) throw error;
    throw new DiskError(`cannot use ${what}: ${trouble}`, {
      hint: 'Repair it, or choose another folder with --state-dir or PODRUN_STATE_DIR.',
      cause: error,
    });
  }
}

/** What the system has answered to a call; undefined for everything else, which is a defect of podrun. */
function troubleOf(error: unknown): string | undefined {
  if (!isNativeError(error) || !('syscall' in error) || !('errno' in error)) return undefined;
  const number = Math.abs(Number(error.errno));
  if (DEFECTS.has(number)) return undefined;
  return WORDS.get(number) ?? getSystemErrorMap().get(-number)?.[1] ?? `system error ${number}`;
}

/** Runs something that will be tried again anyway: trouble with the disk is passed over. */
export function ifPossible(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (troubleOf(error) === undefined) throw error;
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
