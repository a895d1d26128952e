import { errnoText } from './errno.ts';

const MORE_ABOUT_MOUNT = /\s*dmesg\(1\) may have more information after failed \w+ system call\.?/g;

/** The folder of the store that becomes the root of a container: what mount(8) says of it is about paths inside. */
const ROOT_IN_STORE = /\/[^\s:'"]*\/layers\/[^\s/:'"]+\/\d+\/root(?=\/)/g;

/**
 * A container that could not be started: the message of its state StartError. A node has the words of containerd and
 * runc before the cause; here neither is there, so the cause stands alone, as runc, execve(2) or mount(8) words it.
 * @param why one sentence or several lines
 */
export function startFailed(why: string): string {
  const words = why.replaceAll(MORE_ABOUT_MOUNT, '').replaceAll(ROOT_IN_STORE, '').trim().replace(/\.$/, '');
  return words.replace(/^mount: (?=\/)/, 'mount ').replaceAll(/\s*\n\s*/g, '; ');
}

/*
 * For a command beside a container, the words are those of containerd and runc: exec and exec probes show them as a
 * node does. Source: containerd 2.1, runc 1.1 as recorded on a node.
 */

const NO_PROCESS = 'unable to start container process';

/** A command beside a container that could not be started. */
export function execFailed(execId: string, why: string): string {
  return (
    `failed to exec in container: failed to start exec "${execId}": ` +
    `OCI runtime exec failed: exec failed: ${NO_PROCESS}: ${why}`
  );
}

/** A container whose output nobody could read. */
export function outputFailed(why: string): string {
  return `no pipes for its output: ${why}`;
}

/** The system could not make a process. */
export function forkFailed(errno: string): string {
  return `fork: ${errnoText(errno)}`;
}

/** The process is there, but execve(2) refused the program. */
export function execveFailed(file: string, errno: string): string {
  return `exec ${file}: ${errnoText(errno)}`;
}

/** Errors of fork(2) and of making its pipes; all others that a spawn answers are execve's. */
export function isForkError(errno: string): boolean {
  return ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'].includes(errno);
}
