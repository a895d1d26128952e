import { pipeline, Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';
import { inBackground } from '../../defects.ts';
import { startStreamHelper } from '../../runtime/index.ts';
import { LayerError } from './layer-filter.ts';

/** A larger piece means fewer turns of the event loop: a layer has hundreds of megabytes. */
const PIECE_BYTES = 512 * 1024;
/** The first bytes of each format. Source: RFC 1952, RFC 8878. */
const GZIP = Buffer.from([0x1f, 0x8b]);
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Node has it from 22.15 on. */
type ZstdOf = typeof zlib & { readonly createZstdDecompress?: (options: { chunkSize: number }) => Transform };

/**
 * Unpacks gzip and zstd, and passes on what is not compressed. The bytes say what they are: media types of layers are
 * often wrong.
 * @throws {LayerError} for zstd, where neither Node nor this machine can unpack it
 */
export async function decompressed(content: Readable): Promise<Readable> {
  const pieces = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const first = await pieces.next();
  const head = first.done === true ? Buffer.alloc(0) : first.value;
  const whole = Readable.from(again(head, pieces), { objectMode: false, highWaterMark: PIECE_BYTES });
  if (startsWith(head, GZIP)) return through(whole, zlib.createGunzip({ chunkSize: PIECE_BYTES }));
  if (!startsWith(head, ZSTD)) return whole;
  const createZstd = (zlib as ZstdOf).createZstdDecompress;
  if (createZstd !== undefined) return through(whole, createZstd({ chunkSize: PIECE_BYTES }));
  const helper = await startStreamHelper({ program: 'zstd', args: ['-dcq'] });
  const unpacked = helper.stdout;
  pipeline(whole, helper.stdin, () => undefined);
  inBackground(
    helper.ended.then((outcome) => {
      if (!outcome.ok) unpacked.destroy(new LayerError(`zstd layers need Node 22.15 or zstd(1): ${outcome.why}`));
    }),
  );
  return unpacked;
}

async function* again(head: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* { [Symbol.asyncIterator]: () => pieces };
}

function startsWith(bytes: Buffer, magic: Buffer): boolean {
  return bytes.subarray(0, magic.length).equals(magic);
}

/** Errors of the content appear at the end. */
function through(content: Readable, transform: Transform): Readable {
  return pipeline(content, transform, () => undefined);
}
