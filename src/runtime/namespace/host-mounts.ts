import { readFileSync } from 'node:fs';

/** A file system that the host has mounted. */
export interface HostMount {
  readonly path: string;
  /** The file system, as `major:minor`. */
  readonly device: string;
  /** The folder of the file system that is mounted; not `/` for bind mounts. */
  readonly root: string;
  /** For example `ext4`. */
  readonly type: string;
  /** Of the mount itself, for example `rw`, `nosuid`. */
  readonly options: readonly string[];
}

/**
 * What is mounted, as this process, or another one, sees it; of several at one place, the last, which hides the others.
 * @throws {Error} when there is no such process
 */
export function readHostMounts(pid: number | 'self' = 'self'): HostMount[] {
  return parseMountInfo(readFileSync(`/proc/${pid}/mountinfo`, 'utf8'));
}

/**
 * Reads the lines of /proc/self/mountinfo: `36 35 98:0 / /mnt rw,noatime master:1 - ext3 /dev/root rw`, with any number
 * of fields before the dash. @see proc_pid_mountinfo(5)
 */
export function parseMountInfo(text: string): HostMount[] {
  const mounts = new Map<string, HostMount>();
  for (const line of text.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , device = '', root = '', place, options = ''] = before.split(' ');
    const [type] = after.split(' ');
    if (place === undefined || !type) continue;
    const path = unescaped(place);
    mounts.delete(path);
    mounts.set(path, { path, device, root: unescaped(root), type, options: options.split(',') });
  }
  return [...mounts.values()];
}

/** Has another process, with mounts of its own, the same ones as this process? */
export function seesSameMounts(pid: number): boolean {
  try {
    return mountsSeenBy(pid) === mountsSeenBy('self');
  } catch {
    return false; // it has ended
  }
}

/** What is mounted where, without the numbers of the mounts and their order, which a copy of them does not share. */
function mountsSeenBy(pid: number | 'self'): string {
  const lines = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n');
  return lines
    .map((line) => line.split(' ', 6).slice(2).join(' '))
    .toSorted()
    .join('\n');
}

/** The mount that a path of the host lies on. */
export function mountOf(path: string, mounts: readonly HostMount[]): HostMount | undefined {
  const holding = mounts.filter((mount) => isWithin(path, mount.path));
  return holding.toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** Is it this folder, or something in it? Both absolute. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}

/** Blanks and the like are octal numbers, as in fstab. */
function unescaped(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
