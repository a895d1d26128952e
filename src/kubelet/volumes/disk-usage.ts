import { promises, type Stats } from 'node:fs';
import path from 'node:path';

/** The unit of `stats.blocks` in bytes, on every file system. */
const BLOCK_BYTES = 512;
/** The most files that are counted: more would take too long. */
const FILES_MAX = 200_000;

/**
 * The bytes of disk that a folder takes, as `du -x` counts: does not follow links or enter other file systems, and
 * counts a file with several names once. Leaves out files that vanish or cannot be read.
 * Source: pkg/volume/util/fs/fs.go DiskUsage.
 * @param enoughBytes counting stops above this
 * @returns bytes; a lower bound when there are too many files
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
      const file = path.join(next, name);
      const stats = await statsOf(file);
      if (stats === undefined || stats.dev !== root.dev) continue;
      if (stats.isDirectory()) folders.push(file);
      else if (stats.nlink > 1) {
        if (seen.has(`${stats.ino}`)) continue;
        seen.add(`${stats.ino}`);
      }
      bytes += stats.blocks * BLOCK_BYTES;
    }
  }
  return bytes;
}

function statsOf(file: string): Promise<Stats | undefined> {
  return promises.lstat(file).catch(() => undefined);
}

async function* namesIn(folder: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await promises.opendir(folder)) yield name;
  } catch {
    // The folder is gone or cannot be read.
  }
}
