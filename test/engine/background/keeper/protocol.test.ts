import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  encodeKeeperFrame,
  KeeperFrameReader,
  type ToKeeper,
} from '../../../../src/engine/background/keeper/protocol.ts';

const message = fc.string().map((name): ToKeeper => ({ type: 'signal', container: 'a', name, piece: 1 }));
const frames = fc.array(
  fc.record({ message, chunk: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) }),
);

it('frames arrive as they were sent, however they are cut', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sent, cuts) => {
      const bytes = Buffer.concat(sent.map((frame) => encodeKeeperFrame(frame.message, frame.chunk)));
      const reader = new KeeperFrameReader<ToKeeper>();
      const received = [];
      for (let at = 0, cut = 0; at < bytes.length; cut++) {
        const end = at + (cuts[cut % cuts.length] ?? 1);
        received.push(...reader.read(bytes.subarray(at, end)));
        at = end;
      }
      expect(received).toEqual(sent);
    }),
  );
});

it('bytes that are no frames are refused', () => {
  expect(() => new KeeperFrameReader().read(Buffer.from('GET / HTTP/1.1\r\n'))).toThrow(
    'these bytes are no podrun frames',
  );
});
