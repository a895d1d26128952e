import { createReadStream, type Stats } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readdir, readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Extract, extract, type Header, type Pack, pack } from 'tar-stream';
import { PodrunError } from '../../api/index.ts';
import { statQuietly } from '../../quietly.ts';

interface PackRequest {
  /** A local file, or a folder with all of its files. */
  readonly source: string;
  /** The name of `source` in the archive. */
  readonly name: string;
  /** Called with each file that no archive can hold: a socket, a device. */
  readonly onSkipped: (file: string) => void;
}

/** The part of a header that an entry needs. */
type EntryHeader = Pick<Header, 'name'> & Partial<Header>;
type HeaderType = 'file' | 'directory' | 'symlink';

/** The largest id that a tar header holds, in six octal digits. podrun writes a larger id as 0. */
const ID_MAX = 0o777777;

/** The bytes of a tar archive, in chunks. Throws when a file cannot be read. */
export async function* packTar({ source, name, onSkipped }: PackRequest): AsyncGenerator<Buffer> {
  const archive = pack();
  packOne(archive, source, name, onSkipped).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  );
  yield* archive as unknown as AsyncIterable<Buffer>;
}

async function packOne(archive: Pack, file: string, name: string, onSkipped: (file: string) => void): Promise<void> {
  const stat = await lstat(file);
  const type = typeOf(stat);
  if (type === undefined) return onSkipped(file);
  const { size, mode, uid, gid, mtime } = stat;
  const common = { name, type, mode: mode & 0o777, uid: idOf(uid), gid: idOf(gid), mtime };
  if (type === 'file') return addFile(archive, file, { ...common, size });
  if (type === 'symlink') return add(archive, { ...common, linkname: await readlink(file) });
  await add(archive, { ...common, name: `${name}/` });
  for (const entry of (await readdir(file)).toSorted())
    await packOne(archive, path.join(file, entry), `${name}/${entry}`, onSkipped);
}

function typeOf(stat: Stats): HeaderType | undefined {
  if (stat.isSymbolicLink()) return 'symlink';
  if (stat.isDirectory()) return 'directory';
  return stat.isFile() ? 'file' : undefined;
}

const idOf = (id: number): number => (id > ID_MAX ? 0 : id);

/** Adds an entry without content. */
async function add(archive: Pack, header: EntryHeader): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    archive.entry(header, '', (error) => (error ? reject(error) : resolve()));
  });
}

/** Adds a file. The header states its size: podrun cuts a file that grows meanwhile, and throws when a file shrinks. */
async function addFile(archive: Pack, file: string, header: EntryHeader & { readonly size: number }): Promise<void> {
  if (header.size === 0) return add(archive, header);
  const content = createReadStream(file, { end: header.size - 1 });
  try {
    await pipeline(content, archive.entry(header));
  } catch (error) {
    if (content.bytesRead >= header.size || !content.readableEnded) throw error;
    throw new Error(`${file} became shorter while it was copied`, { cause: error });
  }
}

interface UnpackRequest {
  readonly archive: Readable;
  /** The name of the packed file or folder: every entry begins with this name. */
  readonly root: string;
  /** The file or folder to unpack to, as messages name it. A file goes into a folder under the name `fileName`. */
  readonly target: string;
  /** Leads from such a name to a path that can be opened. */
  readonly pathOf: (file: string) => string;
  readonly fileName: string;
  /** True keeps the permissions of files and folders. */
  readonly preserve: boolean;
  readonly warn: (text: string) => void;
}

/**
 * Unpacks an archive from a container, which podrun does not trust. Writes files and folders below the target and no
 * links, so that no entry leads out of the target. Returns the number of entries.
 * @throws {Error} when the archive is damaged or incomplete
 */
export async function unpackTar(request: UnpackRequest): Promise<number> {
  const entries = extract();
  // A damaged archive also breaks the entry that podrun reads, with a less useful error.
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
      await unpackEntry(entry as unknown as TarEntry, file, request);
      if (type === 'directory' && preserve) folderModes.push({ folder: request.pathOf(file), mode: mode & MODE_BITS });
    }
    // Discards the rest of the entry: tar-stream waits for it before the next entry.
    entry.resume();
  }
  // Sets permissions last, the innermost folder first: a folder may deny its owner to write.
  for (const { folder, mode } of folderModes.toReversed()) await chmod(folder, mode);
  return count;
}

type TarEntry = AsyncIterable<Buffer> & { readonly header: Header };

/** The permission bits of the owner, the group and all users. podrun takes no setuid bit from a container. */
const MODE_BITS = 0o777;

async function unpackEntry(entry: TarEntry, file: string, request: UnpackRequest): Promise<void> {
  const { type, mode, linkname } = entry.header;
  const { preserve, warn, root, target, pathOf } = request;
  const place = pathOf(file);
  if (type === 'symlink') {
    return warn(`warning: skipping symlink: ${JSON.stringify(file)} -> ${JSON.stringify(linkname)}`);
  }
  if (type === 'directory') return void (await mkdir(place, { recursive: true }));
  if (type !== 'file' && type !== 'contiguous-file' && type !== 'link') {
    return warn(`warning: skipping special file: ${JSON.stringify(file)}`);
  }
  await mkdir(path.dirname(place), { recursive: true });
  if (type === 'link') {
    const first = pathBelow(linkname, root);
    if (first.split('/').includes('..')) return warn(`warning: skipping link: ${JSON.stringify(file)}`);
    await copyFile(pathOf(path.join(target, first)), place);
  } else await writeFile(place, entry);
  if (preserve) await chmod(place, mode & MODE_BITS);
}

/** The path of an entry below the packed folder. Empty for the packed folder or file itself. */
function pathBelow(name: string, root: string): string {
  const plain = name.replace(/(?<!\/)\/+$/, '');
  if (plain === root) return '';
  if (plain.startsWith(`${root}/`)) return plain.slice(root.length + 1);
  throw new PodrunError('Invalid', 'tar contents corrupted');
}

function fileTarget({ target, fileName, pathOf }: UnpackRequest): string {
  const isFolder = target.endsWith('/') || statQuietly(pathOf(target))?.isDirectory() === true;
  return isFolder ? path.join(target, fileName) : target;
}
