import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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

it('over real connections, clients that do not read are cut off, and one that reads gets everything', async () => {
  const piece = Buffer.alloc(1024 * 1024, 'x');
  const unread = new UnreadBytes(2 * piece.length);
  const responses: ServerResponse[] = [];
  const server = createServer((_, response) => responses.push(response.writeHead(200)) && response.flushHeaders());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const streams: IncomingMessage[] = [];
    for (let index = 0; index < 3; index++) {
      const sent = get({ port, host: '127.0.0.1', agent: false });
      streams.push(((await once(sent, 'response')) as [IncomingMessage])[0]);
    }
    const [slow, slower, fast] = streams as [IncomingMessage, IncomingMessage, IncomingMessage];
    const ends = [slow, slower].map((stream) => once(stream, 'error'));
    const readers = responses.map((response): Reader => {
      return {
        get unreadBytes() {
          return response.writableLength;
        },
        cutOff: () => void response.destroy(),
      };
    });
    let got = 0;
    let sentBytes = 0;
    fast.on('data', (bytes: Buffer) => (got += bytes.length));
    // The system keeps some megabytes for each connection. The limit bounds what podrun keeps beside them.
    while (responses.slice(0, 2).some(({ destroyed }) => !destroyed)) {
      for (const [index, response] of responses.entries()) {
        if (response.destroyed || (index === 2 && response.writableNeedDrain)) continue;
        response.write(piece);
        if (index === 2) sentBytes += piece.length;
        unread.wrote(readers[index] as Reader);
      }
      const open = responses.filter(({ destroyed }) => !destroyed);
      expect(open.reduce((sum, { writableLength }) => sum + writableLength, 0)).toBeLessThanOrEqual(2 * piece.length);
      await new Promise(setImmediate);
    }
    responses[2]?.end();
    for (const stream of [slow, slower]) stream.resume();
    await Promise.all(ends);
    await once(fast, 'end');
    expect(got).toBe(sentBytes);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
