import { existsSync, lstatSync, readlinkSync, type Stats, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { resolvedUid, type StoredPod } from '../../api/index.ts';
import { memoryWanted } from '../../lifecycle/index.ts';
import { makeMemoryFolder, type MemoryArea, type MemoryFolder, removeMemoryFolders } from './memory-folders.ts';

/**
 * Creates the folder of a volume in memory, and a link to it in the place of a folder on disk. A volume that is on disk
 * already, because the memory had no room, stays there.
 * @param link the parent folder exists
 * @returns undefined: the volume has to be on disk
 */
export function makeInMemory(
  area: MemoryArea,
  { uid, link, bytes }: { readonly uid: string; readonly link: string; readonly bytes: number },
): MemoryFolder | undefined {
  const present = linkAt(link);
  if (present !== undefined && !present.isSymbolicLink()) return undefined;
  const made = makeMemoryFolder(area, uid, path.basename(link), bytes);
  if (made !== undefined) linkToMemory(link, made.folder);
  return made;
}

/** Makes the link to a volume in memory lead there. */
export function linkToMemory(link: string, folder: string): void {
  const present = linkAt(link);
  if (present !== undefined && readlinkSync(link) === folder) return;
  if (present !== undefined) unlinkSync(link);
  symlinkSync(folder, link);
}

function linkAt(link: string): Stats | undefined {
  return lstatSync(link, { throwIfNoEntry: false });
}

/**
 * Removes the volumes in memory of a Pod that has ended, and the links to them.
 * @param volumes the Pod's folder of volumes, which may belong to the next run by now
 */
export function removeInMemory(pod: StoredPod, area: MemoryArea, volumes: string): void {
  removeMemoryFolders(area, resolvedUid(pod));
  for (const volume of pod.spec.volumes ?? []) {
    const link = path.join(volumes, volume.name);
    if (memoryWanted(volume) === undefined || existsSync(link)) continue;
    if (linkAt(link)?.isSymbolicLink() === true) unlinkSync(link);
  }
}
