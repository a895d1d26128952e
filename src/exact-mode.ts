import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync } from 'node:fs';

/*
 * Folders and files that other users have to enter or read, such as containers' users, with exactly the mode that they
 * have on a node, whatever the umask is. mkdir(2) and open(2) take the bits of the umask away, and hardened machines
 * have one of 077. All else that podrun makes has a mode for its user alone, which no usual umask changes.
 */

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

/**
 * Makes a folder with this mode. Does not follow a link that a container puts in its place meanwhile.
 * @throws {Error} with an errno, EEXIST when the path exists already
 */
export function makeFolderExactly(folder: string, mode: number): void {
  mkdirSync(folder, { mode });
  setMode(openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), mode);
}

/**
 * Makes an empty file with this mode.
 * @throws {Error} with an errno, EEXIST when the path exists already
 */
export function makeFileExactly(file: string, mode: number): void {
  setMode(openSync(file, O_WRONLY | O_CREAT | O_EXCL, mode), mode);
}

/** Sets the mode of an open file, and closes it. Some file systems have fixed modes, and refuse any other. */
function setMode(fd: number, mode: number): void {
  try {
    if ((fstatSync(fd).mode & 0o7777) !== mode) fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}
