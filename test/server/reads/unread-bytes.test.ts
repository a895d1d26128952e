import { expect, it } from 'vitest';
import { type Reader, UnreadBytes } from '../../../src/server/reads/unread-bytes.ts';

/** A client that reads nothing but what the test lets it read. */
function readerIn(unread: UnreadBytes, cutOff: string[], name: string): { write(bytes: number): void; read(): void } {
  let bytes = 0;
  const reader: Reader = {
    get unreadBytes() {
      return bytes;
    },
    cutOff: () => {
      cutOff.push(name);
      bytes = 0;
    },
  };
  return {
    write: (more) => {
      bytes += more;
      unread.wrote(reader);
    },
    read: () => (bytes = 0),
  };
}

it('the slowest reader is cut off first, and only as many as have to be', () => {
  const unread = new UnreadBytes(100);
  const cutOff: string[] = [];
  const [fast, slow, slower] = ['fast', 'slow', 'slower'].map((name) => readerIn(unread, cutOff, name));
  slower?.write(60);
  slow?.write(40);
  expect(cutOff).toEqual([]);
  fast?.write(1);
  expect(cutOff).toEqual(['slower']);
  fast?.write(59);
  expect(cutOff).toEqual(['slower']);
  slow?.write(30);
  expect(cutOff).toEqual(['slower', 'slow']);
});

it('what was read since the last write does not count', () => {
  const unread = new UnreadBytes(100);
  const cutOff: string[] = [];
  const [one, other] = ['one', 'other'].map((name) => readerIn(unread, cutOff, name));
  one?.write(90);
  one?.read();
  other?.write(90);
  expect(cutOff).toEqual([]);
});
