import { join, relative } from 'node:path';
import { readFileSync, realpathSync } from 'node:fs';
import { quietly } from '../../../quietly.ts';

export interface HostMount {
  readonly path: string;
  /** The file system as `major:minor`. */
  readonly device: string;
  /** The mounted folder of the file system. Not `/` for bind mounts. */
  readonly root: string;
  /** For example `ext4`. */
  readonly type: string;
  /** The options of the mount, for example `rw`, `nosuid`. */
  readonly options: readonly string[];
}

/**
 * The mounts that a process sees. Of several at one path, only the last, which hides the earlier ones.
 * @throws {Error} when there is no such process
 */
export function readHostMounts(pid: number | 'self' = 'self'): HostMount[] {
  return parseMountInfo(readFileSync(`/proc/${pid}/mountinfo`, 'utf8'));
}

/**
 * Parses /proc/self/mountinfo: `36 35 98:0 / /mnt rw,noatime master:1 - ext3 /dev/root rw`, with any number of fields
 * before the dash. @see proc_pid_mountinfo(5)
 */
export function parseMountInfo(text: string): HostMount[] {
  const mounts = new Map<string, HostMount>();
  for (const line of text.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , device = '', root = '', mountPoint, options = ''] = before.split(' ');
    const [type] = after.split(' ');
    if (mountPoint === undefined || !type) continue;
    const path = unescaped(mountPoint);
    mounts.delete(path);
    mounts.set(path, { path, device, root: unescaped(root), type, options: options.split(',') });
  }
  return [...mounts.values()];
}

/** The tie of a mount to other mounts, which get its later mounts, or whose later mounts it gets. */
export interface MountTie {
  /** The mount point. */
  readonly at: string;
  readonly isShared: boolean;
  readonly isSlave: boolean;
}

/** The tie of the mount that contains a file or folder of this machine. @see mount_namespaces(7) */
export function mountTie(file: string, text: string = readFileSync('/proc/self/mountinfo', 'utf8')): MountTie {
  const real = quietly(() => realpathSync(file)) ?? file;
  const at = mountOf(real, parseMountInfo(text))?.path ?? '/';
  const line = text.split('\n').findLast((candidate) => unescaped(candidate.split(' ')[4] ?? '') === at) ?? '';
  const [before = ''] = line.split(' - ');
  return { at, isShared: / shared:\d/.test(before), isSlave: / master:\d/.test(before) };
}

/** True when another process, in its own mount namespace, has the same mounts as this one. */
export function seesSameMounts(pid: number): boolean {
  return quietly(() => mountsSeenBy(pid) === mountsSeenBy('self')) ?? false;
}

/** The mounts without their ids and order, which differ in a copy. */
function mountsSeenBy(pid: number | 'self'): string {
  const lines = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n');
  return lines
    .map((line) => line.split(' ', 6).slice(2).join(' '))
    .toSorted()
    .join('\n');
}

/** The mount that contains a path of the host. */
export function mountOf(path: string, mounts: readonly HostMount[]): HostMount | undefined {
  const holding = mounts.filter((mount) => isInFolder(path, mount.path));
  return holding.toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** True when the path is the folder or lies in it. Both are absolute. */
export function isInFolder(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}

/** Decodes blanks and the like, which are octal numbers as in fstab. */
function unescaped(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/**
 * All paths at which folders of the host are visible: their own, and those below other mounts of the same file system.
 * @param folders absolute, without links
 */
export function hiddenPaths(folders: readonly string[], hostMounts: readonly HostMount[]): string[] {
  const places = folders.flatMap((folder) => {
    const own = mountOf(folder, hostMounts);
    if (own === undefined) return [folder];
    const inFileSystem = join(own.root, relative(own.path, folder));
    const others = hostMounts.filter(({ device, root }) => device === own.device && isInFolder(inFileSystem, root));
    return [folder, ...others.map((other) => join(other.path, relative(other.root, inFileSystem)))];
  });
  return [...new Set(places)];
}
