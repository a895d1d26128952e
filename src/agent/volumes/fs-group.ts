import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  openSync,
  readdirSync,
  type Stats,
} from 'node:fs';
import path from 'node:path';

export interface VolumeGroup {
  /** The group, as this machine counts. */
  readonly gid: number;
  /** Who may read may not write. */
  readonly isReadOnly: boolean;
  /** Leave everything as it is when the volume itself belongs to the group already. */
  readonly onlyOnMismatch: boolean;
}

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

const MAY_READ_AND_WRITE = 0o660;
const MAY_READ = 0o440;
const MAY_ENTER = 0o110;
/** What is made in such a folder gets the group of the folder. */
const SETGID = 0o2000;

/**
 * Gives a volume, and all that is in it, to a group. Links are not followed, also not one that somebody puts into the
 * place of a file meanwhile: whoever runs in a container must not choose what else root gives away.
 * Source: pkg/volume/volume_linux.go SetVolumeOwnership.
 * @param folder of the volume
 * @throws {Error} of the file system
 */
export function giveToGroup(folder: string, group: VolumeGroup): void {
  const fd = openSync(folder, O_RDONLY | O_DIRECTORY);
  try {
    if (group.onlyOnMismatch && fits(fstatSync(fd), group)) return;
    giveFolder(fd, folder, group);
  } finally {
    closeSync(fd);
  }
}

/** Source: requiresPermissionChange. */
function fits({ gid, mode }: Stats, group: VolumeGroup): boolean {
  const wanted = addedMode(true, group);
  return gid === group.gid && (mode & wanted) === wanted;
}

function addedMode(isFolder: boolean, { isReadOnly }: VolumeGroup): number {
  return (isReadOnly ? MAY_READ : MAY_READ_AND_WRITE) | (isFolder ? MAY_ENTER | SETGID : 0);
}

/** What is in the folder comes before the folder. */
function giveFolder(fd: number, folder: string, group: VolumeGroup): void {
  // The folder that was opened, wherever its name leads by now.
  const place = process.platform === 'linux' ? `/proc/self/fd/${fd}` : folder;
  for (const name of readdirSync(place)) giveEntry(path.join(place, name), group);
  give(fd, true, group);
}

function giveEntry(place: string, group: VolumeGroup): void {
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory() && !stats.isFile()) return giveOther(place, stats, group);
  const fd = openInPlace(place, stats.isDirectory());
  if (fd === undefined) return;
  try {
    if (stats.isDirectory()) giveFolder(fd, place, group);
    else give(fd, false, group);
  } finally {
    closeSync(fd);
  }
}

/** Undefined: it is not what it was a moment ago, or not to be opened by anybody but root. */
function openInPlace(place: string, isFolder: boolean): number | undefined {
  try {
    return openSync(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (isFolder ? O_DIRECTORY : 0));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ELOOP', 'ENOTDIR', 'ENOENT', 'ENXIO', 'EACCES'].includes(code)) return undefined;
    throw error;
  }
}

function give(fd: number, isFolder: boolean, group: VolumeGroup): void {
  const { mode, gid } = fstatSync(fd);
  if (gid !== group.gid) fchownSync(fd, -1, group.gid);
  const wanted = (mode & 0o7777) | addedMode(isFolder, group);
  // Who changes the group of a file takes its setuid bit away.
  if (wanted !== (fstatSync(fd).mode & 0o7777)) fchmodSync(fd, wanted);
}

/** A link, a socket, a named pipe: not opened, as that may wait for somebody, or mean something. */
function giveOther(place: string, { gid }: Stats, group: VolumeGroup): void {
  if (gid !== group.gid) lchownSync(place, -1, group.gid);
}
