import {
  BLOCK_BYTES,
  decodeExtended,
  decodeTarHeader,
  paddingOf,
  type RawHeader,
  type TarHeader,
  typeOf,
} from './tar-header.ts';

/** A member of an archive. Its content is read before the next one comes, or not at all. */
export interface TarEntry extends Omit<TarHeader, 'mtimeMs' | 'uid' | 'gid'> {
  readonly content: AsyncIterable<Buffer>;
}

/** Long names are no longer. */
const TEXT_BYTES_MAX = 1024 * 1024;

/**
 * The members of a tar archive, in order.
 * @throws {Error} for what is no archive, or ends too early
 */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new ByteSource(source);
  const changed: Partial<Record<'name' | 'linkName', string> & { size: number }> = {};
  for (;;) {
    const block = await bytes.take(BLOCK_BYTES);
    const header = block && decodeTarHeader(block);
    if (header === undefined) return await bytes.drain();
    const change = await changeIn(header, bytes);
    if (change !== undefined) {
      Object.assign(changed, change);
      continue;
    }
    const { sign, ...whole } = { ...header, ...changed };
    for (const key of ['name', 'linkName', 'size'] as const) delete changed[key];
    const content = bytes.portion(whole.size);
    yield { ...whole, type: typeOf(sign), content };
    for await (const _ of content);
    await bytes.skip(paddingOf(whole.size));
  }
}

/** What a header that is no member says of the next one; undefined: it is a member. */
async function changeIn(header: RawHeader, bytes: ByteSource): Promise<Partial<TarHeader> | undefined> {
  const { sign, size } = header;
  if (!['L', 'K', 'x', 'g'].includes(sign)) return undefined;
  if (size > TEXT_BYTES_MAX) throw new Error('a name in the archive is too long');
  const text = (await bytes.take(size)) ?? Buffer.alloc(0);
  await bytes.skip(paddingOf(size));
  const plain = text.toString('utf8').replace(/\0.*$/s, '');
  if (sign === 'L') return { name: plain };
  if (sign === 'K') return { linkName: plain };
  if (sign === 'g') return {};
  const pairs = decodeExtended(text);
  const [name, linkName, length] = ['path', 'linkpath', 'size'].map((key) => pairs.get(key));
  return {
    ...(name === undefined ? {} : { name }),
    ...(linkName === undefined ? {} : { linkName }),
    ...(length === undefined ? {} : { size: Number(length) }),
  };
}

/** Bytes that come in pieces, taken in other pieces. */
class ByteSource {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** So many bytes; undefined at the end. */
  async take(length: number): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [];
    for await (const piece of this.#pieces(length)) pieces.push(piece);
    const taken = Buffer.concat(pieces);
    if (taken.length === length) return taken;
    if (taken.length > 0) throw new Error('the archive ends too early');
    return undefined;
  }

  async skip(length: number): Promise<void> {
    for await (const _ of this.#pieces(length));
  }

  /** So many bytes, as they come. */
  async *portion(length: number): AsyncGenerator<Buffer> {
    let left = length;
    for await (const piece of this.#pieces(length)) {
      left -= piece.length;
      yield piece;
    }
    if (left > 0) throw new Error('the archive ends too early');
  }

  /** What comes behind the end: whoever writes it must not wait for ever. */
  async drain(): Promise<void> {
    while ((await this.#source.next()).done !== true);
  }

  async *#pieces(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0;) {
      if (this.#rest.length === 0) {
        const next = await this.#source.next();
        if (next.done === true) return;
        this.#rest = next.value;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      if (piece.length > 0) yield piece;
    }
  }
}
