import { createReadStream, type Stats } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Header, type Pack, pack } from 'tar-stream';

export interface PackRequest {
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
