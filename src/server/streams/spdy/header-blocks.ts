import { errorMessage } from '../../../api/index.ts';
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { SpdyError } from './frames.ts';

/** Words before the dictionary's free text, each with its length in front. */
const WORDS =
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow ' +
  'authorization cache-control connection content-base content-encoding content-language content-length ' +
  'content-location content-md5 content-range content-type date etag expect expires from host if-match ' +
  'if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma ' +
  'proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade ' +
  'user-agent vary via warning www-authenticate method get status';

const MORE_WORDS = ['200 OK', 'version', 'HTTP/1.1', 'url', 'public', 'set-cookie', 'keep-alive', 'origin'];

const TEXT =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505' +
  '203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden' +
  '404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable' +
  'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT' +
  'chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,' +
  'publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.';

/** The text that both sides of a SPDY/3 connection know before the first header. Source: SPDY/3 draft, 2.6.10.1. */
export const DICTIONARY: Buffer = Buffer.concat([
  ...[...WORDS.split(' '), ...MORE_WORDS].map((word) => {
    const bytes = Buffer.from(word);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  }),
  Buffer.from(TEXT),
]);

/** Adler-32 of the dictionary: it stands at the beginning of a compressed stream. */
const DICTIONARY_ID = 0xe3c6a7c2;

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
      throw new SpdyError(`headers cannot be decompressed: ${errorMessage(error)}`);
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
