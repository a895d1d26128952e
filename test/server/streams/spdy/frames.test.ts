import { createDeflate, constants } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DICTIONARY } from '../../../../src/server/streams/spdy/header-blocks.ts';
import { SpdyFrameReader } from '../../../../src/server/streams/spdy/frame-reader.ts';
import { encodeSpdyFrame, type SpdyFrame, SpdyError } from '../../../../src/server/streams/spdy/frames.ts';
import { HeaderReader, HeaderWriter } from '../../../../src/server/streams/spdy/header-blocks.ts';

const streamId = fc.integer({ min: 1, max: 0x7fff_ffff });
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const isLast = fc.boolean();

const frame: fc.Arbitrary<SpdyFrame> = fc.oneof(
  fc.record({ type: fc.constant('synStream' as const), streamId, headers: bytes, isLast }),
  fc.record({ type: fc.constant('synReply' as const), streamId, headers: bytes, isLast }),
  fc.record({ type: fc.constant('headers' as const), streamId, headers: bytes, isLast }),
  fc.record({ type: fc.constant('rstStream' as const), streamId, status: fc.nat() }),
  fc.record({ type: fc.constant('settings' as const) }),
  fc.record({ type: fc.constant('ping' as const), id: fc.nat() }),
  fc.record({ type: fc.constant('goAway' as const), lastStreamId: streamId, status: fc.nat() }),
  fc.record({ type: fc.constant('windowUpdate' as const), streamId, bytes: fc.nat() }),
  fc.record({ type: fc.constant('data' as const), streamId, chunk: bytes, isLast }),
);

/** The pieces of bytes, cut at the places. */
function cut(whole: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (whole.length + 1)), whole.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => whole.subarray(ends[index - 1] ?? 0, end));
}

/** Joins the pieces of each data frame again. */
function joined(frames: readonly SpdyFrame[]): SpdyFrame[] {
  const all: SpdyFrame[] = [];
  for (const next of frames) {
    const last = all.at(-1);
    const isMore = next.type === 'data' && last?.type === 'data' && last.streamId === next.streamId && !last.isLast;
    if (isMore) all.splice(-1, 1, { ...next, chunk: Buffer.concat([last.chunk, next.chunk]) });
    else all.push(next);
  }
  return all;
}

function errorOf(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('frames', () => {
  it('are the same, however the bytes are split', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 30 }), (frames, places) => {
        const reader = new SpdyFrameReader();
        const read = cut(Buffer.concat(frames.map(encodeSpdyFrame)), places).flatMap((piece) => reader.read(piece));
        expect(joined(read)).toEqual(joined(frames));
      }),
    );
  });

  it('of garbage are an error or frames, and little is kept', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 2000 }), { maxLength: 20 }), (pieces) => {
        const reader = new SpdyFrameReader();
        const error = errorOf(() => {
          for (const piece of pieces) reader.read(Buffer.from(piece));
        });
        expect(error === undefined || error instanceof SpdyError).toBe(true);
      }),
    );
  });

  it('that are too long or of another version are an error', () => {
    const read = (hex: string): SpdyFrame[] => new SpdyFrameReader().read(Buffer.from(hex, 'hex'));
    expect(() => read('8003000100ffffff')).toThrow('a control frame has 16777215 bytes');
    expect(() => read('8002000100000000')).toThrow('version 2 of SPDY');
    expect(() => read('8003000300000004')).not.toThrow();
    expect(() => read('800300030000000400000001')).toThrow('type 3 is too short');
  });

  it('of unknown types are skipped', () => {
    const ping = encodeSpdyFrame({ type: 'ping', id: 7 });
    const unknown = Buffer.from('800300ff00000002abcd', 'hex');
    expect(new SpdyFrameReader().read(Buffer.concat([unknown, ping]))).toEqual([{ type: 'ping', id: 7 }]);
  });

  it('pass data on before its frame is complete', () => {
    const reader = new SpdyFrameReader();
    const whole = encodeSpdyFrame({ type: 'data', streamId: 1, chunk: Buffer.from('hello'), isLast: true });
    expect(reader.read(whole.subarray(0, 10))).toEqual([
      { type: 'data', streamId: 1, chunk: Buffer.from('he'), isLast: false },
    ]);
    expect(reader.read(whole.subarray(10))).toEqual([
      { type: 'data', streamId: 1, chunk: Buffer.from('llo'), isLast: true },
    ]);
  });
});

/** The blocks that a client makes with zlib itself: one stream, flushed after each block. */
async function zlibBlocks(texts: readonly Buffer[], dictionary: Buffer | undefined): Promise<Buffer[]> {
  const deflate = createDeflate(dictionary && { dictionary });
  const blocks: Buffer[] = [];
  let block: Buffer[] = [];
  deflate.on('data', (piece: Buffer) => block.push(piece));
  for (const text of texts) {
    deflate.write(text);
    await new Promise<void>((resolve) => {
      deflate.flush(constants.Z_SYNC_FLUSH, resolve);
    });
    blocks.push(Buffer.concat(block));
    block = [];
  }
  deflate.destroy();
  return blocks;
}

function plainPairs(headers: Readonly<Record<string, string>>): Buffer {
  const number = (value: number): Buffer => Buffer.from([0, 0, value >> 8, value & 255]);
  const texts = Object.entries(headers).flat();
  return Buffer.concat([
    number(texts.length / 2),
    ...texts.flatMap((text) => [number(Buffer.byteLength(text)), Buffer.from(text)]),
  ]);
}

describe('headers', () => {
  it.each([
    { how: 'with the dictionary', dictionary: DICTIONARY },
    { how: 'without', dictionary: undefined },
  ])('of a client that compresses $how are read', async ({ dictionary }) => {
    const sent = Array.from({ length: 40 }, (_, index) => ({
      streamtype: index % 2 === 0 ? 'error' : 'data',
      port: '80',
      requestid: String(index >> 1),
      'content-type': 'text/html',
    }));
    const reader = new HeaderReader();
    const blocks = await zlibBlocks(sent.map(plainPairs), dictionary);
    expect(blocks.map((block) => Object.fromEntries(reader.read(block)))).toEqual(sent);
  });

  it('are read as they were written, over more than the window', () => {
    const texts = fc.dictionary(fc.stringMatching(/^[a-z-]{1,12}$/), fc.string({ maxLength: 4000 }), { maxKeys: 6 });
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 12 }), (all) => {
        const [writer, reader] = [new HeaderWriter(), new HeaderReader()];
        for (const headers of all) {
          const pairs = new Map(Object.entries(headers));
          expect(reader.read(writer.write(pairs))).toEqual(pairs);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('that are damaged, too large, or made with another dictionary are an error', () => {
    const large = new HeaderWriter().write(new Map([['x', 'a'.repeat(100_000)]]));
    expect(() => new HeaderReader().read(large)).toThrow(SpdyError);
    expect(() => new HeaderReader().read(Buffer.from('78bb00000001', 'hex'))).toThrow('another dictionary');
    expect(() => new HeaderReader().read(Buffer.from('hello'))).toThrow('not compressed with zlib');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (garbage) => {
        const head = new HeaderWriter().write(new Map()).subarray(0, 6);
        const error = errorOf(() => new HeaderReader().read(Buffer.concat([head, garbage])));
        expect(error === undefined || error instanceof SpdyError).toBe(true);
      }),
    );
  });

  it('begin with the id of the dictionary', async () => {
    const [block] = await zlibBlocks([Buffer.from('x')], DICTIONARY);
    expect(block?.subarray(2, 6).toString('hex')).toBe('e3c6a7c2');
  });
});
