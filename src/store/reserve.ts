import { linkSync, statfsSync, unlinkSync } from 'node:fs';
import { writePrivateFile } from './atomic-file.ts';
import { DiskError, errorCode, ifPresent } from './disk-errors.ts';
import type { PodPaths } from './layout.ts';

/** A status, its line in the transition log, and some Events. */
const BYTES_MIN = 32 * 1024;
const BYTES_PER_CONTAINER = 4 * 1024;

/** What a Pod needs to begin: files of its own, pipes, locks. With less, it would only wait for room. */
const FILES_TO_BEGIN = 40;
const BYTES_TO_BEGIN = 2 * BYTES_MIN;

/** @throws {DiskError} when the disk of the state folder has no room for another Pod */
export function checkRoom(root: string): void {
  const { files, ffree, bavail, bsize } = statfsSync(root);
  // Where the number of files has no limit, it is told to be 0.
  const lack =
    files > 0 && ffree < FILES_TO_BEGIN
      ? `${ffree} more files, and a Pod needs about ${FILES_TO_BEGIN}`
      : bavail * bsize < BYTES_TO_BEGIN
        ? `${bavail * bsize} bytes more, and a Pod needs at least ${BYTES_TO_BEGIN}`
        : undefined;
  if (lack === undefined) return;
  throw new DiskError(`no space left on device: the state folder ${root} has room for ${lack}`, {
    hint: 'Make room there, or choose another folder with --state-dir or PODRUN_STATE_DIR.',
  });
}

/**
 * Room that a Pod keeps for its end: a file in its folder. When the disk is full, the file is removed, and what became
 * of the Pod is written in its place. A disk may also have no room for one file more: a file in memory (tmpfs) is one
 * for each of its names, and to write a status takes two at a time, one for the lock; so the reserve has two names.
 * @param containers of the Pod
 */
export function keepReserve({ reserve, reserveLink }: PodPaths, containers: number): void {
  writePrivateFile(reserve, '\0'.repeat(Math.max(BYTES_MIN, containers * BYTES_PER_CONTAINER)));
  try {
    linkSync(reserve, reserveLink);
  } catch (error) {
    // Some file systems have no second names, and no limit to the number of files either.
    if (errorCode(error) === 'ENOSPC' || errorCode(error) === 'EDQUOT') throw error;
  }
}

/** Gives it up; false when there is none. */
export function spendReserve({ reserve, reserveLink }: PodPaths): boolean {
  ifPresent(() => unlinkSync(reserveLink));
  return ifPresent(() => unlinkSync(reserve) ?? true) ?? false;
}
