// What the C library and Go say for an error number on Linux. Node has words of its own, a container runtime these.
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

/** The error number's name, for example `ENOENT`; `EINVAL` for text that no system call takes (it holds a NUL). */
export function errnoOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'EIO';
  return code === 'ERR_INVALID_ARG_VALUE' ? 'EINVAL' : code;
}

/** The words for an error number, as a Go program on Linux prints them. */
export function errnoText(errno: string): string {
  return TEXTS[errno] ?? errno;
}

/** True for what a file system answers that has become read-only, or whose server has lost it. */
export function isDiskLost(error: unknown): boolean {
  return ['EROFS', 'ESTALE'].includes(errnoOf(error));
}
