import { array, assert, nat, property } from 'fast-check';
import { expect, it } from 'vitest';
import { encodeAttachFrame, type AttachFrame, AttachFrameReader } from '../../../src/kubelet/attach/frames.ts';

const frames: AttachFrame[] = [
  { kind: 'message', message: { type: 'attach', container: 'main', stdin: true } },
  { kind: 'stdin', chunk: Buffer.from([0, 255, 10]) },
  { kind: 'stdout', chunk: Buffer.alloc(70_000, 'x') },
  { kind: 'stderr', chunk: Buffer.alloc(0) },
  { kind: 'message', message: { type: 'exit', exitCode: 3 } },
];
const bytes = Buffer.concat(frames.map(encodeAttachFrame));

it('frames arrive as they were sent, however the bytes are cut', () => {
  assert(
    property(array(nat(bytes.length), { maxLength: 20 }), (cuts) => {
      const reader = new AttachFrameReader<unknown>();
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const read = places.slice(1).flatMap((end, index) => reader.read(bytes.subarray(places[index], end)));
      expect(read.map(({ kind }) => kind)).toEqual(frames.map(({ kind }) => kind));
      expect(Buffer.concat((read as AttachFrame[]).map(encodeAttachFrame)).equals(bytes)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

it.each([
  ['a kind that there is not', Buffer.from([9, 0, 0, 0, 0])],
  ['a length that no client sends', Buffer.from([1, 255, 255, 255, 255])],
  ['another language', Buffer.from('GET / HTTP/1.1\r\n')],
  ['a message that is no JSON', Buffer.from([0, 0, 0, 0, 1, 123])],
])('%s is an error', (_, garbage) => {
  expect(() => new AttachFrameReader().read(garbage)).toThrow(/frames|JSON/);
});
