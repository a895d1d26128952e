import { isNativeError } from 'node:util/types';
import { makeFolderExactly } from '../../exact-mode.ts';

// The texts of the C library and of Go for error numbers on Linux, which container runtimes print. Node has its own.
const TEXTS: Readonly<Record<string, string>> = {
  E2BIG: 'argument list too long',
  EACCES: 'permission denied',
  EAGAIN: 'resource temporarily unavailable',
  EDQUOT: 'disk quota exceeded',
  EEXIST: 'file exists',
  EINVAL: 'invalid argument',
  EIO: 'input/output error',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'file name too long',
  ENFILE: 'too many open files in system',
  ENOENT: 'no such file or directory',
  ENOEXEC: 'exec format error',
  ENOMEM: 'cannot allocate memory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
  ETXTBSY: 'text file busy',
};

/** The name of the error number, for example `ENOENT`; `EINVAL` for text with a NUL, which Node refuses. */
export function errnoOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'EIO';
  return code === 'ERR_INVALID_ARG_VALUE' ? 'EINVAL' : code;
}

/** The text of an error number, as a Go program on Linux prints it. */
export function errnoText(errno: string): string {
  return TEXTS[errno] ?? errno;
}

/** True for the errors of a file system that has become read-only, or that its server has lost. */
export function isDiskLost(error: unknown): boolean {
  return ['EROFS', 'ESTALE'].includes(errnoOf(error));
}

const DISK_TROUBLES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'ESTALE']);

/** True for a failed system call that tells of a full, read-only or broken disk. */
export function isDiskTrouble(error: unknown): boolean {
  return isNativeError(error) && 'syscall' in error && DISK_TROUBLES.has(errnoOf(error));
}

/** Makes a folder in an existing one. Returns false when it exists already. */
export function mkdirIfMissing(folder: string, mode: number): boolean {
  try {
    makeFolderExactly(folder, mode);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The text of a file error, as a Go program prints it: `mkdir /data: permission denied`. */
export function fileTrouble(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  const { syscall, path } = error as NodeJS.ErrnoException;
  // Node itself refuses a path with a NUL.
  if (syscall === undefined) return errnoOf(error) === 'EINVAL' ? errnoText('EINVAL') : error.message;
  return `${syscall}${path === undefined ? '' : ` ${path}`}: ${errnoText(errnoOf(error))}`;
}
