import { createWriteStream, statSync } from 'node:fs';
import { chmod, copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { PodrunError } from '../../api/errors.ts';
import { readTar, type TarEntry } from './tar-reader.ts';

export interface UnpackRequest {
  readonly archive: AsyncIterable<Buffer>;
  /** What was packed, by its name in the archive: everything in there begins with it. */
  readonly root: string;
  /** Where it is to be. A file that is to be where a folder is gets into that, by the name of `fileName`. */
  readonly target: string;
  readonly fileName: string;
  /** Give files and folders the rights that they had? */
  readonly preserve: boolean;
  readonly warn: (text: string) => void;
}

/**
 * Writes what an archive holds, which a container has made and nobody trusts: files and folders below the target, and
 * no links, so that nothing gets anywhere else. Answers how many members there were.
 */
export async function unpackTar(request: UnpackRequest): Promise<number> {
  const { archive, root, target, preserve, warn } = request;
  const folderModes: Array<{ readonly folder: string; readonly mode: number }> = [];
  let count = 0;
  for await (const entry of readTar(archive)) {
    count += 1;
    const inside = pathBelow(entry.name, root);
    const file = path.join(inside === '' && entry.type !== 'folder' ? fileTarget(request) : target, inside);
    if (inside.split('/').includes('..')) {
      warn(`warning: file ${JSON.stringify(file)} is outside target destination, skipping`);
      continue;
    }
    await unpackEntry(entry, file, request);
    if (entry.type === 'folder' && preserve) folderModes.push({ folder: file, mode: entry.mode });
  }
  // At last, and from the inside to the outside: a folder may be closed to its owner.
  for (const { folder, mode } of folderModes.toReversed()) await chmod(folder, mode);
  return count;
}

async function unpackEntry(entry: TarEntry, file: string, request: UnpackRequest): Promise<void> {
  const { type, mode, linkName, content } = entry;
  const { preserve, warn, root, target } = request;
  if (type === 'link') return warn(`warning: skipping symlink: ${JSON.stringify(file)} -> ${JSON.stringify(linkName)}`);
  if (type === 'other') return warn(`warning: skipping special file: ${JSON.stringify(file)}`);
  await mkdir(type === 'folder' ? file : path.dirname(file), { recursive: true });
  if (type === 'folder') return;
  if (type === 'hardLink') {
    const first = pathBelow(linkName, root);
    if (first.split('/').includes('..')) return warn(`warning: skipping link: ${JSON.stringify(file)}`);
    await copyFile(path.join(target, first), file);
  } else await pipeline(content, createWriteStream(file));
  if (preserve) await chmod(file, mode);
}

/** Where in what was packed a member is; empty: it is that itself. */
function pathBelow(name: string, root: string): string {
  const plain = name.replace(/\/+$/, '');
  if (plain === root) return '';
  if (plain.startsWith(`${root}/`)) return plain.slice(root.length + 1);
  throw new PodrunError('error: tar contents corrupted');
}

function fileTarget({ target, fileName }: UnpackRequest): string {
  const isFolder = target.endsWith('/') || statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? path.join(target, fileName) : target;
}
