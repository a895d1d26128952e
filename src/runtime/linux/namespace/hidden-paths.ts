import path from 'node:path';
import { type HostMount, isInFolder, mountOf } from './host-mounts.ts';

/**
 * All paths at which folders of the host are visible: their own, and those below other mounts of the same file system.
 * @param folders absolute, without links
 */
export function hiddenPaths(folders: readonly string[], hostMounts: readonly HostMount[]): string[] {
  const places = folders.flatMap((folder) => {
    const own = mountOf(folder, hostMounts);
    if (own === undefined) return [folder];
    const inFileSystem = path.join(own.root, path.relative(own.path, folder));
    const others = hostMounts.filter(({ device, root }) => device === own.device && isInFolder(inFileSystem, root));
    return [folder, ...others.map((other) => path.join(other.path, path.relative(other.root, inFileSystem)))];
  });
  return [...new Set(places)];
}
