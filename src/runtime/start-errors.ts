/*
 * The words of containerd and runc for what cannot be started. Kubernetes shows them as they are, and people search the
 * web for them. Source: containerd 2.1, runc 1.1 as recorded on a node.
 */

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

const NO_PROCESS = 'unable to start container process';

/** A container that could not be started: the message of its state StartError. */
export function startFailed(why: string): string {
  return (
    'failed to create containerd task: failed to create shim task: ' +
    `OCI runtime create failed: runc create failed: ${NO_PROCESS}: ${why}`
  );
}

/** A command beside a container that could not be started. */
export function execFailed(execId: string, why: string): string {
  return (
    `failed to exec in container: failed to start exec "${execId}": ` +
    `OCI runtime exec failed: exec failed: ${NO_PROCESS}: ${why}`
  );
}

/** A container whose output nobody could read. */
export function outputFailed(why: string): string {
  return `failed to create containerd task: failed to start io pipe copy: ${why}`;
}

/** The system could not make a process. */
export function forkFailed(errno: string): string {
  return `unable to start init: fork/exec /proc/self/exe: ${errnoText(errno)}`;
}

/** The process is there, but execve(2) refused the program. */
export function execveFailed(file: string, errno: string): string {
  return `exec ${file}: ${errnoText(errno)}`;
}

/** Errors of fork(2) and of making its pipes; all others that a spawn answers are execve's. */
export function isForkError(errno: string): boolean {
  return ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'].includes(errno);
}

/** The error number's name, for example `ENOENT`; `EINVAL` for text that no system call takes (it holds a NUL). */
export function errnoOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'EIO';
  return code === 'ERR_INVALID_ARG_VALUE' ? 'EINVAL' : code;
}

/** The words for an error number, as a Go program on Linux prints them. */
export function errnoText(errno: string): string {
  return TEXTS[errno] ?? errno;
}
