import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { DICTIONARY, DICTIONARY_ID } from './dictionary.ts';
import { SpdyError } from './frames.ts';

/** The furthest that a compressed block may look back. */
const WINDOW_BYTES = 32 * 1024;
/** The largest headers of one stream. */
const HEADERS_BYTES_MAX = 64 * 1024;

/** zlib's header for deflate with a window of 32 KiB and a dictionary, and the id of the dictionary. */
const ZLIB_HEAD = Buffer.from([0x78, 0xbb, 0, 0, 0, 0]);
ZLIB_HEAD.writeUInt32BE(DICTIONARY_ID, 2);

/** A dictionary follows: a bit of the second byte of zlib's header. */
const HAS_DICTIONARY = 0x20;
const IS_DEFLATE = 8;

/**
 * The text that blocks of one direction may refer to. All header blocks of a direction are one zlib stream, flushed
 * after each block. A flushed block ends with a whole byte, so that it can be handled alone, as raw deflate, with the
 * text before it as its dictionary.
 */
class History {
  bytes: Buffer = DICTIONARY;

  add(block: Buffer): void {
    this.bytes = Buffer.concat([this.bytes, block]).subarray(-WINDOW_BYTES);
  }
}

/** Compresses the header blocks of one direction. */
export class HeaderWriter {
  readonly #history = new History();
  #isBegun = false;

  write(headers: ReadonlyMap<string, string>): Buffer {
    const plain = encodePairs(headers);
    const options = { dictionary: this.#history.bytes, finishFlush: constants.Z_SYNC_FLUSH };
    const block = deflateRawSync(plain, options);
    this.#history.add(plain);
    if (this.#isBegun) return block;
    this.#isBegun = true;
    return Buffer.concat([ZLIB_HEAD, block]);
  }
}

/** Decompresses the header blocks of one direction. Every block must be read, in order. */
export class HeaderReader {
  readonly #history = new History();
  #isBegun = false;

  /** @throws {SpdyError} for a block that is damaged or too large */
  read(block: Buffer): Map<string, string> {
    const plain = this.#inflate(this.#isBegun ? block : this.#withoutHead(block));
    this.#history.add(plain);
    return decodePairs(plain);
  }

  #inflate(block: Buffer): Buffer {
    try {
      return inflateRawSync(block, {
        dictionary: this.#history.bytes,
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: HEADERS_BYTES_MAX,
      });
    } catch (error) {
      throw new SpdyError(`headers cannot be decompressed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #withoutHead(block: Buffer): Buffer {
    this.#isBegun = true;
    const [method = 0, flags = 0] = block;
    if ((method & 0x0f) !== IS_DEFLATE || (method * 256 + flags) % 31 !== 0)
      throw new SpdyError('headers are not compressed with zlib');
    if ((flags & HAS_DICTIONARY) === 0) {
      this.#history.bytes = Buffer.alloc(0);
      return block.subarray(2);
    }
    if (block.length < 6 || block.readUInt32BE(2) !== DICTIONARY_ID)
      throw new SpdyError('headers are compressed with another dictionary');
    return block.subarray(6);
  }
}

/** A count, then for each header its name and its value, each after its length. */
function encodePairs(headers: ReadonlyMap<string, string>): Buffer {
  const texts = [...headers].flatMap(([name, value]) => [name.toLowerCase(), value]);
  return Buffer.concat(
    [uint32(headers.size), ...texts.flatMap((text) => [uint32(Buffer.byteLength(text)), text])].map((part) =>
      typeof part === 'string' ? Buffer.from(part) : part,
    ),
  );
}

function decodePairs(plain: Buffer): Map<string, string> {
  let at = 0;
  const number = (): number => {
    if (at + 4 > plain.length) throw new SpdyError('headers end early');
    at += 4;
    return plain.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > plain.length) throw new SpdyError('headers end early');
    at += length;
    return plain.toString('utf8', at - length, at);
  };
  const headers = new Map<string, string>();
  const count = number();
  for (let index = 0; index < count; index += 1) headers.set(text().toLowerCase(), text());
  return headers;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
