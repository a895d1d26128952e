import {
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
import { closing } from '../../runtime/index.ts';

export interface VolumeGroup {
  /** The gid on this machine. */
  readonly gid: number;
  /** True when the group may read but not write. */
  readonly isReadOnly: boolean;
  /** True: change nothing when the volume's folder already belongs to the group. */
  readonly onlyOnMismatch: boolean;
}

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

const MAY_READ_AND_WRITE = 0o660;
const MAY_READ = 0o440;
const MAY_ENTER = 0o110;
/** New files in a folder with this bit get the folder's group. */
const SETGID = 0o2000;

/**
 * Gives a volume and all of its content to a group. Never follows a link, also not one that replaces a file meanwhile:
 * a program in a container must not choose which other files root gives away.
 * Source: pkg/volume/volume_linux.go SetVolumeOwnership.
 * @param folder the volume
 * @throws {Error} of the file system
 */
export function giveToGroup(folder: string, group: VolumeGroup): void {
  closing(openSync(folder, O_RDONLY | O_DIRECTORY), (fd) => {
    if (!group.onlyOnMismatch || !fits(fstatSync(fd), group)) giveFolder(fd, folder, group);
  });
}

/** True when the folder has the group and the mode. Source: requiresPermissionChange. */
function fits({ gid, mode }: Stats, group: VolumeGroup): boolean {
  const wanted = addedMode(true, group);
  return gid === group.gid && (mode & wanted) === wanted;
}

function addedMode(isFolder: boolean, { isReadOnly }: VolumeGroup): number {
  return (isReadOnly ? MAY_READ : MAY_READ_AND_WRITE) | (isFolder ? MAY_ENTER | SETGID : 0);
}

/** Changes the content of a folder, then the folder. */
function giveFolder(fd: number, folder: string, group: VolumeGroup): void {
  // The path of the opened folder, also after another one has taken its name.
  const opened = process.platform === 'linux' ? `/proc/self/fd/${fd}` : folder;
  for (const name of readdirSync(opened)) giveEntry(path.join(opened, name), group);
  give(fd, true, group);
}

function giveEntry(file: string, group: VolumeGroup): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory() && !stats.isFile()) return giveOther(file, stats, group);
  const opened = openEntry(file, stats.isDirectory());
  if (opened === undefined) return;
  closing(opened, (fd) => (stats.isDirectory() ? giveFolder(fd, file, group) : give(fd, false, group)));
}

/** Opens a file or folder. Undefined: it was replaced meanwhile, or only root may open it. */
function openEntry(file: string, isFolder: boolean): number | undefined {
  try {
    return openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (isFolder ? O_DIRECTORY : 0));
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
  // chown clears the setuid bit: set the mode again.
  if (wanted !== (fstatSync(fd).mode & 0o7777)) fchmodSync(fd, wanted);
}

/** Changes the group of a link, a socket or a named pipe without opening it: opening may block or have effects. */
function giveOther(file: string, { gid }: Stats, group: VolumeGroup): void {
  if (gid !== group.gid) lchownSync(file, -1, group.gid);
}
