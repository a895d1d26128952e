import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const answer = (line: string, ...headers: readonly string[]): Buffer =>
  bytes(`${[`HTTP/1.1 ${line}`, ...headers, 'Content-Length: 2'].join('\r\n')}\r\n\r\nhi`);
const OK = answer('200 OK');

/** Answers of a program, and the status code that a client gets. */
export const HOSTILE_ANSWERS: ReadonlyMap<string, { readonly answer: Buffer; readonly code: number }> = new Map(
  Object.entries({
    '/000': [answer('000 OK'), 502],
    '/099': [answer('099 x'), 502],
    '/999': [answer('999 Own'), 999],
    '/9999': [answer('9999 Own'), 502],
    '/reason-control': [answer('200 O\x01K'), 200],
    '/reason-utf8': [answer('200 \xc3\x96K'), 200],
    '/101': [answer('101 Switching', 'Upgrade: x', 'Connection: Upgrade'), 502],
    '/101-bare': [bytes('HTTP/1.1 101 Switching\r\n\r\n'), 502],
    '/103': [Buffer.concat([bytes('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'), OK]), 200],
    '/100-often': [Buffer.concat([bytes('HTTP/1.1 100 Continue\r\n\r\n'.repeat(2000)), OK]), 502],
    '/102-often': [Buffer.concat([bytes('HTTP/1.1 102 Processing\r\n\r\n'.repeat(2000)), OK]), 502],
    '/header-control': [answer('200 OK', 'X: a\x01b'), 502],
    '/header-nul': [answer('200 OK', 'X: a\0b'), 502],
    '/header-name': [answer('200 OK', 'X y: a'), 502],
    '/header-empty': [answer('200 OK', ': a'), 502],
    '/header-fold': [answer('200 OK', 'X: a', ' b'), 502],
    '/header-cr': [answer('200 OK', 'X: a\rY: b'), 502],
    '/headers-large': [answer('200 OK', `X: ${'a'.repeat(100_000)}`), 502],
    '/length-and-chunks': [answer('200 OK', 'Transfer-Encoding: chunked'), 502],
    '/two-lengths': [answer('200 OK', 'Content-Length: 3'), 502],
    '/length-word': [bytes('HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nhi'), 502],
    '/204-body': [answer('204 None'), 204],
    '/304-body': [answer('304 Same'), 304],
    '/more-than-length': [Buffer.concat([OK, Buffer.alloc(100_000, 'x')]), 200],
    '/garbage': [Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256)), 502],
    '/nothing': [Buffer.alloc(0), 502],
    '/head-cut': [bytes('HTTP/1.1 200 OK\r\nContent-Le'), 502],
    '/http09': [bytes('hi'), 502],
    '/connection-length': [answer('200 OK', 'Connection: close, content-length'), 200],
  } satisfies Record<string, [Buffer, number]>).map(([path, [given, code]]) => [path, { answer: given, code }]),
);

/** Pages that are hard to read, of a program behind a proxy that changes links. */
export const HOSTILE_PAGES: Readonly<Record<string, Buffer>> = {
  '/gzip-none': page('notgzip', 'gzip'),
  '/gzip-cut': page(gzipSync('<a href="/x">'.repeat(1000)).subarray(0, 60), 'gzip'),
  '/gzip-bomb': page(gzipSync(Buffer.alloc(8 * 1024 * 1024, '<a href="/x">')), 'gzip'),
  '/long-attribute': page(`<a href="${'/'.repeat(3_000_000)}`),
  '/many-tags': page('<a '.repeat(500_000)),
  '/many-attributes': page(`<a ${Array.from({ length: 300_000 }, (_, index) => `a${index.toString(36)}`).join(' ')}>`),
  '/quotes': page('<a href=\'/x" '.repeat(200_000)),
};

function page(body: string | Buffer, encoding = 'identity'): Buffer {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: ${encoding}\r\n\r\n`;
  return Buffer.concat([bytes(head), Buffer.from(body)]);
}

/** A program that answers with bytes, by path, and then closes the connection. Other paths: `200 OK`. */
export function hostileProgram(seen: (head: Buffer) => void = () => undefined): Server {
  return createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (head) => {
      seen(head);
      const [, path = ''] = head.toString('latin1').split(' ');
      socket.end(HOSTILE_ANSWERS.get(path)?.answer ?? HOSTILE_PAGES[path] ?? OK);
    });
  });
}

/** The port of a server that listens. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** All bytes that a server sends for a request, until it closes the connection. */
export function exchanged(port: number, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    const pieces: Buffer[] = [];
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(pieces)));
  });
}
