import path from 'node:path';
import { statQuietly } from '../../quietly.ts';

/** A user without the rights of root. */
export interface OtherUser {
  readonly uid: number;
  /** All groups of the user. */
  readonly groups: readonly number[];
}

/** True when this user may enter every folder above a file or folder. Checks the permission bits alone. */
export function canReach(place: string, who: OtherUser): boolean {
  for (let folder = path.dirname(place); ; folder = path.dirname(folder)) {
    if (!mayEnter(folder, who)) return false;
    if (folder === path.dirname(folder)) return true;
  }
}

function mayEnter(folder: string, { uid, groups }: OtherUser): boolean {
  const stats = statQuietly(folder);
  if (stats === undefined) return false;
  if (stats.uid === uid) return (stats.mode & 0o100) !== 0;
  return (stats.mode & (groups.includes(stats.gid) ? 0o010 : 0o001)) !== 0;
}
