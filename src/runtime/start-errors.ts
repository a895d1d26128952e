import { errnoText } from './errno.ts';

/*
 * The words of containerd and runc for what cannot be started. Kubernetes shows them as they are, and people search the
 * web for them. Source: containerd 2.1, runc 1.1 as recorded on a node.
 */

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
