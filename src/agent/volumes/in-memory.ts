import { existsSync, lstatSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import type { StoredPod } from '../../api/objects.ts';
import { memoryWanted } from '../../lifecycle/volumes/volume-medium.ts';
import {
  makeMemoryFolder,
  type MemoryArea,
  type MemoryFolder,
  removeMemoryFolders,
} from '../../store/memory-folders.ts';

/**
 * Makes the folder of a volume in memory, and puts a link to it where the volume would be on the disk. One that is on
 * the disk already, because there was no room, stays there.
 * @param link the folder around it is there
 * @returns undefined: it has to be on the disk
 */
export function makeInMemory(
  area: MemoryArea,
  { uid, link, bytes }: { readonly uid: string; readonly link: string; readonly bytes: number },
): MemoryFolder | undefined {
  const found = lstatSync(link, { throwIfNoEntry: false });
  if (found !== undefined && !found.isSymbolicLink()) return undefined;
  const made = makeMemoryFolder(area, uid, path.basename(link), bytes);
  if (made === undefined || (found !== undefined && readlinkSync(link) === made.folder)) return made;
  if (found !== undefined) unlinkSync(link);
  symlinkSync(made.folder, link);
  return made;
}

/**
 * The Pod has ended: what it had in memory goes, and the links to it.
 * @param volumes the Pod's folder of volumes; meanwhile it may be that of the next run
 */
export function removeInMemory({ metadata, spec }: StoredPod, area: MemoryArea, volumes: string): void {
  removeMemoryFolders(area, metadata.uid);
  for (const volume of spec.volumes ?? []) {
    const link = path.join(volumes, volume.name);
    if (memoryWanted(volume) === undefined || existsSync(link)) continue;
    if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true) unlinkSync(link);
  }
}
