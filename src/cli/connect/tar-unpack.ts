import { statSync } from 'node:fs';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Extract, extract, type Header } from 'tar-stream';
import { PodrunError } from '../../api/errors.ts';

export interface UnpackRequest {
  readonly archive: Readable;
  /** The name of what was packed: the name of every entry begins with it. */
  readonly root: string;
  /** The path to unpack to. A file whose target is a folder goes into that folder, under the name `fileName`. */
  readonly target: string;
  readonly fileName: string;
  /** True: files and folders keep their permissions. */
  readonly preserve: boolean;
  readonly warn: (text: string) => void;
}

/**
 * Unpacks an archive that a container has made, which podrun does not trust: files and folders below the target, and no
 * links, so that no entry leads out of the target. Answers the number of entries.
 * @throws {Error} when the archive is damaged or ends too early
 */
export async function unpackTar(request: UnpackRequest): Promise<number> {
  const entries = extract();
  // A damaged archive also ends the entry that is being read, with an error that says less.
  let damage: unknown;
  entries.on('error', (error) => (damage = error));
  const reading = pipeline(request.archive, entries).catch(() => undefined);
  try {
    return await unpackEntries(entries, request);
  } catch (error) {
    throw damage ?? error;
  } finally {
    await reading;
  }
}

async function unpackEntries(entries: Extract, request: UnpackRequest): Promise<number> {
  const { root, target, preserve, warn } = request;
  const folderModes: Array<{ readonly folder: string; readonly mode: number }> = [];
  let count = 0;
  for await (const entry of entries) {
    count += 1;
    const { name, type, mode } = entry.header;
    const inside = pathBelow(name, root);
    const file = path.join(inside === '' && type !== 'directory' ? fileTarget(request) : target, inside);
    if (inside.split('/').includes('..')) {
      warn(`warning: file ${JSON.stringify(file)} is outside target destination, skipping`);
    } else {
      await unpackEntry(entry as unknown as Entry, file, request);
      if (type === 'directory' && preserve) folderModes.push({ folder: file, mode: mode & MODE_BITS });
    }
    // An entry that nothing has read would hold up the next one.
    entry.resume();
  }
  // Last, and from the inside to the outside: a folder may forbid its owner to write.
  for (const { folder, mode } of folderModes.toReversed()) await chmod(folder, mode);
  return count;
}

type Entry = AsyncIterable<Buffer> & { readonly header: Header };

/** The permissions of owner, group and others: no setuid bit comes out of a container. */
const MODE_BITS = 0o777;

async function unpackEntry(entry: Entry, file: string, request: UnpackRequest): Promise<void> {
  const { type, mode, linkname } = entry.header;
  const { preserve, warn, root, target } = request;
  if (type === 'symlink') {
    return warn(`warning: skipping symlink: ${JSON.stringify(file)} -> ${JSON.stringify(linkname)}`);
  }
  if (type === 'directory') return void (await mkdir(file, { recursive: true }));
  if (type !== 'file' && type !== 'contiguous-file' && type !== 'link') {
    return warn(`warning: skipping special file: ${JSON.stringify(file)}`);
  }
  await mkdir(path.dirname(file), { recursive: true });
  if (type === 'link') {
    const first = pathBelow(linkname, root);
    if (first.split('/').includes('..')) return warn(`warning: skipping link: ${JSON.stringify(file)}`);
    await copyFile(path.join(target, first), file);
  } else await writeFile(file, entry);
  if (preserve) await chmod(file, mode & MODE_BITS);
}

/** The path of an entry below what was packed; empty for what was packed itself. */
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
