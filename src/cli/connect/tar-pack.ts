import { createReadStream, type Stats } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { BLOCK_BYTES, encodeTarHeader, paddingOf, type TarType } from './tar-header.ts';

export interface PackRequest {
  /** What of this machine is packed: a file, or a folder with all that it holds. */
  readonly source: string;
  /** Its name in the archive. */
  readonly name: string;
  /** Told of what no archive can hold. */
  readonly onSkipped: (file: string) => void;
}

/** An archive, piece by piece. */
export async function* packTar({ source, name, onSkipped }: PackRequest): AsyncGenerator<Buffer> {
  yield* packOne(source, name, onSkipped);
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

async function* packOne(file: string, name: string, onSkipped: PackRequest['onSkipped']): AsyncGenerator<Buffer> {
  const stat = await lstat(file);
  const type = typeOf(stat);
  if (type === 'other') {
    onSkipped(file);
    return;
  }
  const { mode, uid, gid, mtimeMs } = stat;
  const linkName = type === 'link' ? await readlink(file) : '';
  const size = type === 'file' ? stat.size : 0;
  yield encodeTarHeader({ name: type === 'folder' ? `${name}/` : name, type, mode, uid, gid, mtimeMs, linkName, size });
  if (size > 0) {
    yield* contentOf(file, size);
    yield Buffer.alloc(paddingOf(size));
  }
  if (type !== 'folder') return;
  for (const entry of (await readdir(file)).toSorted()) {
    yield* packOne(path.join(file, entry), `${name}/${entry}`, onSkipped);
  }
}

function typeOf(stat: Stats): TarType {
  if (stat.isSymbolicLink()) return 'link';
  if (stat.isDirectory()) return 'folder';
  return stat.isFile() ? 'file' : 'other';
}

/** So many bytes of a file, whatever becomes of it meanwhile: the header has said so. */
async function* contentOf(file: string, size: number): AsyncGenerator<Buffer> {
  let left = size;
  for await (const chunk of createReadStream(file, { end: size - 1 })) {
    left -= (chunk as Buffer).length;
    yield chunk as Buffer;
  }
  if (left > 0) throw new Error(`${file} became shorter while it was copied`);
}
