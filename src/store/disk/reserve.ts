import { PodrunError } from '../../api/index.ts';
import { linkSync, statfsSync, unlinkSync } from 'node:fs';
import { writePrivateFile } from './atomic-file.ts';
import { errorCode, ifPossible, ifPresent } from './disk-errors.ts';
import type { PodPaths } from '../base/layout.ts';

/** The room for a status, its line in the transition log, and some Events. */
const BYTES_MIN = 32 * 1024;
const BYTES_PER_CONTAINER = 4 * 1024;

/** The files that a Pod needs to begin: its own, pipes, locks. */
const FILES_TO_BEGIN = 40;
const BYTES_TO_BEGIN = 2 * BYTES_MIN;

/** @throws {PodrunError} (Disk) when the disk of the state folder has no room for another Pod */
export function checkRoom(root: string): void {
  const { files, ffree, bavail, bsize } = statfsSync(root);
  // A file system without a limit to the number of files reports 0 files.
  const lack =
    files > 0 && ffree < FILES_TO_BEGIN
      ? `${ffree} more files, and a Pod needs about ${FILES_TO_BEGIN}`
      : bavail * bsize < BYTES_TO_BEGIN
        ? `${bavail * bsize} bytes more, and a Pod needs at least ${BYTES_TO_BEGIN}`
        : undefined;
  if (lack === undefined) return;
  throw new PodrunError('Disk', `no space left on device: the state folder ${root} has room for ${lack}`, {
    path: root,
    hint: 'Free some space there, or choose another folder with --state-dir or PODRUN_STATE_DIR.',
  });
}

/**
 * Reserves disk space for the end of a Pod: a file in its folder. On a full disk, removing the file makes room for the
 * last status. A disk may also run out of files. To write a status takes two at a time, one for the lock: so the
 * reserve has two names, since tmpfs counts each name as a file.
 * @param containers number of containers of the Pod
 */
export function keepReserve({ reserve, reserveLink }: PodPaths, containers: number): void {
  writePrivateFile(reserve, '\0'.repeat(Math.max(BYTES_MIN, containers * BYTES_PER_CONTAINER)));
  try {
    linkSync(reserve, reserveLink);
  } catch (error) {
    // Some file systems have no hard links. They do not limit the number of files either.
    if (errorCode(error) === 'ENOSPC' || errorCode(error) === 'EDQUOT') throw error;
  }
}

/** Gives the reserve up. False when there is none, or when the disk takes no change at all. */
export function spendReserve({ reserve, reserveLink }: PodPaths): boolean {
  let isSpent = false;
  ifPossible(() => {
    ifPresent(() => unlinkSync(reserveLink));
    isSpent = ifPresent(() => unlinkSync(reserve) ?? true) ?? false;
  });
  return isSpent;
}
