import { errnoText } from '../base/errno.ts';

const MORE_ABOUT_MOUNT = /(?<!\s)\s*dmesg\(1\) may have more information after failed \w+ system call\.?/g;

/** The folder of the store that becomes the root of a container. mount(8) prints it before paths inside. */
const ROOT_IN_STORE = /^([^/]*)\/.*\/layers\/[^/]+\/\d+\/root(?=\/)/;

/**
 * The message of the state StartError. A node prints the words of containerd and runc before the cause. podrun uses
 * neither, so the cause of runc, execve(2) or mount(8) stands alone.
 * @param why one sentence or several lines
 */
export function startFailed(why: string): string {
  const words = why
    .replaceAll(MORE_ABOUT_MOUNT, '')
    .replaceAll(/[^\s:'"]+/g, (word) => word.replace(ROOT_IN_STORE, '$1'))
    .trim()
    .replace(/\.$/, '');
  return words.replace(/^mount: (?=\/)/, 'mount ').replaceAll(/(?<!\s)\s*\n\s*/g, '; ');
}

/*
 * The prefix for commands beside a container, which exec and exec probes show as a node does. Source: containerd 2.1,
 * runc 1.1 as recorded on a node.
 */

const NO_PROCESS = 'unable to start container process';

/** The error of a command beside a container that could not be started. */
export function execFailed(execId: string, why: string): string {
  return (
    `failed to exec in container: failed to start exec "${execId}": ` +
    `OCI runtime exec failed: exec failed: ${NO_PROCESS}: ${why}`
  );
}

/** The error of a command in a container that has ended. Source: opencontainers/runc exec.go. */
export const CONTAINER_STOPPED = 'cannot exec in a stopped container';

/** The error of a container whose output podrun could not read. */
export function outputFailed(why: string): string {
  return `no pipes for its output: ${why}`;
}

/** The error of fork(2). */
export function forkFailed(errno: string): string {
  return `fork: ${errnoText(errno)}`;
}

/** The error of execve(2) for the program. */
export function execveFailed(file: string, errno: string): string {
  return `exec ${file}: ${errnoText(errno)}`;
}

/** True for errors of fork(2) and of making its pipes. All other errors of a spawn are execve's. */
export function isForkError(errno: string): boolean {
  return ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'].includes(errno);
}
