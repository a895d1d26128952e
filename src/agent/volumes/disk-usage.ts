import { promises, type Stats } from 'node:fs';
import path from 'node:path';

/** What a file takes of the disk is told in blocks of this many bytes, whatever the file system uses. */
const BLOCK_BYTES = 512;
/** Looking at more files than this would cost more than it tells. */
const FILES_MAX = 200_000;

/**
 * What a folder takes of its disk, as `du -x` counts it: links are not followed, other file systems not entered, a
 * file with several names counts once. What vanishes meanwhile, or may not be read, counts for nothing.
 * Source: pkg/volume/util/fs/fs.go DiskUsage.
 * @param enoughBytes when it is more than this, nobody wants to know how much more
 * @returns bytes; at least the least that is known, when there are too many files
 */
export async function diskUsage(folder: string, enoughBytes: number): Promise<number> {
  const root = await statsOf(folder);
  if (root === undefined) return 0;
  const seen = new Set<string>();
  const folders = [folder];
  let bytes = root.blocks * BLOCK_BYTES;
  let files = 0;
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for await (const name of namesIn(next)) {
      if (bytes > enoughBytes || files >= FILES_MAX) return bytes;
      files += 1;
      const place = path.join(next, name);
      const stats = await statsOf(place);
      if (stats === undefined || stats.dev !== root.dev) continue;
      if (stats.isDirectory()) folders.push(place);
      else if (stats.nlink > 1) {
        if (seen.has(`${stats.ino}`)) continue;
        seen.add(`${stats.ino}`);
      }
      bytes += stats.blocks * BLOCK_BYTES;
    }
  }
  return bytes;
}

async function statsOf(place: string): Promise<Stats | undefined> {
  try {
    return await promises.lstat(place);
  } catch {
    return undefined;
  }
}

async function* namesIn(folder: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await promises.opendir(folder)) yield name;
  } catch {
    // Gone, or somebody else's.
  }
}
