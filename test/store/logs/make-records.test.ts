import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRecords, type RecordOrigin } from '../../../src/store/logs/make-records.ts';

const PIECE_BYTES = 16 * 1024;

/** The records of a chunk, line by line. Latin-1 has a character for each byte. */
function expectedRecords(chunk: Buffer, { time, stream, tags = '' }: RecordOrigin): string {
  const lines = chunk.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines
    .flatMap((line) => {
      const isWhole = line.endsWith('\n');
      const pieces = line.replace('\n', '').match(new RegExp(`.{1,${PIECE_BYTES}}`, 'gs')) ?? [''];
      return pieces.map((piece, index) => {
        const tag = isWhole && index === pieces.length - 1 ? 'F' : 'P';
        return `${time} ${stream} ${tag}${tags} ${piece}\n`;
      });
    })
    .join('');
}

const anyBytes = fc.uint8Array({ maxLength: 200 });
const anyLines = fc
  .array(fc.constantFrom(10, 13, 0, 65, 0xff), { maxLength: 50 })
  .map((bytes) => Uint8Array.from(bytes));
const aboutPieces = fc
  .tuple(fc.constantFrom(1, 2, 3), fc.integer({ min: -3, max: 3 }))
  .map(([pieces, more]) => new Uint8Array(pieces * PIECE_BYTES + more).fill(66));
const anyChunk = fc
  .array(fc.oneof(anyBytes, anyLines, aboutPieces), { minLength: 1, maxLength: 5 })
  .map((parts) => Buffer.concat(parts));
const anyOrigin = fc.record({
  time: fc.constantFrom('2026-11-20T20:01:02.123000000Z', '1970-01-01T00:00:00.000000000Z'),
  stream: fc.constantFrom('stdout' as const, 'stderr' as const),
  tags: fc.constantFrom(undefined, ':preStop', ':preStop:note'),
});

describe('the records of a chunk', () => {
  it('equal the records of its lines one by one, byte for byte, whatever was formatted before', () => {
    fc.assert(
      fc.property(anyChunk, anyOrigin, (chunk, origin) => {
        expect(makeRecords(chunk, origin).toString('latin1')).toBe(expectedRecords(chunk, origin));
      }),
      { numRuns: 500 },
    );
  });

  it('have room when every byte of a chunk is a newline, or the only line is a long one', () => {
    const origin: RecordOrigin = { time: '2026-11-20T20:01:02.123000000Z', stream: 'stdout', tags: ':preStop' };
    for (const byte of ['\n', 'x']) {
      const chunk = Buffer.from(byte.repeat(70_000));
      expect(makeRecords(chunk, origin).toString('latin1')).toBe(expectedRecords(chunk, origin));
    }
  });
});
