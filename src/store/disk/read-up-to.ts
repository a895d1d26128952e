import { PodrunError } from '../../api/index.ts';
import { troubleOf } from './disk-errors.ts';
import { closeSync, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads a file of the user, which may be a device without an end.
 * @throws {Error} as `readFileSync` does; with the code EFBIG for more than `maxBytes`
 */
export function readUpTo(file: string, maxBytes: number): Buffer {
  const open = openSync(file, 'r');
  try {
    const parts: Buffer[] = [];
    for (let size = 0; size <= maxBytes;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const length = readSync(open, chunk);
      if (length === 0) return Buffer.concat(parts);
      parts.push(chunk.subarray(0, length));
      size += length;
    }
    throw tooLarge(maxBytes);
  } finally {
    closeSync(open);
  }
}

/**
 * Reads a stream as text, for example standard input.
 * @throws {Error} as the stream does; with the code EFBIG for more than `maxBytes`
 */
export async function textUpTo(chunks: AsyncIterable<Uint8Array | string>, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}

function tooLarge(maxBytes: number): Error {
  return Object.assign(new Error(`it holds more than ${maxBytes / 2 ** 20} MiB`), { code: 'EFBIG' });
}

/** The error of a file that the user named, and that cannot be read. */
export function unreadableFile(file: string, error: unknown): PodrunError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = troubleOf(error) ?? message;
  const sentence = code === 'ENOENT' ? `there is no file ${file}` : `cannot read ${file}: ${why}`;
  return new PodrunError('Usage', sentence, { path: file, cause: error });
}
